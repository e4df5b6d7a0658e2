"""The one way figures look and are saved: SVG with text as paths, the same bytes each time, data beside it.

Import this module only inside jobs: it imports matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from seedlot.store.atomic import write_text
from seedlot.store.parquet import write_table

# Okabe and Ito's colours, told apart with every common form of colour blindness.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
INK, GREY, PALE = "#333333", "#999999", "#E4E4E4"
PALETTE = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY, BLACK)

STYLE = {
    "svg.hashsalt": "seedlot",
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


@contextmanager
def style() -> Iterator[None]:
    """Draw inside this: the defaults of matplotlib, whatever the user's own settings, then STYLE."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches that lays itself out; add axes with `fig.subplots` or `add_subplot`."""
    fig = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(fig)
    return fig


def empty_figure(status: str, reason: str, title: str = "") -> Figure:
    """A figure that says why there is nothing to draw: the item's status and reason, in the axes."""
    fig = new_figure(6.0, 2.6)
    ax = fig.add_subplot()
    say(ax, status, reason)
    ax.set_title(title)
    return fig


def say(ax: Axes, status: str, reason: str) -> None:
    """Print an item's status and reason where its curve would be; long reasons are wrapped."""
    import textwrap

    ax.set(xticks=[], yticks=[])
    for side in ax.spines.values():
        side.set_edgecolor(PALE)
    text = "\n".join(textwrap.wrap(reason, 44)) or "no reason given"
    ax.text(0.5, 0.62, status, transform=ax.transAxes, ha="center", va="bottom", color=RED, weight="bold")
    ax.text(0.5, 0.56, text, transform=ax.transAxes, ha="center", va="top", fontsize=8)


def footer(fig: Figure, evidence: str, note: str = "") -> None:
    """Print below the figure what its numbers rest on (real, mixed or simulated) and a short note."""
    text = f"evidence: {evidence}" + (f"  ·  {note}" if note else "")
    fig.supxlabel(text, x=0.01, ha="left", fontsize=7.5, color="#666666")


def end_labels(ax: Axes, ends: list[tuple[float, str, str]], gap: float = 0.05) -> None:
    """Label curves at the right edge instead of in a legend, pushed apart so that no two labels overlap.

    ends: (y in data coordinates, text, colour). gap: least distance of labels as a share of the axis height.
    Call it when the limits and scale of the y axis are final.
    """
    to_axes = ax.transData + ax.transAxes.inverted()
    middle = ax.get_xlim()[0]
    places = sorted((float(to_axes.transform((middle, y))[1]), text, colour) for y, text, colour in ends)
    heights: list[float] = []
    for y, *_ in places:
        heights.append(max(y, heights[-1] + gap) if heights else y)
    over = max(0.0, heights[-1] - 1.0) if heights else 0.0
    for (_, text, colour), height in zip(places, heights, strict=True):
        style = {"fontsize": 7.5, "color": colour, "va": "center", "clip_on": False}
        ax.text(1.01, height - over, text, transform=ax.transAxes, **style)


def svg_text(fig: Figure) -> str:
    """The figure as SVG text: no date, fixed ids, fonts as paths."""
    buffer = io.StringIO()
    with matplotlib.rc_context({k: STYLE[k] for k in ("svg.hashsalt", "svg.fonttype")}):
        fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "seedlot"})
    return buffer.getvalue()


def save_figure(fig: Figure, svg: Path, data: pa.Table, parquet: Path) -> None:
    """Write the figure and, beside it, the table it was drawn from (rows in the order given)."""
    write_text(svg, svg_text(fig))
    write_table(parquet, data, data.schema, ())
