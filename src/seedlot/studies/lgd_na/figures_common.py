"""What the study's figures share: names, colours and order of methods, and small helpers for tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from seedlot.report import plot

LABELS = {
    "ra2": "RA2",
    "ra2num": "RA2num",
    "cnd": "CND",
    "nbc": "NBC",
    "nbc_sampled": "NBC, sampled",
    "degree": "Degree",
    "pagerank": "PageRank",
    "eigenvector": "Eigenvector",
    "domirank": "DomiRank",
    "fitness": "Fitness",
    "resilience": "Resilience",
    "ci": "CI",
    "corehd": "CoreHD",
    "gnd": "GND",
    "ei": "Expl. immunisation",
    "random": "Random",
}
# The three rules in warm colours, betweenness in blue, the baseline black and dashed, the rest grey context.
COLOURS = {
    "ra2": plot.RED,
    "ra2num": plot.ORANGE,
    "cnd": plot.PURPLE,
    "nbc": plot.BLUE,
    "nbc_sampled": plot.SKY,
    "gnd": plot.GREEN,
    "degree": plot.BLACK,
}
BASELINES = ("degree", "random")
# Behind words that lie over curves.
BACKING = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.4}


def label(method: str) -> str:
    """A method's name as printed."""
    return LABELS.get(method, method)


def colour(method: str) -> str:
    """A method's colour; methods that are only context share one grey."""
    return COLOURS.get(method, "#8C8C8C")


def line(method: str) -> dict[str, Any]:
    """Line properties of a method's curve: baselines dashed or dotted, the rules on top."""
    style = {"degree": "--", "random": ":"}.get(method, "-")
    return {
        "color": colour(method),
        "linestyle": style,
        "linewidth": 1.7 if method in COLOURS else 1.0,
        "zorder": 3 if method in COLOURS else 2,
    }


def in_order(methods: Iterable[str]) -> list[str]:
    """Methods in the order of LABELS, unknown ones after them by name."""
    place = {m: i for i, m in enumerate(LABELS)}
    return sorted(methods, key=lambda m: (place.get(m, len(place)), m))


def evidence_of(values: Iterable[str]) -> str:
    """real, simulated, mixed or none."""
    kinds = set(values)
    return "none" if not kinds else kinds.pop() if len(kinds) == 1 else "mixed"


def short(text: str, width: int = 34) -> str:
    """A title cut to at most `width` characters, at a word where possible."""
    if len(text) <= width:
        return text
    cut = text[: width - 1].rsplit(" ", 1)[0]
    return (cut if len(cut) > width // 2 else text[: width - 1]).rstrip(" ,;:(") + "…"


def rows_table(rows: list[dict[str, Any]], schema: list[tuple[str, pa.DataType]]) -> pa.Table:
    """Rows as a table for the file beside a figure; keys outside the schema are left out."""
    return pa.Table.from_pylist(rows, schema=pa.schema(schema))
