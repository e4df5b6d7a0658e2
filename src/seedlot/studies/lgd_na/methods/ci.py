"""Collective influence at distance 2, adaptive: (d_i - 1) times the sum of (d_j - 1) over nodes j two steps away.

After a removal only nodes within three steps are scored again. Integer scores; where they are equal (all are
zero in a forest of paths) the larger degree goes first, then the lowest index.
"""

from seedlot.studies.lgd_na.collective import removal_order
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size


def _seconds(size: Size, mode: str) -> float:
    if mode == "static":
        return 5e-9 * size.pairs + 2e-7 * size.n
    # A removal is felt three steps away: in a small part of a grid, nearly everywhere in a graph with hubs.
    excess = size.pairs / max(2 * size.m, 1)
    felt = min(1.0, 2 * size.m / size.n * excess**2 / size.n)
    return 6e-9 * size.walks * felt**0.5 + 1e-6 * size.n


METHOD = Method(
    "ci",
    "Collective influence",
    lambda graph, mode, context: removal_order(graph, mode == "dynamic"),
    _seconds,
    tie_rules=("exact",),
)
