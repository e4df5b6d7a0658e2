"""Figure: how much AUC a network gains from a few added links, by rule and dose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na import figures_common as common
from seedlot.studies.lgd_na.claims_text import Claim, load

SCHEMA = [
    ("net_id", pa.string()),
    ("domain", pa.string()),
    ("evidence", pa.string()),
    ("method", pa.string()),
    ("nodes_permille", pa.int32()),
    ("links_permille", pa.int32()),
    ("gain", pa.float64()),
]


def run(job: Job) -> None:
    """Inputs: hardening. Params: evidence (real). Outputs: svg, data."""
    evidence = job.params.get("evidence", "real")
    rows = [
        r
        for r in read_table(job.paths("hardening")).to_pylist()
        if r["evidence"] == evidence and r["gain"] is not None
    ]
    with plot.style():
        if rows:
            fig = draw(rows, [c for c in load()[1] if c.kind == "gain_range"], evidence)
        else:
            fig = plot.empty_figure("no gains", f"no hardening run on {evidence} networks", "Hardening")
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, SCHEMA), job.output["data"])


def draw(rows: list[dict[str, Any]], claims: list[Claim], evidence: str):
    """One panel per dose; a dot per network, a bar at the mean, the published range as a band."""
    doses = sorted({(r["nodes_permille"], r["links_permille"]) for r in rows})
    methods = common.in_order({r["method"] for r in rows})
    fig = plot.new_figure(3.4 * len(doses) + 0.6, 3.8)
    axes = fig.subplots(1, len(doses), sharey=True, squeeze=False)[0]
    rng = np.random.default_rng(0)  # jitter only
    for ax, dose in zip(axes, doses, strict=True):
        for claim in claims:
            if tuple(round(1000 * claim.get("scope")[k]) for k in ("nodes", "links")) == dose:
                low, high = (100 * claim.get("metric")[k] for k in ("low", "high"))
                ax.axhspan(low, high, color=plot.PALE, zorder=0)
                ax.text(-0.47, high, "paper's range ", ha="left", va="top", fontsize=7, zorder=4)
        for at, method in enumerate(methods):
            gains = [
                100 * r["gain"]
                for r in rows
                if r["method"] == method and (r["nodes_permille"], r["links_permille"]) == dose
            ]
            spots = at + rng.uniform(-0.18, 0.18, len(gains))
            ax.plot(spots, gains, "o", color=common.colour(method), markersize=4, alpha=0.55)
            if gains:
                mean = float(np.mean(gains))
                ax.plot([at - 0.3, at + 0.3], [mean, mean], color=plot.INK, linewidth=1.8)
                ax.text(at + 0.33, mean, f"{mean:+.0f} %", fontsize=7.5, va="center")
        ax.axhline(0, color=plot.BLACK, linestyle="--", linewidth=0.9)
        ax.set_xticks(range(len(methods)), [common.label(m) for m in methods])
        ax.set_xlim(-0.5, len(methods) - 0.1)
        ax.set_yscale("symlog", linthresh=100)
        ax.set_title(f"{dose[1] / 10:g} % of missing links, {dose[0] / 10:g} % of nodes")
    ticks = [t for t in (-100, -50, 0, 50, 100, 200, 500, 1000, 5000) if axes[0].get_ylim()[0] <= t]
    axes[0].set_yticks([t for t in ticks if t <= axes[0].get_ylim()[1]], None)
    axes[0].yaxis.set_major_formatter(lambda v, _: f"{v:+.0f} %" if v else "0")
    axes[0].minorticks_off()
    axes[0].set_ylabel("gain in AUC (0: as before; log beyond ±100 %)")
    count = len({r["net_id"] for r in rows})
    plot.footer(fig, evidence, f"{count} networks; each rule hardens and attacks its own network; bar: mean")
    return fig
