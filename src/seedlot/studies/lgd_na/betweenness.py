"""Betweenness of nodes (Brandes, unweighted, undirected, every pair once, end points not counted)."""

from __future__ import annotations

import numpy as np

from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.jit import kernel


def betweenness(graph: Graph, sources: np.ndarray | None = None) -> np.ndarray:
    """Betweenness, float64 [n]; from some sources only, it is scaled by n / len(sources)."""
    alive = np.ones(graph.n, np.bool_)
    chosen = np.arange(graph.n) if sources is None else np.asarray(sources)
    value = _accumulate(graph.indptr, graph.indices, alive, chosen.astype(np.int32))
    return value * (graph.n / max(len(chosen), 1))


def dynamic_order(graph: Graph) -> np.ndarray:
    """All nodes in order of betweenness renewed after every removal, int32 [n].

    Only the pieces of the component that lost a node are computed again: betweenness elsewhere is unchanged.
    Values within 1e-9 of the largest are ties, the lowest index wins.
    """
    return _dynamic(graph.indptr, graph.indices)


@kernel
def _accumulate(indptr, indices, alive, sources):
    """Sum of pair dependencies over the given sources, halved; alive: bool [n]."""
    n = len(indptr) - 1
    value, paths, share = np.zeros(n), np.zeros(n), np.zeros(n)
    depth, queue = np.full(n, -1, np.int32), np.empty(n, np.int32)
    for s in sources:
        queue[0], depth[s], paths[s] = s, 0, 1.0
        head, tail = 0, 1
        while head < tail:
            i = queue[head]
            head += 1
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                if not alive[j]:
                    continue
                if depth[j] < 0:
                    depth[j] = depth[i] + 1
                    queue[tail] = j
                    tail += 1
                if depth[j] == depth[i] + 1:
                    paths[j] += paths[i]
        for k in range(tail - 1, 0, -1):
            i = queue[k]
            part = (1.0 + share[i]) / paths[i]
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                if alive[j] and depth[j] == depth[i] - 1:
                    share[j] += paths[j] * part
            value[i] += share[i] * 0.5
        for k in range(tail):
            i = queue[k]
            depth[i], paths[i], share[i] = -1, 0.0, 0.0
    return value


@kernel
def _component(indptr, indices, alive, done, queue, start):
    """Alive nodes of the component of an alive node into queue, marked done; returns how many."""
    queue[0], done[start] = start, True
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if alive[j] and not done[j]:
                queue[tail], done[j] = j, True
                tail += 1
    return tail


@kernel
def first_close(value, alive):
    """Lowest alive index within 1e-9 (relative) of the largest value."""
    top = -1.0
    for i in range(len(value)):
        if alive[i] and value[i] > top:
            top = value[i]
    for i in range(len(value)):
        if alive[i] and value[i] >= top - 1e-9 * top:
            return i
    return -1


@kernel
def _dynamic(indptr, indices):
    n = len(indptr) - 1
    alive, done = np.ones(n, np.bool_), np.zeros(n, np.bool_)
    value = _accumulate(indptr, indices, alive, np.arange(n, dtype=np.int32))
    order, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    for t in range(n):
        v = first_close(value, alive)
        order[t] = v
        alive[v] = False
        if value[v] <= 0.0:  # every component left is a clique: no path has an inner node
            order[t + 1 :] = np.flatnonzero(alive)
            break
        done[:] = False
        for p in range(indptr[v], indptr[v + 1]):
            u = indices[p]
            if alive[u] and not done[u]:
                part = np.sort(queue[: _component(indptr, indices, alive, done, queue, u)])
                fresh = _accumulate(indptr, indices, alive, part)
                for i in part:
                    value[i] = fresh[i]
    return order
