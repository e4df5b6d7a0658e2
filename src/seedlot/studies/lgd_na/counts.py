"""Common neighbours of every link, in integers."""

from __future__ import annotations

import numpy as np

from seedlot.studies.lgd_na.jit import kernel


@kernel
def link_ids(indptr, indices):
    """Number the undirected links: int64 [2 m], the same number at both ends, 0..m-1 by (src, dst)."""
    n = len(indptr) - 1
    ids = np.empty(len(indices), np.int64)
    cursor = indptr[:-1].copy()
    count = 0
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j > i:
                ids[p] = count
                ids[cursor[j]] = count  # rows are ascending, so j meets its smaller neighbours in order
                cursor[j] += 1
                count += 1
    return ids


@kernel
def common_neighbours(indptr, indices, ids):
    """Common neighbours of each link, int32 [m], indexed by link id.

    Every triangle is met once: links point from the smaller to the larger (degree, index), and the two
    out-lists of a link's ends are intersected by marking. Cost is O(m^1.5) at worst, however large the hubs.
    """
    n, arcs = len(indptr) - 1, len(indices)
    start = np.zeros(n + 1, np.int64)
    out, out_id = np.empty(arcs // 2, np.int32), np.empty(arcs // 2, np.int64)
    fill = 0
    for i in range(n):
        di = indptr[i + 1] - indptr[i]
        start[i] = fill
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            dj = indptr[j + 1] - indptr[j]
            if di < dj or (di == dj and i < j):
                out[fill], out_id[fill] = j, ids[p]
                fill += 1
    start[n] = fill
    shared, mark = np.zeros(arcs // 2, np.int32), -np.ones(n, np.int64)
    for i in range(n):
        for p in range(start[i], start[i + 1]):
            mark[out[p]] = p
        for p in range(start[i], start[i + 1]):
            j = out[p]
            for q in range(start[j], start[j + 1]):
                r = mark[out[q]]
                if r >= 0:
                    shared[out_id[p]] += 1
                    shared[out_id[q]] += 1
                    shared[out_id[r]] += 1
        for p in range(start[i], start[i + 1]):
            mark[out[p]] = -1
    return shared
