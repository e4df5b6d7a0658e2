"""Sizes of the largest and second largest component along a removal order, by reverse union-find.

Putting nodes back in reverse order merges components and never splits one, so the whole curve costs
O((n + m) alpha(n)) however the order was found.
"""

from __future__ import annotations

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.jit import kernel


def component_curve(graph: Graph, order) -> tuple[np.ndarray, np.ndarray]:
    """(lcc, second): int32 [len(order) + 1] node counts after 0, 1, ... removals of `order`.

    order: distinct nodes, int [T], T <= n; nodes that it leaves out stay. Entry 0 is the intact graph.
    """
    order = np.ascontiguousarray(order, dtype=np.int32)
    if len(order) and (order.min() < 0 or order.max() >= graph.n):
        raise SeedlotError(f"a removal order names a node outside 0..{graph.n - 1}")
    if len(np.unique(order)) != len(order):
        raise SeedlotError("a removal order names a node twice")
    return _curve(graph.indptr, graph.indices, order)


@kernel
def find(parent, i):
    """Root of i, halving the path on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def _curve(indptr, indices, order):
    n, steps = len(indptr) - 1, len(order)
    gone = np.zeros(n, np.bool_)
    for t in range(steps):
        gone[order[t]] = True
    back = np.empty(n, np.int32)
    head = 0
    for i in range(n):
        if not gone[i]:
            back[head] = i
            head += 1
    for t in range(steps - 1, -1, -1):
        back[n - 1 - t] = order[t]
    lcc, second = np.zeros(steps + 1, np.int32), np.zeros(steps + 1, np.int32)
    parent, size = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
    having = np.zeros(n + 2, np.int64)  # having[s] = number of components of s nodes
    big, runner = 0, 0
    for p in range(n):
        if p >= head:
            lcc[n - p], second[n - p] = big, runner
        i = back[p]
        size[i] = 1
        having[1] += 1
        root = i
        for q in range(indptr[i], indptr[i + 1]):
            j = indices[q]
            if size[j] == 0:
                continue
            other = find(parent, j)
            if other != root:
                having[size[other]] -= 1
                having[size[root]] -= 1
                if size[other] > size[root]:
                    root, other = other, root
                parent[other] = root
                size[root] += size[other]
                having[size[root]] += 1
        grown = size[root]
        if grown >= big:
            if having[big] > (big == grown):
                runner = big  # the former largest still stands apart
            big = grown
        elif grown > runner:
            runner = grown
        # The second largest may just have been absorbed: walk down to the next size that still exists.
        # Each walk is no longer than the component that was absorbed, so all walks together are O(n log n).
        while runner > 0 and having[runner] - (runner == big) <= 0:
            runner -= 1
    lcc[0], second[0] = big, runner
    return lcc, second
