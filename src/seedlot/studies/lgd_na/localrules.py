"""The local rules as methods: one maker for RA2, RA2num, CND and degree."""

from __future__ import annotations

from seedlot.studies.lgd_na.engine import TIES, removal_order
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size


def local_rule(name: str, title: str, *, per_pair: float) -> Method:
    """A Method around engine.removal_order for the rule of that name.

    per_pair: nanoseconds for each walk of two steps in a dynamic run. The other terms, one per node and per link,
    are the same for all rules.
    """

    def seconds(size: Size, mode: str) -> float:
        counting = 2e-6 * size.n + 4e-7 * size.m
        return counting if mode == "static" else counting + 1e-9 * per_pair * size.pairs

    return Method(
        name=name,
        title=title,
        order=lambda graph, mode, context: removal_order(
            graph, name, dynamic=mode == "dynamic", ties=context.ties
        ),
        seconds=seconds,
        tie_rules=tuple(TIES),
    )
