"""Removal orders of the local rules by full recomputation: the slow reference of the incremental engine.

Common neighbours come from a sparse matrix product of the whole remaining graph at every step. Nothing is
shared with engine.py, so equal removal lists are evidence for both.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from seedlot.studies.lgd_na.graph import Graph


def removal_order(graph: Graph, rule: str, *, ties: str = "exact", steps: int | None = None) -> np.ndarray:
    """Dynamic removal order, int32 [min(steps, n)] (default: all nodes), one full recomputation a step.

    rule: ra2, ra2num, cnd, degree. ties: exact (integers over the least common multiple), csr, round9.
    """
    steps = graph.n if steps is None else min(steps, graph.n)
    adjacency, ids = graph.matrix(), np.arange(graph.n)
    order = np.empty(steps, np.int32)
    for t in range(steps):
        if adjacency.nnz == 0:
            order[t:] = ids[: steps - t]
            break
        best = first_maximum(node_scores(adjacency, rule, ties))
        order[t] = ids[best]
        keep = np.delete(np.arange(len(ids)), best)
        adjacency, ids = adjacency[keep][:, keep], ids[keep]
    return order


def node_scores(adjacency, rule: str, ties: str = "exact"):
    """Scores of all nodes of a sparse adjacency [k, k]: float64 array, or a list of integers (exact).

    Exact scores are multiplied by the least common multiple of all 1 + c present.
    """
    links = adjacency.tocoo()
    degree = np.asarray(adjacency.sum(axis=1)).ravel().astype(np.int64)
    # The product also holds node pairs that are no link; picking the links leaves their counts in CSR order.
    shared = np.asarray((adjacency @ adjacency)[links.row, links.col]).ravel().astype(np.int64)
    num = np.ones(len(shared), np.int64)
    if rule in ("ra2", "ra2num"):
        num = (degree[links.row] - shared) * (degree[links.col] - shared)
    den = 1 + shared if rule in ("ra2", "cnd") else np.ones(len(shared), np.int64)
    if ties == "exact":
        return _exact(links.row, num, den, adjacency.shape[0])
    weights = adjacency.copy()
    weights.data = num / den
    total = np.asarray(weights.sum(axis=1)).ravel()
    return np.round(total, 9) if ties == "round9" else total


def _exact(row, num, den, size: int) -> list[int]:
    common = lcm(*{int(k) for k in np.unique(den)})
    factor = {int(k): common // int(k) for k in np.unique(den)}
    total = [0] * size
    for i, a, k in zip(row.tolist(), num.tolist(), den.tolist()):
        total[i] += a * factor[k]
    return total


def first_maximum(scores) -> int:
    """Position of the first largest value."""
    return int(np.argmax(scores)) if isinstance(scores, np.ndarray) else scores.index(max(scores))
