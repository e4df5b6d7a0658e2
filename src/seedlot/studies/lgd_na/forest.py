"""The 2-core taken apart by degree, and forests broken at their centroids."""

from __future__ import annotations

import numpy as np

from seedlot.studies.lgd_na.heap import pop, push
from seedlot.studies.lgd_na.jit import kernel


@kernel
def core_order(indptr, indices):
    """Nodes of the 2-core in order of their degree inside it, renewed each time, until it is empty; int32."""
    n = len(indptr) - 1
    inside, degree = np.ones(n, np.bool_), indptr[1:] - indptr[:-1]
    stack, order, heap = np.empty(n + 1, np.int32), np.empty(n, np.int32), np.empty(n + 1, np.int64)
    waiting, fill, size = 0, 0, 0
    for i in range(n):
        if degree[i] < 2:
            stack[waiting], inside[i] = i, False
            waiting += 1
    _peel(indptr, indices, inside, degree, stack, waiting)
    for i in range(n):
        size = push(heap, size, i - degree[i] * n)  # smallest key: largest degree, then lowest index
    while size:
        size = pop(heap, size)
        v = heap[size] % n
        if not inside[v]:
            continue
        if heap[size] != v - degree[v] * n:  # degrees only fall: a stale entry goes back with today's degree
            size = push(heap, size, v - degree[v] * n)
            continue
        order[fill], inside[v], stack[0] = v, False, v
        fill += 1
        _peel(indptr, indices, inside, degree, stack, 1)
    return order[:fill]


@kernel
def _peel(indptr, indices, inside, degree, stack, waiting):
    """Take the stacked nodes, already marked outside, off their neighbours; whoever falls below 2 follows."""
    while waiting:
        waiting -= 1
        i = stack[waiting]
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if inside[j]:
                degree[j] -= 1
                if degree[j] < 2:
                    inside[j], stack[waiting] = False, j
                    waiting += 1


@kernel
def break_trees(indptr, indices, alive):
    """All alive nodes of a forest, int32: centroids of the largest tree first (of equals the one with the lowest
    index in it), then isolated nodes by index."""
    n = len(alive)
    parent, size, worst = np.full(n, -1, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    queue, order, heap = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n + 1, np.int64)
    alive, seen = alive.copy(), ~alive
    trees, fill = 0, 0
    for i in range(n):
        if not seen[i]:
            count = _walk(indptr, indices, alive, parent, queue, i)
            for k in range(count):
                seen[queue[k]] = True
            trees = push(heap, trees, i - count * n)
    while trees:
        trees = pop(heap, trees)
        root = heap[trees] % n
        if root - heap[trees] == n:
            break  # only single nodes are left
        count = _walk(indptr, indices, alive, parent, queue, root)
        v = _centroid(parent, size, worst, queue, count)
        order[fill], alive[v] = v, False
        fill += 1
        for p in range(indptr[v], indptr[v + 1]):
            j = indices[p]
            if alive[j]:
                piece = _walk(indptr, indices, alive, parent, queue, j)
                trees = push(heap, trees, queue[:piece].min() - piece * n)
    rest = np.flatnonzero(alive)
    order[fill : fill + len(rest)] = rest
    return order[: fill + len(rest)]


@kernel
def _walk(indptr, indices, alive, parent, queue, root):
    """Breadth-first list of the tree of root into queue, parents set; returns its size."""
    queue[0], parent[root] = root, -1
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if alive[j] and j != parent[i]:
                parent[j] = i
                queue[tail] = j
                tail += 1
    return tail


@kernel
def _centroid(parent, size, worst, queue, count):
    """The node whose removal leaves the smallest largest piece, lowest index of equals; fills subtree sizes."""
    for k in range(count):
        size[queue[k]], worst[queue[k]] = 1, 0
    for k in range(count - 1, 0, -1):
        i = queue[k]
        up = parent[i]
        size[up] += size[i]
        worst[up] = max(worst[up], size[i])
    best, best_worst = -1, count + 1
    for k in range(count):
        i = queue[k]
        largest = max(worst[i], count - size[i])
        if largest < best_worst or (largest == best_worst and i < best):
            best, best_worst = i, largest
    return best
