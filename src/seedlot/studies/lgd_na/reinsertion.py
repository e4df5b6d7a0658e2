"""Putting removed nodes back while the network stays dismantled (rules r1, r2, r3).

From the finished removal list R: for each removed node, find what putting it back with its links to present
nodes would give: r1 the size of the component it lands in, r2 the number of components it joins, r3 the
resulting LCC. Of the nodes whose resulting LCC is at most `stop`, the one with the smallest value goes back
(ties: the one removed last); repeat until none qualifies. Components only grow while nodes return, so a node
that once exceeds the stop never qualifies again and is dropped for good.
"""

from __future__ import annotations

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.studies.lgd_na.curve import component_curve, find
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.jit import kernel

REINSERTS = ("none", "r1", "r2", "r3")


def reinsert(graph: Graph, order: np.ndarray, steps: int, stop: int, rule: str) -> np.ndarray:
    """A whole removal order, int32 [n]: the kept removals in their order, then all other nodes in theirs.

    order: whole removal order [n] whose first `steps` removals dismantle the graph. rule: one of REINSERTS.
    """
    if rule not in REINSERTS:
        raise unknown("reinsertion", rule, REINSERTS)
    if rule == "none" or steps == 0:
        return order
    kept = _kept(graph.indptr, graph.indices, order.astype(np.int32), steps, stop, REINSERTS.index(rule))
    new = np.concatenate([order[:steps][kept], order[:steps][~kept], order[steps:]])
    lcc, _ = component_curve(graph, new[: int(kept.sum())])
    if lcc[-1] > stop:
        raise SeedlotError(f"reinsertion {rule} left a component of {lcc[-1]} nodes, above the stop {stop}")
    return new


@kernel
def _kept(indptr, indices, order, steps, stop, rule):
    """Which of the first `steps` removals stay removed, bool [steps]."""
    n = len(indptr) - 1
    present = np.ones(n, np.bool_)
    for p in range(steps):
        present[order[p]] = False
    parent, size = np.arange(n, dtype=np.int32), np.ones(n, np.int64)
    largest = 0
    for i in range(n):
        if present[i]:
            largest = max(largest, _join(indptr, indices, present, parent, size, i))
    kept = np.ones(steps, np.bool_)
    live = np.arange(steps - 1, -1, -1)  # candidates, last removed first
    mark = np.full(n, -1, np.int64)
    round_ = 0
    while True:
        best, best_value, fill = -1, 0, 0
        for k in range(len(live)):
            p = live[k]
            if not kept[p]:
                continue
            grown, joined = _landing(indptr, indices, present, parent, size, order[p], mark, round_)
            round_ += 1
            if grown > stop:
                continue
            live[fill] = p
            fill += 1
            value = grown if rule == 1 else joined if rule == 2 else max(grown, largest)
            if best < 0 or value < best_value:
                best, best_value = p, value
        live = live[:fill]
        if best < 0:
            return kept
        kept[best] = False
        present[order[best]] = True
        largest = max(largest, _join(indptr, indices, present, parent, size, order[best]))


@kernel
def _landing(indptr, indices, present, parent, size, v, mark, stamp):
    """(size of the component that v would land in, number of components it would join)."""
    grown, joined = 1, 0
    for q in range(indptr[v], indptr[v + 1]):
        if present[indices[q]]:
            root = find(parent, indices[q])
            if mark[root] != stamp:
                mark[root] = stamp
                grown += size[root]
                joined += 1
    return grown, joined


@kernel
def _join(indptr, indices, present, parent, size, v):
    """Union v with its present neighbours; returns the size of its component."""
    root = find(parent, v)
    for q in range(indptr[v], indptr[v + 1]):
        if present[indices[q]]:
            other = find(parent, indices[q])
            if other != root:
                if size[other] > size[root]:
                    root, other = other, root
                parent[other] = root
                size[root] += size[other]
    return size[root]
