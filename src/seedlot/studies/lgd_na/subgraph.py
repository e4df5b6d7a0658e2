"""The part of a graph that some of its nodes span."""

from __future__ import annotations

import numpy as np

from seedlot.studies.lgd_na.graph import Graph


def induced(graph: Graph, nodes: np.ndarray) -> Graph:
    """Links among `nodes` (ascending, int [k]); node i of the result is nodes[i]."""
    place = np.full(graph.n, -1, np.int32)
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    row = np.repeat(place, graph.degree)
    col = place[graph.indices]
    inside = (row >= 0) & (col >= 0)
    indptr = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.bincount(row[inside], minlength=len(nodes)), out=indptr[1:])
    return Graph(len(nodes), indptr, col[inside])
