"""How many walks of two steps an attack leaves: what scores of second neighbours have to go through."""

from __future__ import annotations

import numpy as np

from seedlot.studies.lgd_na.jit import kernel


@kernel
def walks_left(indptr, indices, order):
    """Sum of squared degrees before each removal of `order` (int [T], distinct nodes), int64 [T]."""
    degree = np.diff(indptr)
    alive, out = np.ones(len(degree), np.bool_), np.empty(len(order), np.int64)
    left = (degree * degree).sum()
    for t in range(len(order)):
        out[t] = left
        v = order[t]
        alive[v] = False
        left -= degree[v] * degree[v]
        for p in range(indptr[v], indptr[v + 1]):
            u = indices[p]
            if alive[u]:
                left -= 2 * degree[u] - 1
                degree[u] -= 1
    return out
