"""The local rules as methods: one maker for RA2, RA2num, CND and degree."""

from __future__ import annotations

from seedlot.studies.lgd_na.engine import TIES, removal_order
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size


def local_rule(name: str, title: str, *, per_link: float, per_walk: float) -> Method:
    """A Method around engine.removal_order for the rule of that name.

    per_link, per_walk: nanoseconds that a dynamic run spends on each link, and on each of the m^2/n walks of
    two steps that a graph of equal degrees has half of (hubs go first, so theirs hardly count).
    """

    def seconds(size: Size, mode: str) -> float:
        if mode == "static":
            return 2.5e-6 * size.n + 4e-7 * size.m
        return 2.5e-6 * size.n + 1e-9 * (per_link * size.m + per_walk * size.m**2 / size.n)

    return Method(
        name=name,
        title=title,
        order=lambda graph, mode, context: removal_order(
            graph, name, dynamic=mode == "dynamic", ties=context.ties
        ),
        seconds=seconds,
        tie_rules=tuple(TIES),
    )
