"""Node betweenness centrality, exact, renewed after every removal (Brandes on the pieces that changed)."""

from seedlot.studies.lgd_na.betweenness import betweenness, dynamic_order
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import ranked


def _order(graph, mode, context):
    return dynamic_order(graph) if mode == "dynamic" else ranked(betweenness(graph))


def _seconds(size: Size, mode: str) -> float:
    once = 1e-8 * size.n * (size.n + 2.0 * size.m)
    return once if mode == "static" else 0.4 * once * max(size.removals, 1)


METHOD = Method("nbc", "Betweenness", _order, _seconds)
