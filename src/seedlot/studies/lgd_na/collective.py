"""Removal by collective influence of radius 2."""

from __future__ import annotations

import numpy as np

from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.jit import kernel


def removal_order(graph: Graph, dynamic: bool) -> np.ndarray:
    """All nodes by (collective influence, degree, lowest index), int32 [n]."""
    return _order(graph.indptr, graph.indices, graph.degree.astype(np.int64), dynamic)


@kernel
def _influence(indptr, indices, degree, alive, i, mark, stamp):
    """(d_i - 1) times the sum of (d_j - 1) over alive nodes j at distance exactly two."""
    if degree[i] <= 1:
        return np.int64(0)
    mark[i] = stamp
    for p in range(indptr[i], indptr[i + 1]):
        mark[indices[p]] = stamp
    total = np.int64(0)
    for p in range(indptr[i], indptr[i + 1]):
        j = indices[p]
        if not alive[j]:
            continue
        for q in range(indptr[j], indptr[j + 1]):
            k = indices[q]
            if alive[k] and mark[k] != stamp:
                mark[k] = stamp
                total += degree[k] - 1
    return (degree[i] - 1) * total


@kernel
def _ball(indptr, indices, alive, centre, radius, mark, stamp, out):
    """Alive nodes within `radius` steps of the neighbours of `centre` (which is gone); returns how many."""
    count = 0
    for p in range(indptr[centre], indptr[centre + 1]):
        j = indices[p]
        if alive[j]:
            mark[j] = stamp
            out[count] = j
            count += 1
    first = 0
    for _ in range(radius):
        last = count
        for k in range(first, last):
            for p in range(indptr[out[k]], indptr[out[k] + 1]):
                j = indices[p]
                if alive[j] and mark[j] != stamp:
                    mark[j] = stamp
                    out[count] = j
                    count += 1
        first = last
    return count


@kernel
def _better(score, degree, i, j):
    if i < 0 or j < 0:
        return max(i, j)
    if score[i] != score[j]:
        return i if score[i] > score[j] else j
    if degree[i] != degree[j]:
        return i if degree[i] > degree[j] else j
    return min(i, j)


@kernel
def _order(indptr, indices, degree, dynamic):
    n = len(degree)
    alive, score = np.ones(n, np.bool_), np.zeros(n, np.int64)
    mark, ball_mark = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    stamp = 0
    width = 2
    while width < n:
        width *= 2
    tree = np.full(2 * width, -1, np.int32)
    for i in range(n):
        score[i] = _influence(indptr, indices, degree, alive, i, mark, stamp)
        stamp += 1
        tree[width + i] = i
    for a in range(width - 1, 0, -1):
        tree[a] = _better(score, degree, tree[2 * a], tree[2 * a + 1])
    order, ball = np.empty(n, np.int32), np.empty(n, np.int32)
    for t in range(n):
        v = tree[1]
        order[t] = v
        alive[v] = False
        tree[width + v] = -1
        count = 0
        if dynamic:
            for p in range(indptr[v], indptr[v + 1]):
                if alive[indices[p]]:
                    degree[indices[p]] -= 1
            count = _ball(indptr, indices, alive, v, 2, ball_mark, t, ball)
        for k in range(count):
            score[ball[k]] = _influence(indptr, indices, degree, alive, ball[k], mark, stamp)
            stamp += 1
        for k in range(-1, count):
            a = (width + (v if k < 0 else ball[k])) >> 1
            while a > 0:
                tree[a] = _better(score, degree, tree[2 * a], tree[2 * a + 1])
                a >>= 1
    return order
