"""Figure: what still works while nodes are removed, four measures by network."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na import figures_common as common

SCHEMA = [
    ("net_id", pa.string()),
    ("evidence", pa.string()),
    ("method", pa.string()),
    ("measure", pa.string()),
    ("removed", pa.int32()),
    ("share_removed", pa.float64()),
    ("relative", pa.float64()),
]
MEASURES = {
    "efficiency": "global efficiency",
    "outbreak": "SEIR outbreak size",
    "reachability": "paths to marked nodes",
    "rate": "settled activity",
}


def run(job: Job) -> None:
    """Inputs: functional, nets. Outputs: svg, data."""
    rows = [r for r in read_table(job.paths("functional")).to_pylist() if r["relative"] is not None]
    titles = {r["net_id"]: r["title"] for r in read_table(job.paths("nets"), ("net_id", "title")).to_pylist()}
    with plot.style():
        if rows:
            fig = draw(rows, titles)
        else:
            fig = plot.empty_figure("no runs", "no finished dynamic run on the chosen networks", "Function")
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, SCHEMA), job.output["data"])


def draw(rows: list[dict[str, Any]], titles: dict[str, str]):
    """Networks down, measures across; curves are labelled once, in the first panel of each row."""
    nets = sorted({r["net_id"] for r in rows})
    fig = plot.new_figure(10.4, 2.1 * len(nets) + 0.5)
    axes = fig.subplots(len(nets), len(MEASURES), squeeze=False, sharey=True, sharex="row")
    methods = common.in_order({r["method"] for r in rows})
    for line, net_id in zip(axes, nets, strict=True):
        for ax, (measure, name) in zip(line, MEASURES.items(), strict=True):
            for method in methods:
                one = {"net_id": net_id, "measure": measure, "method": method}
                mine = sorted(
                    (r["share_removed"], r["relative"])
                    for r in rows
                    if all(r[k] == v for k, v in one.items())
                )
                ax.plot([x for x, _ in mine], [y for _, y in mine], **common.line(method))
            if net_id == nets[0]:
                ax.set_title(name)
            if net_id == nets[-1]:
                ax.set_xlabel("nodes removed (share of n)")
            ax.set_ylim(-0.02, 1.08)
        chosen = [r["share_removed"] for r in rows if r["net_id"] == net_id and r["method"] != "random"]
        line[0].set_xlim(0, min(1.0, 1.5 * max(chosen, default=1.0)) or 1.0)  # random goes on far beyond
        line[0].set_ylabel(common.short(titles.get(net_id) or net_id, 22), fontsize=8)
    for i, method in enumerate(methods):
        place = {"transform": axes[0][-1].transAxes, "ha": "right", "va": "top", "fontsize": 7}
        axes[0][-1].text(0.99, 1.0 - 0.1 * i, common.label(method), color=common.colour(method), **place)
    evidence = common.evidence_of(r["evidence"] for r in rows)
    fig.supylabel("share of the intact network's value", fontsize=9)
    plot.footer(fig, evidence, "definitions and parameters are ours; orders are dynamic, without reinsertion")
    return fig
