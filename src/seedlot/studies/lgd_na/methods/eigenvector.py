"""Eigenvector centrality: 100 power steps from the uniform vector (not run to convergence, as published)."""

import numpy as np

from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import order_by_scores

_STEPS = 100


def scores(graph: Graph) -> np.ndarray:
    """The vector after 100 steps x <- A x / |A x|, float64 [n]; zeros when there is no link."""
    matrix, x = graph.matrix(), np.full(graph.n, 1.0 / graph.n)
    for _ in range(_STEPS):
        x = matrix @ x
        length = np.linalg.norm(x)
        if length == 0:
            return x
        x /= length
    return x


def _seconds(size: Size, mode: str) -> float:
    if mode == "static":
        return 9e-7 * size.n + 2.5e-7 * size.m + 1.5e-3
    return 2e-7 * size.product * size.removals


METHOD = Method(
    "eigenvector",
    "Eigenvector",
    lambda g, mode, c: order_by_scores(g, mode, c, scores),
    _seconds,
    whole=False,
)
