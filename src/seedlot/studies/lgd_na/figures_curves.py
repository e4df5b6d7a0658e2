"""Figure: dismantling curves of a handful of networks, every method in one panel with the baselines drawn in."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na import figures_common as common
from seedlot.studies.lgd_na.ranks_frame import choose

SCHEMA = [
    ("net_id", pa.string()),
    ("title", pa.string()),
    ("domain", pa.string()),
    ("evidence", pa.string()),
    ("method", pa.string()),
    ("status", pa.string()),
    ("reason", pa.string()),
    ("auc_paper", pa.float64()),
    ("removed", pa.int32()),
    ("removed_share", pa.float64()),
    ("lcc_share", pa.float64()),
]
NET_COLUMNS = ("net_id", "title", "domain", "evidence", "n", "duplicate_of")
PANELS, COLUMNS = 6, 3


def run(job: Job) -> None:
    """Inputs: curves, runs, nets. Params: networks (net_ids, or empty: chosen), mode, reinsert. Outputs: svg, data."""
    nets = {r["net_id"]: r for r in read_table(job.paths("nets"), NET_COLUMNS).to_pylist()}
    mode, reinsert = job.params.get("mode", "dynamic"), job.params.get("reinsert", "none")
    wanted = list(job.params.get("networks") or choose(list(nets.values()), PANELS))
    runs = [
        r
        for r in read_table(
            job.paths("runs"),
            ("net_id", "method", "mode", "reinsert", "status", "reason", "n_removals", "auc_paper"),
        ).to_pylist()
        if r["net_id"] in wanted and (r["mode"], r["reinsert"]) == (mode, reinsert)
    ]
    rows = curve_rows(runs, _curves(job, wanted, mode, reinsert), nets)
    with plot.style():
        if rows:
            fig = draw(rows, wanted, nets, f"{mode} order, reinsertion: {reinsert}")
        else:
            fig = plot.empty_figure("no runs", f"no run of {', '.join(wanted) or 'any network'}")
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, SCHEMA), job.output["data"])


def _curves(
    job: Job, wanted: list[str], mode: str, reinsert: str
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """(net_id, method) -> [(step, lcc)] in step order, of the wanted networks only."""
    columns = ("net_id", "method", "mode", "reinsert", "step", "lcc")
    out: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for path in job.paths("curves"):
        table = read_table(path, columns)
        keep = pc.and_(
            pc.is_in(table["net_id"], pa.array(wanted, pa.string())),
            pc.and_(pc.equal(table["mode"], mode), pc.equal(table["reinsert"], reinsert)),
        )
        for r in table.filter(keep).to_pylist():
            out.setdefault((r["net_id"], r["method"]), []).append((r["step"], r["lcc"]))
    return {key: sorted(points) for key, points in out.items()}


def curve_rows(
    runs: list[dict[str, Any]],
    curves: dict[tuple[str, str], list[tuple[int, int]]],
    nets: dict[str, dict[str, Any]],
) -> list[dict[str, Any]]:
    """Rows of the figure's table: the points of each finished run, one row without points for any other."""
    rows = []
    for r in sorted(runs, key=lambda r: (r["net_id"], r["method"])):
        net = nets[r["net_id"]]
        head = {**{k: net[k] for k in ("net_id", "title", "domain", "evidence")}}
        head |= {k: r[k] for k in ("method", "status", "reason", "n_removals", "auc_paper")}
        points = curves.get((r["net_id"], r["method"]), []) if r["status"] == "ok" else []
        points = [p for p in points if p[0] <= r["n_removals"]]
        n = net["n"]
        rows += [{**head, "removed": s, "removed_share": s / n, "lcc_share": lcc / n} for s, lcc in points]
        if not points:
            rows.append({**head, "removed": None, "removed_share": None, "lcc_share": None})
    return rows


def draw(rows: list[dict[str, Any]], wanted: list[str], nets: dict[str, dict[str, Any]], note: str):
    """Small multiples, one panel a network; AUCs are listed in the colours of the curves."""
    lines = -(-len(wanted) // COLUMNS)
    fig = plot.new_figure(3.3 * min(len(wanted), COLUMNS) + 0.3, 2.9 * lines + 0.4)
    axes = fig.subplots(lines, min(len(wanted), COLUMNS), squeeze=False).ravel()
    for ax, net_id in zip(axes, wanted):
        here = [r for r in rows if r["net_id"] == net_id]
        net = nets.get(net_id)
        ax.set_title(common.short(net["title"] or net_id, 44) if net else net_id, fontsize=8.5)
        if not here:
            plot.say(ax, "not run", f"{net_id} is not among the runs")
        elif all(r["lcc_share"] is None for r in here):
            plot.say(ax, here[0]["status"], here[0]["reason"] or "")
        else:
            _panel(ax, here, f"{net['domain']}, n = {net['n']:,}")
    for ax in axes[len(wanted) :]:
        ax.set_axis_off()
    width = min(len(wanted), COLUMNS)
    for at, ax in enumerate(axes[: len(wanted)]):
        if at % width == 0:
            ax.set_ylabel("largest component (share of n)")
        if at + width >= len(wanted):
            ax.set_xlabel("nodes removed (share of n)")
    evidence = common.evidence_of(r["evidence"] for r in rows)
    plot.footer(fig, evidence, f"{note}; numbers are AUCs, lower is a better attack")
    return fig


def _panel(ax: Axes, rows: list[dict[str, Any]], subtitle: str) -> None:
    methods: dict[str, list[dict[str, Any]]] = {}
    for r in rows:
        methods.setdefault(r["method"], []).append(r)
    for method in common.in_order(methods):
        points = [r for r in methods[method] if r["lcc_share"] is not None]
        ax.plot([r["removed_share"] for r in points], [r["lcc_share"] for r in points], **common.line(method))
    ax.axhline(0.1, color=plot.GREY, linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
    ax.set(ylim=(0, 1.02))
    ends = sorted(p[-1]["removed_share"] or 0.0 for p in methods.values())
    most = ends[-1] if ends[-1] <= 2.5 * ends[len(ends) // 2] else 2.0 * ends[len(ends) // 2]
    right = 1.55 * most or 1.0  # the list of AUCs has the right third to itself
    ax.set_xlim(0, right)
    ax.set_xticks([t for t in ax.get_xticks() if 0 <= t <= min(1.0, right)])
    ax.set_xlim(0, right)
    ax.annotate("stop: 0.1", (0, 0.1), (3, 2), textcoords="offset points", fontsize=6.5, color=plot.GREY)
    done = sorted(
        (m for m in methods if methods[m][0]["status"] == "ok"), key=lambda m: methods[m][0]["auc_paper"]
    )
    texts = [(f"{common.label(m)}  {methods[m][0]['auc_paper']:.4f}", m) for m in done]
    texts += [
        (f"{common.label(m)}  {methods[m][0]['status']}", m)
        for m in common.in_order(methods)
        if m not in done
    ]
    step = min(0.075, 0.86 / max(1, len(texts)))
    ax.text(0.99, 1.0, subtitle, transform=ax.transAxes, ha="right", va="top", fontsize=7, color="#666666")
    for i, (text, method) in enumerate(texts):
        place = (0.99, 0.925 - i * step)
        ax.text(
            *place,
            text,
            transform=ax.transAxes,
            ha="right",
            va="top",
            fontsize=6.6,
            color=common.colour(method),
            bbox=common.BACKING,
            zorder=4,
        )
