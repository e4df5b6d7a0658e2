"""Removal orders from a score of every node, computed once or again after every removal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seedlot.studies.lgd_na.curve import find
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.jit import kernel
from seedlot.studies.lgd_na.method import Context

CLOSE = 1e-9


def order_by_scores(
    graph: Graph, mode: str, context: Context, scores: Callable[[Graph], np.ndarray]
) -> np.ndarray:
    """All nodes in removal order, int32 [n].

    scores: float64 [n] of a graph, larger is removed first. Dynamic: scores of the whole remaining graph
    before each removal, until the largest component has context.stop nodes; the rest follows by the last
    scores. Scores within 1e-9 of the largest (relative) are ties, the lowest index goes first.
    """
    if mode == "static":
        return ranked(scores(graph))
    ids, order = np.arange(graph.n, dtype=np.int32), []
    rest, values = graph, np.zeros(graph.n)
    while rest.m:
        values = scores(rest)
        best = first_close_maximum(values)
        order.append(int(ids[best]))
        rest = without(rest, best)
        ids, values = np.delete(ids, best), np.delete(values, best)
        if largest_component(rest.indptr, rest.indices) <= context.stop:
            break
    return np.concatenate([np.array(order, np.int32), ids[ranked(values)]])


def first_close_maximum(values: np.ndarray) -> int:
    """Lowest index of a value within 1e-9 (relative) of the largest."""
    top = values.max()
    return int(np.argmax(values >= top - CLOSE * abs(top)))


def ranked(values: np.ndarray) -> np.ndarray:
    """Indices by descending value, int32; runs of neighbours closer than 1e-9 of the largest go by index."""
    order = np.argsort(-values, kind="stable")
    if len(order) < 2:
        return order.astype(np.int32)
    steps = -np.diff(values[order]) > CLOSE * np.abs(values).max()
    group = np.concatenate([[0], np.cumsum(steps)])
    return order[np.lexsort((order, group))].astype(np.int32)


def without(graph: Graph, node: int) -> Graph:
    """The graph less one node; later nodes move down by one."""
    indptr, indices = _without(graph.indptr, graph.indices, node)
    return Graph(graph.n - 1, indptr, indices)


@kernel
def _without(indptr, indices, node):
    n = len(indptr) - 1
    lost = 2 * (indptr[node + 1] - indptr[node])
    new_ptr = np.zeros(n, np.int64)
    new_idx = np.empty(len(indices) - lost, np.int32)
    fill, row = 0, 0
    for i in range(n):
        if i == node:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j != node:
                new_idx[fill] = j - (j > node)
                fill += 1
        row += 1
        new_ptr[row] = fill
    return new_ptr, new_idx


@kernel
def largest_component(indptr, indices):
    """Nodes of the largest component."""
    n = len(indptr) - 1
    parent, size = np.arange(n, dtype=np.int32), np.ones(n, np.int32)
    best = min(n, 1)
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            if indices[p] > i:
                a, b = find(parent, i), find(parent, indices[p])
                if a != b:
                    if size[a] < size[b]:
                        a, b = b, a
                    parent[b] = a
                    size[a] += size[b]
                    best = max(best, size[a])
    return best
