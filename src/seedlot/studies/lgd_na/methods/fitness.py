"""Fitness centrality: F <- 1 + A (1/F) from ones, until no value moves by more than 1e-6 (relative)."""

import numpy as np

from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import order_by_scores

_TOLERANCE, _SWEEPS = 1e-6, 101


def scores(graph: Graph) -> np.ndarray:
    """Fitness, float64 [n], at least 1; at most 101 sweeps."""
    matrix, fitness = graph.matrix(), np.ones(graph.n)
    for _ in range(_SWEEPS):
        new = 1.0 + matrix @ (1.0 / fitness)
        moved = np.abs(new / fitness - 1.0).max()
        fitness = new
        if moved <= _TOLERANCE:
            break
    return fitness


def _seconds(size: Size, mode: str) -> float:
    if mode == "static":
        return 6e-7 * size.n + 2e-7 * size.m + 1e-3
    return 1e-7 * size.product * size.removals


METHOD = Method(
    "fitness", "Fitness", lambda g, mode, c: order_by_scores(g, mode, c, scores), _seconds, whole=False
)
