"""Triangles through each node, compiled; imported only where they are counted, since numba loads slowly."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from seedlot.sources.networks.simplify import SimpleGraph, upper_csr


@njit(cache=True)
def _count(pointers: np.ndarray, successors: np.ndarray, total: np.ndarray) -> None:
    """Add to total[v] the triangles a -> b -> c, a -> c through v, all links pointing from low to high."""
    n = len(pointers) - 1
    marked = np.full(n, -1, np.int64)
    for a in range(n):
        for i in range(pointers[a], pointers[a + 1]):
            marked[successors[i]] = a
        for i in range(pointers[a], pointers[a + 1]):
            b = successors[i]
            for j in range(pointers[b], pointers[b + 1]):
                c = successors[j]
                if marked[c] == a:
                    total[a] += 1
                    total[b] += 1
                    total[c] += 1


def triangles(graph: SimpleGraph) -> np.ndarray:
    """(n,) int64 number of triangles through each node.

    Links point from the node of lower degree to that of higher degree (ties: lower to higher number), which
    bounds the work by m^1.5 also where hubs are large.
    """
    degree = graph.degrees()
    rank = np.empty(graph.n, dtype=np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(graph.n)
    low, high = np.sort((rank[graph.src], rank[graph.dst]), axis=0)
    low, high = np.divmod(np.sort(low * graph.n + high), max(graph.n, 1))
    upper = upper_csr(low, high, graph.n)
    total = np.zeros(graph.n, dtype=np.int64)
    _count(upper.indptr, upper.indices, total)
    return total[rank]


def mean_clustering(graph: SimpleGraph) -> float:
    """Mean over all nodes of the local clustering coefficient (Watts & Strogatz 1998); 0 below degree 2.

    Summed exactly (fsum), so the value does not depend on machine or order. 0.0 for a graph without nodes.
    """
    degree = graph.degrees()
    pairs = degree * (degree - 1) // 2
    linked = pairs > 0
    local = triangles(graph)[linked] / pairs[linked]
    return math.fsum(local.tolist()) / graph.n if graph.n else 0.0
