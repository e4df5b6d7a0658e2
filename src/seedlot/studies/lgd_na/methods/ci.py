"""Collective influence at distance 2, adaptive: (d_i - 1) times the sum of (d_j - 1) over nodes j two steps away.

After a removal only nodes within three steps are scored again. Integer scores; where they are equal (all are
zero in a forest of paths) the larger degree goes first, then the lowest index.
"""

from seedlot.studies.lgd_na.collective import removal_order
from seedlot.studies.lgd_na.method import Method


def _seconds(n: int, m: int, mode: str) -> float:
    mean = 2.0 * m / max(n, 1)
    once = 6e-9 * n * (1 + mean * mean)
    return once + 1e-7 * n if mode == "static" else once * (1 + 0.2 * min(mean**3, n)) + 1e-6 * n


METHOD = Method(
    "ci",
    "Collective influence",
    lambda graph, mode, context: removal_order(graph, mode == "dynamic"),
    _seconds,
    tie_rules=("exact",),
)
