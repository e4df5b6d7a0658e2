"""The 2-core taken apart by degree, and forests broken at their centroids."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numba import njit


@njit(cache=True)
def core_order(indptr, indices):
    """Nodes of the 2-core in order of their degree inside it, renewed each time, until it is empty; int32."""
    n = len(indptr) - 1
    inside, degree = np.ones(n, np.bool_), np.diff(indptr)
    stack = [np.int32(0)]
    stack.clear()
    for i in range(n):
        if degree[i] < 2:
            stack.append(np.int32(i))
            inside[i] = False
    _peel(indptr, indices, inside, degree, stack)
    # Degrees only fall: the heap holds stale entries, and one that is stale is pushed again when met.
    heap = [(-degree[i], np.int32(i)) for i in range(n)]
    heapify(heap)
    order = [np.int32(0)]
    order.clear()
    while len(heap):
        key, v = heappop(heap)
        if not inside[v]:
            continue
        if -key != degree[v]:
            heappush(heap, (-degree[v], v))
            continue
        order.append(v)
        inside[v] = False
        stack.append(v)
        _peel(indptr, indices, inside, degree, stack)
    return np.array(order, dtype=np.int32)


@njit(cache=True)
def _peel(indptr, indices, inside, degree, stack):
    """Take the stacked nodes, already marked outside, off their neighbours; whoever falls below 2 follows."""
    while len(stack):
        i = stack.pop()
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if inside[j]:
                degree[j] -= 1
                if degree[j] < 2:
                    inside[j] = False
                    stack.append(j)


@njit(cache=True)
def break_trees(indptr, indices, alive):
    """All alive nodes of a forest: centroids of the largest tree first, then isolated nodes by index; int32."""
    n = len(alive)
    parent, size = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    queue, order = np.empty(n, np.int32), np.empty(n, np.int32)
    heap = [(np.int64(0), np.int32(0))]
    heap.clear()
    alive, seen = alive.copy(), ~alive
    for i in range(n):
        if not seen[i]:
            count = _walk(indptr, indices, alive, parent, queue, i)
            for k in range(count):
                seen[queue[k]] = True
            heap.append((-np.int64(count), np.int32(i)))
    heapify(heap)
    fill = 0
    while len(heap):
        key, root = heappop(heap)
        if key == -1:
            break
        count = _walk(indptr, indices, alive, parent, queue, root)
        v = _centroid(parent, size, queue, count)
        order[fill] = v
        fill += 1
        alive[v] = False
        for p in range(indptr[v], indptr[v + 1]):
            j = indices[p]
            if alive[j]:
                piece = size[j] if parent[j] == v else count - size[v]
                heappush(heap, (-np.int64(piece), j))
    rest = np.flatnonzero(alive)
    order[fill : fill + len(rest)] = rest
    return order[: fill + len(rest)]


@njit(cache=True)
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


@njit(cache=True)
def _centroid(parent, size, queue, count):
    """The node whose removal leaves the smallest largest piece, lowest index of equals; fills subtree sizes."""
    worst = np.zeros(count, np.int32)
    place = {queue[0]: 0}
    for k in range(count):
        place[queue[k]] = k
        size[queue[k]] = 1
    for k in range(count - 1, 0, -1):
        i, up = queue[k], parent[queue[k]]
        size[up] += size[i]
        worst[place[up]] = max(worst[place[up]], size[i])
    best, best_worst = -1, count + 1
    for k in range(count):
        i = queue[k]
        largest = max(worst[k], count - size[i])
        if largest < best_worst or (largest == best_worst and i < best):
            best, best_worst = i, largest
    return best
