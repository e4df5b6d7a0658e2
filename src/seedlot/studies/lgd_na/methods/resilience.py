"""Resilience centrality, (2 D + d (d - 2 beta)) / (N <d^2>) with D = A d and beta = <d^2>/<d>.

The denominator is the same for all nodes. Multiplied by the degree sum S1, the rest is the integer
S1 (2 D + d^2) - 2 S2 d with S2 the sum of squared degrees, so ties are exact. D, S1 and S2 are kept up to
date; every score moves with beta, so each removal scans all remaining nodes once.
"""

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.studies.lgd_na.jit import kernel
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size


def _order(graph, mode, context):
    degree = graph.degree.astype(np.int64)
    around = (graph.matrix() @ degree).astype(np.int64)
    reach = int(degree.sum()) * int((2 * around + degree * degree).max(initial=0))
    if reach + 2 * int((degree**2).sum()) * int(degree.max(initial=0)) >= 1 << 62:
        raise SeedlotError("resilience scores of this network do not fit 64-bit integers")
    return _remove_all(graph.indptr, graph.indices, degree, around, mode == "dynamic")


@kernel
def _remove_all(indptr, indices, degree, around, dynamic):
    n = len(degree)
    left = np.arange(n, dtype=np.int32)
    order = np.empty(n, np.int32)
    alive = np.ones(n, np.bool_)
    first, second = degree.sum(), (degree * degree).sum()
    for t in range(n):
        best, best_score = 0, np.int64(-(1 << 62))
        for k in range(n - t):
            i = left[k]
            score = first * (2 * around[i] + degree[i] * degree[i]) - 2 * second * degree[i]
            if score > best_score:
                best, best_score = k, score
        v = left[best]
        order[t] = v
        left[best : n - t - 1] = left[best + 1 : n - t].copy()
        alive[v] = False
        if not dynamic:
            continue
        for p in range(indptr[v], indptr[v + 1]):
            u = indices[p]
            if not alive[u]:
                continue
            around[u] -= degree[v]
            for q in range(indptr[u], indptr[u + 1]):
                around[indices[q]] -= 1
            second -= 2 * degree[u] - 1
            degree[u] -= 1
        first -= 2 * degree[v]
        second -= degree[v] * degree[v]
        if first == 0:
            order[t + 1 :] = left[: n - t - 1]
            break
    return order


def _seconds(size: Size, mode: str) -> float:
    if mode == "static":
        return 1e-9 * size.n**2 + 1e-7 * size.n
    return 3e-10 * size.n**2 + 4e-6 * size.n + 1e-7 * size.m


METHOD = Method("resilience", "Resilience", _order, _seconds, tie_rules=("exact",))
