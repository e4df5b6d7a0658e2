"""Node betweenness centrality, exact, renewed after every removal (Brandes on the pieces that changed)."""

from seedlot.studies.lgd_na.betweenness import betweenness, dynamic_order
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.stepwise import ranked


def _order(graph, mode, context):
    return dynamic_order(graph) if mode == "dynamic" else ranked(betweenness(graph))


def _seconds(n: int, m: int, mode: str) -> float:
    once = 1.5e-8 * n * (n + 2.0 * m)
    return once if mode == "static" else once * (2 + 0.12 * n)


METHOD = Method("nbc", "Betweenness", _order, _seconds)
