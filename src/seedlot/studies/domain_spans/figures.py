"""Figure: span length of each InterPro entry."""

from __future__ import annotations

import polars as pl

from seedlot.report.plot import save_figure
from seedlot.store.job import Job


def run(job: Job) -> None:
    """Draw median and quartiles of the span length per entry, entries on few proteins in grey."""
    import matplotlib.pyplot as plt

    table = pl.read_parquet(job.path("summary")).sort("median_residues")
    few = (table["proteins"] < job.params["min_proteins"]).to_list()
    colours = ["#BBBBBB" if grey else "#0072B2" for grey in few]
    fig, axes = plt.subplots(figsize=(6.4, 0.42 * table.height + 1.2), layout="constrained")
    axes.hlines(
        table["interpro_id"], table["q25_residues"], table["q75_residues"], colors=colours, linewidth=4
    )
    axes.scatter(table["median_residues"], table["interpro_id"], c=colours, s=48, zorder=3, edgecolor="white")
    for row in table.iter_rows(named=True):
        note = f"{row['spans']} spans on {row['proteins']} proteins"
        axes.annotate(note, (row["q75_residues"], row["interpro_id"]), (8, 0), textcoords="offset points",
                      va="center", fontsize=8, color="#555555")  # fmt: skip
    axes.set_xlabel("span length (residues): median and quartiles")
    axes.set_xlim(0, table["q75_residues"].max() * 1.7)
    axes.set_title("Domain spans per InterPro entry: simulated data", fontsize=10)
    save_figure(fig, job.output["svg"], table.to_arrow(), job.output["data"])
