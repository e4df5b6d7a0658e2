"""Figures of the ranking: mean ranks by domain as a heat map, and the critical-difference plot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na import figures_common as common

TABLE = [
    ("evidence", pa.string()),
    ("scope", pa.string()),
    ("size", pa.string()),
    ("mode", pa.string()),
    ("reinsert", pa.string()),
    ("domain", pa.string()),
    ("method", pa.string()),
    ("n_networks", pa.int32()),
    ("n_families", pa.int32()),
    ("enters_field", pa.bool_()),
    ("mean_rank", pa.float64()),
    ("rank_low", pa.float64()),
    ("rank_high", pa.float64()),
    ("family_rank", pa.float64()),
]
Row = dict[str, Any]


def heatmap(job: Job) -> None:
    """Inputs: ranks. Params: evidence, scope, size, mode, reinsert (defaults below). Outputs: svg, data."""
    key = set_key(job)
    rows = [r for r in _rows(job, "ranks", key) if not r["domain"].startswith("paper:")]
    with plot.style():
        if rows:
            fig = draw_heatmap(rows, key)
        else:
            fig = plot.empty_figure("nothing ranked", f"no {key['evidence']} {describe(key)}", "Mean ranks")
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, TABLE), job.output["data"])


def critical(job: Job) -> None:
    """Inputs: ranks, sets. Params as for the heat map. Outputs: svg, data."""
    key = set_key(job)
    rows = [r for r in _rows(job, "ranks", key) if r["domain"] == "all"]
    sets = _rows(job, "sets", key)
    with plot.style():
        if rows and sets[0]["critical_difference"] is not None:
            fig = draw_critical(rows, sets[0], key)
        else:
            why = f"{describe(key)}: Friedman's test needs two families and three methods"
            fig = plot.empty_figure("not testable", why, "Critical differences")
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, TABLE), job.output["data"])


def set_key(job: Job) -> Row:
    """Which set to draw; by default real networks of n >= 50, dynamic, no reinsertion, all methods finished."""
    default = {"evidence": "real", "scope": "complete", "size": "main", "mode": "dynamic", "reinsert": "none"}
    return {name: job.params.get(name, value) for name, value in default.items()}


def describe(key: Row) -> str:
    """The set in words."""
    size = "n ≥ 50" if key["size"] == "main" else "n < 50"
    return f"{key['scope']} set, {size}, {key['mode']}, reinsertion {key['reinsert']}"


def _rows(job: Job, name: str, key: Row) -> list[Row]:
    table = read_table(job.paths(name)).to_pylist()
    return [r for r in table if all(r[k] == v for k, v in key.items())]


def draw_heatmap(rows: list[Row], key: Row):
    """Domains down, methods across, best field rank first; domains outside the field mean in grey text."""
    domains = _domain_order(rows)
    value = {(r["domain"], r["method"]): r["mean_rank"] for r in rows}
    first = {r["domain"]: r for r in rows}
    by = "*" if value.get(("*", rows[0]["method"])) is not None else "all"
    methods = sorted({r["method"] for r in rows}, key=lambda m: (value[by, m], m))
    grid = np.array([[value[d, m] if value[d, m] is not None else np.nan for m in methods] for d in domains])
    fig = plot.new_figure(2.6 + 0.52 * len(methods), 1.6 + 0.27 * len(domains))
    ax = fig.add_subplot()
    image = ax.imshow(grid, cmap="cividis_r", aspect="auto", vmin=1, vmax=len(methods))
    ax.set_xticks(range(len(methods)), [common.label(m) for m in methods], rotation=40, ha="right")
    ax.set_yticks(range(len(domains)), [_domain_label(first[d]) for d in domains])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for tick, d in zip(ax.get_yticklabels(), domains, strict=True):
        if d in ("*", "all"):
            tick.set_weight("bold")
        elif not first[d]["enters_field"]:
            tick.set_color(plot.GREY)
    for i, d in enumerate(domains):
        for j in range(len(methods)):
            _cell(ax, j, i, grid[i], j, faded=d not in ("*", "all") and not first[d]["enters_field"])
    for split in _splits(domains, first):
        ax.axhline(split - 0.5, color="white", linewidth=5)
    bar = fig.colorbar(image, ax=ax, fraction=0.03, pad=0.02)
    bar.set_label("mean rank of AUC (1 = best)")
    bar.outline.set_visible(False)
    ax.set_title("Which method dismantles best, by domain")
    plot.footer(
        fig, key["evidence"], f"{describe(key)}; networks / families in brackets; grey: below 5 families"
    )
    return fig


def _cell(ax: Axes, x: int, y: int, line: np.ndarray, j: int, *, faded: bool) -> None:
    """The number in one cell; the best of a row is bold and framed."""
    if np.isnan(line[j]):
        return
    dark = (line[j] - 1) / max(1, len(line) - 1) > 0.4
    best = line[j] == np.nanmin(line)
    ax.text(
        *(x, y, f"{line[j]:.1f}"),
        **{"ha": "center", "va": "center", "fontsize": 7},
        color="white" if dark else plot.INK,
        weight="bold" if best else "normal",
        alpha=0.6 if faded else 1.0,
    )
    if best:
        frame = {"fill": False, "edgecolor": plot.RED, "linewidth": 1.4, "alpha": 0.5 if faded else 1.0}
        ax.add_patch(_rectangle(x, y, **frame))


def _rectangle(x: int, y: int, **style: Any):
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.46, y - 0.44), 0.92, 0.88, **style)


def _domain_order(rows: list[Row]) -> list[str]:
    """Field and pool first, then domains that enter the field, then the grey ones; larger first."""
    seen = {r["domain"]: r for r in rows}
    own = [d for d in seen if d not in ("*", "all")]
    own.sort(key=lambda d: (not seen[d]["enters_field"], -seen[d]["n_families"], d))
    return [d for d in ("*", "all") if d in seen] + own


def _domain_label(row: Row) -> str:
    name = {"*": "Field mean", "all": "All networks"}.get(row["domain"], row["domain"])
    return f"{name} ({row['n_networks']} / {row['n_families']})"


def _splits(domains: list[str], first: dict[str, Row]) -> list[int]:
    """Rows before which a white gap separates totals, field domains and grey domains."""
    kind = [0 if d in ("*", "all") else 1 if first[d]["enters_field"] else 2 for d in domains]
    return [i for i in range(1, len(kind)) if kind[i] != kind[i - 1]]


def draw_critical(rows: list[Row], one: Row, key: Row):
    """Demsar's plot: mean ranks over families on one axis; bars join methods that do not differ."""
    rows = sorted(rows, key=lambda r: (r["family_rank"], r["method"]))
    ranks = [r["family_rank"] for r in rows]
    cd, k = one["critical_difference"], len(rows)
    groups = cliques(ranks, cd)
    half = (k + 1) // 2
    depth = 0.55 + 0.16 * len(groups)
    fig = plot.new_figure(7.4, 1.5 + 0.2 * half + 0.13 * len(groups))
    ax = fig.add_subplot()
    low, high = 1.0, float(k)
    ax.set(xlim=(low - 0.34 * (high - low), high + 0.34 * (high - low)), ylim=(-depth - 0.32 * half, 0.95))
    ax.set_axis_off()
    ax.plot([low, high], [0, 0], color=plot.INK, linewidth=1)
    for t in range(1, k + 1):
        ax.plot([t, t], [0, 0.08], color=plot.INK, linewidth=0.8)
        ax.text(t, 0.13, str(t), ha="center", va="bottom", fontsize=7.5)
    ax.plot([low, low + cd], [0.62, 0.62], color=plot.INK, linewidth=1.6, solid_capstyle="butt")
    ax.text(low + cd + 0.1, 0.62, f"critical difference {cd:.2f}", ha="left", va="center", fontsize=7.5)
    for i, (a, b) in enumerate(groups):
        y = -0.16 - 0.16 * i
        ax.plot(
            [ranks[a] - 0.06, ranks[b] + 0.06], [y, y], color=plot.INK, linewidth=2.6, solid_capstyle="round"
        )
    for i, row in enumerate(rows):
        left = i < half
        y = -depth - 0.32 * (i if left else k - 1 - i)
        edge = low - 0.03 * (high - low) if left else high + 0.03 * (high - low)
        tone = common.colour(row["method"])
        ax.plot([row["family_rank"], row["family_rank"], edge], [0, y, y], color=tone, linewidth=1)
        text = f"{common.label(row['method'])}  {row['family_rank']:.2f}"
        side = {"ha": "right" if left else "left", "va": "center", "fontsize": 8, "color": tone}
        ax.text(edge - 0.06 if left else edge + 0.06, y, text, **side)
    ax.set_title("Mean rank over families (1 = best); a bar joins methods that do not differ")
    p = f"Friedman p = {one['friedman_p']:.1e}" if one["friedman_p"] > 0 else "Friedman p < 1e-300"
    plot.footer(
        fig, key["evidence"], f"{describe(key)}; {one['n_blocks']} families; {p}; Nemenyi, level 0.05"
    )
    return fig


def cliques(ranks: list[float], cd: float) -> list[tuple[int, int]]:
    """Maximal runs (first, last) of sorted mean ranks whose ends differ by less than cd, of two methods or more."""
    out: list[tuple[int, int]] = []
    for a in range(len(ranks)):
        b = max(i for i in range(a, len(ranks)) if ranks[i] - ranks[a] < cd)
        if b > a and (not out or b > out[-1][1]):
            out.append((a, b))
    return out
