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
from seedlot.studies.lgd_na.heap import pop, push
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
    """Which of the first `steps` removals stay removed, bool [steps].

    A heap holds (value, last removed first) for each candidate, as value * steps + place. Values of r1 and r3
    only grow, so an outdated entry is met too early and goes back with its value of today. Those of r2 also
    fall, when components around a candidate merge: then it gets a second entry at once.
    """
    n = len(indptr) - 1
    present, place = np.ones(n, np.bool_), np.full(n, -1, np.int64)
    for p in range(steps):
        present[order[p]], place[order[p]] = False, steps - 1 - p
    parent, size = np.arange(n, dtype=np.int32), np.ones(n, np.int64)
    last, after = np.arange(n, dtype=np.int32), np.full(n, -1, np.int32)  # members of a component as a chain
    seen, stamp, largest, count = np.full(n, -1, np.int64), 0, np.int64(0), 0
    heap, moved = np.empty(2 * steps + 2, np.int64), np.empty(2 * n + 2, np.int32)
    for i in range(n):
        if present[i]:
            root, _ = _join(indptr, indices, present, parent, size, last, after, moved, i)
            largest = max(largest, size[root])
    kept = np.ones(steps, np.bool_)
    for p in range(steps):
        value, stamp = _value(
            indptr, indices, present, parent, size, seen, stamp, order[p], largest, stop, rule
        )
        if value < 0:
            place[order[p]] = -1
        else:
            count = push(heap, count, value * steps + place[order[p]])
    while count:
        count = pop(heap, count)
        old, at = heap[count] // steps, heap[count] % steps
        v = order[steps - 1 - at]
        if present[v] or place[v] < 0:
            continue
        value, stamp = _value(indptr, indices, present, parent, size, seen, stamp, v, largest, stop, rule)
        if value != old:
            if value >= 0:
                count = push(heap, count, value * steps + at)
            else:
                place[v] = -1  # past the stop, for good
            continue
        kept[steps - 1 - at], present[v] = False, True
        root, arrived = _join(indptr, indices, present, parent, size, last, after, moved, v)
        largest = max(largest, size[root])
        if rule != 2:
            continue
        for k in range(arrived):
            for q in range(indptr[moved[k]], indptr[moved[k] + 1]):
                u = indices[q]
                if present[u] or place[u] < 0:
                    continue
                value, stamp = _value(
                    indptr, indices, present, parent, size, seen, stamp, u, largest, stop, rule
                )
                if value < 0:
                    place[u] = -1
                else:
                    if count == len(heap):
                        heap = np.concatenate((heap, heap))
                    count = push(heap, count, value * steps + place[u])
    return kept


@kernel
def _value(indptr, indices, present, parent, size, seen, stamp, v, largest, stop, rule):
    """(value of putting v back under the rule, next stamp); the value is -1 when the LCC would pass the stop."""
    grown, joined = np.int64(1), np.int64(0)
    for q in range(indptr[v], indptr[v + 1]):
        if present[indices[q]]:
            root = find(parent, indices[q])
            if seen[root] != stamp:
                seen[root] = stamp
                grown += size[root]
                joined += 1
    value = grown if rule == 1 else joined if rule == 2 else max(grown, largest)
    return (value if grown <= stop else np.int64(-1)), stamp + 1


@kernel
def _join(indptr, indices, present, parent, size, last, after, moved, v):
    """Union v with its present neighbours: (root, number of nodes in `moved`). `moved` lists the members of
    all parts but the largest, some of them twice (2 n entries are enough: sizes double where they repeat)."""
    root, count = find(parent, v), 0
    for q in range(indptr[v], indptr[v + 1]):
        if not present[indices[q]]:
            continue
        other = find(parent, indices[q])
        if other == root:
            continue
        if size[other] > size[root]:
            root, other = other, root
        member = other
        while member >= 0:
            moved[count] = member
            count += 1
            member = after[member]
        parent[other] = root
        after[last[root]], last[root] = other, last[other]
        size[root] += size[other]
    return root, count
