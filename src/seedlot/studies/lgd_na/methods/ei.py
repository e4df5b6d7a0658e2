"""Explosive immunisation: build the network up again so that no large component forms, remove in reverse.

Chosen over Min-Sum because it states its order directly: Min-Sum needs message passing with a tuned noise
and reinforcement, and a separate tree-breaking stage, before it yields removals, so a reimplementation
would test our tuning. Nodes return one at a time, each the best of up to 1,000 random candidates: first
the smallest k_eff + sum over the distinct components C around it of (sqrt(|C|) - 1), and once the
largest component has passed the stop the node that joins the fewest components outside the largest one.
The effective degree k_eff leaves out leaves, as published, so the centre of a star is the first to return:
the method is meant for networks with cycles.
"""

import numpy as np

from seedlot.studies.lgd_na.curve import find
from seedlot.studies.lgd_na.jit import kernel
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size

_CANDIDATES, _HUB = 1000, 6


def _order(graph, mode, context):
    seed = int(context.rng("ei").integers(2**31))
    effective = effective_degree(graph.indptr, graph.indices, graph.degree.astype(np.int64))
    return _build_up(graph.indptr, graph.indices, effective, context.stop, seed)[::-1].copy()


@kernel
def effective_degree(indptr, indices, degree):
    """Degree less leaves and less neighbours whose own effective degree is 6 or more, int64 [n].

    The hubs are found by fixed-point sweeps from k_eff = degree, at most 50.
    """
    n = len(degree)
    base = degree.copy()
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            base[i] -= degree[indices[p]] == 1
    current = base.copy()
    for _ in range(50):
        new = base.copy()
        for i in range(n):
            for p in range(indptr[i], indptr[i + 1]):
                new[i] -= current[indices[p]] >= _HUB
        if np.array_equal(new, current):
            break
        current = new
    return current


@kernel
def _build_up(indptr, indices, effective, stop, seed):
    """All nodes in the order in which they return, int32 [n]."""
    np.random.seed(seed)
    n = len(effective)
    absent, back = np.arange(n, dtype=np.int32), np.empty(n, np.int32)
    present, mark = np.zeros(n, np.bool_), np.full(n, -1, np.int64)
    parent, size = np.arange(n, dtype=np.int32), np.ones(n, np.int64)
    stamp, giant = 0, np.int32(-1)
    for t in range(n):
        left = n - t
        tries = min(left, _CANDIDATES)
        best, best_score = -1, np.inf
        for k in range(tries):
            other = k + np.random.randint(left - k)  # partial shuffle: candidates without replacement
            absent[k], absent[other] = absent[other], absent[k]
            v, score, joined = absent[k], 0.0, 0
            root_of_giant = find(parent, giant) if giant >= 0 else -1
            touches = False
            stamp += 1
            for p in range(indptr[v], indptr[v + 1]):
                if present[indices[p]]:
                    root = find(parent, indices[p])
                    if mark[root] != stamp:
                        mark[root] = stamp
                        joined += 1
                        touches |= root == root_of_giant
                        score += np.sqrt(size[root]) - 1.0
            if giant >= 0 and size[root_of_giant] > stop:
                score = float(joined) if touches else float(joined) + n
            else:
                score += effective[v]
            if score < best_score or (score == best_score and v < absent[best]):
                best, best_score = k, score
        v = absent[best]
        absent[best] = absent[left - 1]
        back[t] = v
        present[v] = True
        for p in range(indptr[v], indptr[v + 1]):
            if present[indices[p]]:
                a, b = find(parent, v), find(parent, indices[p])
                if a != b:
                    if size[a] < size[b]:
                        a, b = b, a
                    parent[b] = a
                    size[a] += size[b]
        if giant < 0 or size[find(parent, v)] > size[find(parent, giant)]:
            giant = v
    return back


def _seconds(size: Size, mode: str) -> float:
    return min(size.n, _CANDIDATES) * (5.6e-8 * size.n + 7.6e-9 * size.m)


METHOD = Method("ei", "Explosive immunisation", _order, _seconds, modes=("dynamic",), tie_rules=("exact",))
