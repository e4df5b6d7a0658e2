"""Figures of cost: AUC against CPU seconds with the Pareto front, and CPU seconds against size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na import figures_common as common
from seedlot.studies.lgd_na.claims_text import Frozen, load
from seedlot.studies.lgd_na.ranks_frame import Runs
from seedlot.studies.lgd_na.ranks_frame import load as load_runs

PARETO = [
    ("method", pa.string()),
    ("mode", pa.string()),
    ("evidence", pa.string()),
    ("n_networks", pa.int32()),
    ("auc_ratio", pa.float64()),
    ("cpu_s", pa.float64()),
    ("on_front", pa.bool_()),
]
SCALING = [
    ("method", pa.string()),
    ("net_id", pa.string()),
    ("evidence", pa.string()),
    ("n", pa.int32()),
    ("m", pa.int32()),
    ("cpu_s", pa.float64()),
    ("exponent", pa.float64()),
]
FIT_FROM = 1000  # links: smaller networks time the call and the clock, not the algorithm
Row = dict[str, Any]


def pareto(job: Job) -> None:
    """Inputs: runs, timings, nets. Params: evidence (real). Outputs: svg, data."""
    frozen, _ = load()
    evidence = job.params.get("evidence", "real")
    runs = load_runs(job.paths("runs"), job.paths("nets"))
    rows = pareto_rows(runs, _seconds(job), frozen, evidence)
    with plot.style():
        if rows:
            fig = draw_pareto(rows)
        else:
            why = f"on no {evidence} network of n >= {frozen.min_nodes} did all methods finish, degree among them"
            fig = plot.empty_figure("nothing to compare", why, "AUC against cost")
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, PARETO), job.output["data"])


def scaling(job: Job) -> None:
    """Inputs: timings, nets. Params: evidence (real), mode (dynamic). Outputs: svg, data."""
    evidence, mode = job.params.get("evidence", "real"), job.params.get("mode", "dynamic")
    nets = {
        r["net_id"]: r for r in read_table(job.paths("nets"), ("net_id", "evidence", "n", "m")).to_pylist()
    }
    rows = []
    for (net_id, method, one), cpu in sorted(_seconds(job).items()):
        net = nets.get(net_id)
        if net and net["evidence"] == evidence and one == mode and cpu > 0:
            rows.append({**net, "method": method, "cpu_s": cpu})
    slopes = {m: exponent([r for r in rows if r["method"] == m]) for m in {r["method"] for r in rows}}
    rows = [{**r, "exponent": slopes[r["method"]]} for r in rows]
    with plot.style():
        if rows:
            fig = draw_scaling(rows, evidence, mode)
        else:
            fig = plot.empty_figure(
                "no timings", f"no {mode} run on {evidence} networks", "CPU time against size"
            )
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, SCALING), job.output["data"])


def _seconds(job: Job) -> dict[tuple[str, str, str], float]:
    """(net_id, method, mode) -> CPU seconds."""
    table = read_table(job.paths("timings"), ("net_id", "method", "mode", "cpu_s"))
    return {
        (r["net_id"], r["method"], r["mode"]): r["cpu_s"] for r in table.to_pylist() if r["cpu_s"] is not None
    }


def pareto_rows(
    runs: Runs, seconds: dict[tuple[str, str, str], float], frozen: Frozen, evidence: str
) -> list[Row]:
    """One row per method and mode over the networks on which all of them finished, no reinsertion.

    auc_ratio: exp of the mean log(AUC / AUC of dynamic degree); cpu_s: median. Front: nothing is both quicker
    and better.
    """
    nets = runs.nets
    here = (nets.evidence == evidence) & (nets.n >= frozen.min_nodes)
    known = {k: a for k, a in runs.auc.items() if k[2] == "none" and k[0] in frozen.methods}
    known = {k: a for k, a in known.items() if not np.isnan(a[here]).all()}
    base = known.get((frozen.reference, "dynamic", "none"))
    if base is None:
        return []
    use = here & np.all([a > 0 for a in known.values()], axis=0)
    if not use.any():
        return []
    rows = []
    for (method, mode, _), auc in sorted(known.items()):
        times = [seconds.get((n, method, mode)) for n in nets.net_id[use].tolist()]
        times = [t for t in times if t is not None]
        if times:
            ratio = float(np.exp(np.mean(np.log(auc[use] / base[use]))))
            row = {"method": method, "mode": mode, "evidence": evidence, "n_networks": int(use.sum())}
            rows.append({**row, "auc_ratio": ratio, "cpu_s": float(np.median(times))})
    for r in rows:
        r["on_front"] = not any(
            o["cpu_s"] <= r["cpu_s"] and o["auc_ratio"] <= r["auc_ratio"] and o is not r for o in rows
        )
    return rows


def draw_pareto(rows: list[Row]):
    """Cost to the right, quality downwards; a line joins the dynamic (filled) and static (hollow) form of a method."""
    fig = plot.new_figure(6.8, 4.4)
    ax = fig.add_subplot()
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="CPU seconds per network (median)",
        ylabel="AUC / AUC of dynamic degree",
    )
    ax.axhline(1.0, color=plot.BLACK, linestyle="--", linewidth=0.9)
    front = sorted((r for r in rows if r["on_front"]), key=lambda r: r["cpu_s"])
    ends = ([r["cpu_s"] for r in front], [r["auc_ratio"] for r in front])
    ax.step(*ends, where="post", color=plot.PALE, linewidth=5, zorder=0, solid_joinstyle="round")
    for method in {r["method"]: None for r in rows}:
        mine = [r for r in rows if r["method"] == method]
        tone = common.colour(method)
        ax.plot(
            [r["cpu_s"] for r in mine], [r["auc_ratio"] for r in mine], color=tone, linewidth=0.8, alpha=0.6
        )
        for r in mine:
            fill = tone if r["mode"] == "dynamic" else "white"
            ax.plot(r["cpu_s"], r["auc_ratio"], "o", markersize=6, markerfacecolor=fill, markeredgecolor=tone)
    low, high = ax.get_ylim()
    ticks = [t for t in (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50) if low <= t <= high]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    ax.margins(x=0.14)
    fig.draw_without_rendering()  # lays out the axes, so that labels are placed in final pixels
    named = [r for r in rows if r["mode"] == "dynamic" or (r["method"], "dynamic") not in _both(rows)]
    _spread(
        ax,
        [(r["cpu_s"], r["auc_ratio"], common.label(r["method"]), common.colour(r["method"])) for r in named],
    )
    ax.set_title("What a better attack costs (down and left is better)")
    note = f"{rows[0]['n_networks']} networks on which every method finished; filled: dynamic, hollow: static"
    plot.footer(fig, rows[0]["evidence"], f"{note}; pale band: Pareto front")
    return fig


def _both(rows: list[Row]) -> set[tuple[str, str]]:
    return {(r["method"], r["mode"]) for r in rows}


def _spread(ax, points: list[tuple[float, float, str, str]]) -> None:
    """Label points, trying places around each until a label hits neither another label nor a point."""
    to_pixels = ax.transData.transform
    centres = [to_pixels((x, y)) for x, y, *_ in points]
    taken = [(cx - 5, cy - 5, cx + 5, cy + 5) for cx, cy in centres]
    places = [(8, 0, "left"), (-8, 0, "right"), (0, 11, "center"), (0, -11, "center")]
    places += [
        (s * 10, v, "left" if s > 0 else "right") for v in (10, -10, 20, -20, 30, -30) for s in (1, -1)
    ]
    for (_, _, text, tone), (cx, cy) in sorted(zip(points, centres, strict=True), key=lambda p: -p[1][1]):
        width, height = 5.8 * len(text), 10
        for dx, dy, side in places:
            left = cx + dx - {"left": 0, "right": width, "center": width / 2}[side]
            box = (left, cy + dy - height / 2, left + width, cy + dy + height / 2)
            own = (cx - 5, cy - 5, cx + 5, cy + 5)
            if all(_apart(box, other) for other in taken if other != own):
                break
        taken.append(box)
        spot = ax.transData.inverted().transform((cx, cy))
        ax.annotate(
            text,
            tuple(spot),
            xytext=(dx * 0.72, dy * 0.72),  # pixels at 100 dpi to points
            textcoords="offset points",
            **{"ha": side, "va": "center", "fontsize": 7, "color": tone},
        )


def _apart(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def exponent(rows: list[Row]) -> float | None:
    """Least-squares slope of log CPU seconds on log links, over networks of FIT_FROM links and more.

    None below 8 networks or a factor 10 in links. Networks are chosen by size, never by time, which would bend
    the slope.
    """
    use = _fitted(rows)
    if len(use) < 8 or max(r["m"] for r in use) < 10 * min(r["m"] for r in use):
        return None
    x, y = (np.log([r[k] for r in use]) for k in ("m", "cpu_s"))
    return float(np.polyfit(x, y, 1)[0])


def _fitted(rows: list[Row]) -> list[Row]:
    return [r for r in rows if r["m"] >= FIT_FROM]


def draw_scaling(rows: list[Row], evidence: str, mode: str):
    """One dot per run; fitted lines with their exponents, labelled at the right edge."""
    fig = plot.new_figure(6.8, 4.4)
    ax = fig.add_subplot()
    ax.set(xscale="log", yscale="log", xlabel="links m", ylabel="CPU seconds of one run")
    ends = []
    for method in common.in_order({r["method"] for r in rows}):
        mine = sorted((r for r in rows if r["method"] == method), key=lambda r: (r["m"], r["net_id"]))
        tone, main = common.colour(method), method in common.COLOURS
        dots = {"markersize": 4 if main else 2.5, "alpha": 0.7 if main else 0.3, "zorder": 3 if main else 2}
        ax.plot([r["m"] for r in mine], [r["cpu_s"] for r in mine], ".", color=tone, **dots)
        slope = mine[0]["exponent"]
        height = float(np.exp(np.mean(np.log([r["cpu_s"] for r in mine[-5:]]))))
        if slope is not None:
            x = np.array([_fitted(mine)[0]["m"], mine[-1]["m"]], dtype=float)
            centre = [np.mean(np.log([r[k] for r in _fitted(mine)])) for k in ("m", "cpu_s")]
            y = np.exp(centre[1] + slope * (np.log(x) - centre[0]))
            ax.plot(x, y, color=tone, linewidth=1.4 if main else 0.8, zorder=4)
            height = float(y[1])
        ends.append((height, common.label(method) + (f"  m^{slope:.2f}" if slope is not None else ""), tone))
    plot.end_labels(ax, ends, 0.046)
    ax.set_title("CPU time against size")
    note = f"exponents from networks of {FIT_FROM:,} links and more, where eight span a factor of ten"
    plot.footer(fig, evidence, f"{mode} order; {note}")
    return fig
