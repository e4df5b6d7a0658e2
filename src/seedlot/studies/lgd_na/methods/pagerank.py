"""PageRank with damping 0.85, by power iteration until no value moves by more than 1e-12."""

import numpy as np

from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import order_by_scores

_DAMPING, _TOLERANCE, _SWEEPS = 0.85, 1e-12, 300


def scores(graph: Graph) -> np.ndarray:
    """PageRank, float64 [n], sum 1; nodes without links hand their rank to all nodes evenly."""
    n, degree = graph.n, graph.degree
    matrix = graph.matrix()
    share = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)
    rank = np.full(n, 1.0 / n)
    for _ in range(_SWEEPS):
        loose = rank[degree == 0].sum() / n
        new = (1 - _DAMPING) / n + _DAMPING * (matrix @ (rank * share) + loose)
        moved = np.abs(new - rank).max()
        rank = new
        if moved <= _TOLERANCE:
            break
    return rank


def _seconds(size: Size, mode: str) -> float:
    once = 4e-7 * size.product
    return once if mode == "static" else once * size.removals


METHOD = Method(
    "pagerank", "PageRank", lambda g, mode, c: order_by_scores(g, mode, c, scores), _seconds, whole=False
)
