"""Figure: rank correlation of link weights with planted distance, beside its two nulls, by temperature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na import figures_common as common

SCHEMA = [
    ("temperature_pct", pa.int32()),
    ("seed", pa.int32()),
    ("quantity", pa.string()),
    ("wiring", pa.string()),
    ("correlation", pa.float64()),
    ("correlation_plain", pa.float64()),
]
NAMES = {"degree_product": "d·d′ (null)"}


def run(job: Job) -> None:
    """Inputs: geometry. Outputs: svg, data."""
    table = read_table(job.paths("geometry"))
    rows = [r for r in table.to_pylist() if r["correlation"] is not None]
    with plot.style():
        fig = draw(rows) if rows else plot.empty_figure("no rows", "the geometry table is empty", "Geometry")
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, SCHEMA), job.output["data"])


def draw(rows: list[dict[str, Any]]):
    """One panel per temperature; filled: planted network, hollow: rewired null; a line joins their means."""
    temperatures = sorted({r["temperature_pct"] for r in rows})
    quantities = [
        q for q in ("degree_product", "cnd", "ra2num", "ra2") if any(r["quantity"] == q for r in rows)
    ]
    fig = plot.new_figure(2.7 * len(temperatures) + 0.9, 2.6)
    axes = fig.subplots(1, len(temperatures), sharex=True, sharey=True, squeeze=False)[0]
    for ax, temperature in zip(axes, temperatures, strict=True):
        ax.axvline(0, color=plot.BLACK, linestyle="--", linewidth=0.9, zorder=1)
        for at, quantity in enumerate(quantities):
            tone = plot.BLACK if quantity == "degree_product" else common.colour(quantity)
            means = []
            for wiring, fill in (("rewired", "white"), ("planted", tone)):
                one = {"quantity": quantity, "wiring": wiring, "temperature_pct": temperature}
                mine = [r["correlation"] for r in rows if all(r[k] == v for k, v in one.items())]
                spots = at + np.linspace(-0.14, 0.14, len(mine))
                ax.plot(
                    mine, spots, "o", markersize=4.5, markerfacecolor=fill, markeredgecolor=tone, zorder=3
                )
                means += [float(np.mean(mine))] if mine else []
            ax.plot(means, [at] * len(means), color=tone, linewidth=1, alpha=0.5, zorder=2)
            ax.text(
                means[-1], at + 0.22, f"{means[-1]:+.2f}", fontsize=7, ha="center", va="bottom", color=tone
            )
        ax.set_title(f"temperature {temperature / 100:g}")
        ax.set_yticks(range(len(quantities)), [NAMES.get(q) or common.label(q) for q in quantities])
        ax.set(ylim=(-0.5, len(quantities) - 0.2), xlim=(-0.45, 0.95))
    fig.supylabel("link weight", fontsize=9)
    axes[len(axes) // 2].set_xlabel("rank correlation with planted distance, within degree strata")
    seeds = len({r["seed"] for r in rows})
    plot.footer(fig, "simulated", f"{seeds} networks per temperature; filled: planted, hollow: rewired links")
    return fig
