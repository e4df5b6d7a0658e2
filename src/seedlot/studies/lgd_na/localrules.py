"""The local rules as methods: one maker for RA2, RA2num, CND and degree."""

from __future__ import annotations

from seedlot.studies.lgd_na.engine import TIES, removal_order
from seedlot.studies.lgd_na.method import Method


def local_rule(name: str, title: str, *, per_pair: float) -> Method:
    """A Method around engine.removal_order for the rule of that name.

    per_pair: nanoseconds for each pair of a link and a neighbour of its end; a dynamic run visits about m times
    the mean degree of them. The other terms, one per node and per link, are the same for all rules.
    """

    def seconds(n: int, m: int, mode: str) -> float:
        counting = 4e-6 * n + 1e-7 * m
        if mode == "static":
            return counting
        return counting + 5e-7 * m + 1e-9 * per_pair * m * (2.0 * m / max(n, 1))

    return Method(
        name=name,
        title=title,
        order=lambda graph, mode, context: removal_order(
            graph, name, dynamic=mode == "dynamic", ties=context.ties
        ),
        seconds=seconds,
        tie_rules=tuple(TIES),
    )
