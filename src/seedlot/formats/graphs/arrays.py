"""Integer ids to node indices, and matrices to links: the steps that many graph readers share."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import limits
from seedlot.formats.graphs.model import RawGraph, Reject

TABLE_SLACK = 1 << 20
"""A lookup table over the id range is used up to this many entries more than 4 per id at hand."""


def compact(*columns: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Distinct ids in ascending order, and each column as positions among them.

    columns: (m,) int64 each. Memory follows the number of ids, never the largest one: a table over the id
    range is only used when the range is comparable to the number of ids, otherwise the ids are sorted.
    """
    total = sum(len(c) for c in columns)
    if total == 0:
        return np.zeros(0, np.int64), [np.zeros(0, np.int64) for _ in columns]
    low = min(int(c.min()) for c in columns if len(c))
    span = max(int(c.max()) for c in columns if len(c)) - low + 1
    if span <= 4 * total + TABLE_SLACK:
        seen = np.zeros(span, bool)
        for column in columns:
            seen[column - low] = True
        ids = np.flatnonzero(seen) + low
        if len(ids) == span:
            return ids, [column - low for column in columns]
        place = np.cumsum(seen) - 1
        return ids, [place[column - low] for column in columns]
    ids, inverse = np.unique(np.concatenate(columns), return_inverse=True)
    return ids, np.split(inverse.astype(np.int64), np.cumsum([len(c) for c in columns])[:-1])


def by_ids(src: np.ndarray, dst: np.ndarray, **rest) -> RawGraph:
    """A RawGraph from bare integer ids: nodes are the mentioned ids in ascending order."""
    ids, (src, dst) = compact(src, dst)
    return numbered(ids, src, dst, **rest)


def numbered(ids: np.ndarray, src: np.ndarray, dst: np.ndarray, **rest) -> RawGraph:
    """A RawGraph from links that are positions among ascending distinct ids."""
    n = len(ids)
    if n > limits.MAX_NODES:
        raise SeedlotError(f"{n:,} different node ids; the largest network read is {limits.MAX_NODES:,}")
    dense = n == 0 or int(ids[-1]) - int(ids[0]) + 1 == n
    labels = None if dense else pa.array(ids).cast(pa.string()).to_pylist()
    return RawGraph(
        n=n, labels=labels, id_base=int(ids[0]) if n else 0, src=src, dst=dst, kept=len(src), **rest
    )


def from_matrix(
    matrix: np.ndarray,
    *,
    name: str = "",
    labels: list[str] | None = None,
    directed: bool | None = None,
    both_triangles: bool = False,
) -> RawGraph:
    """A RawGraph from a dense square matrix; entry (i, j) != 0 is a link i -> j.

    matrix: (n, n) numbers or booleans. directed: None decides by symmetry. A symmetric matrix gives one
    record for each entry on and above the diagonal; any other matrix one for each entry. both_triangles
    reads every entry of an undirected matrix, for matrices whose two triangles differ by mistake. Entries
    that are NaN or infinite become rejects. labels None means 0..n-1. Records are non-zero entries read.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise SeedlotError(f"expected a square matrix, found shape {matrix.shape}")
    if matrix.dtype.kind not in "biuf":
        raise SeedlotError(f"expected a matrix of real numbers, found {matrix.dtype}")
    symmetric = bool(np.array_equal(matrix, matrix.T, equal_nan=matrix.dtype.kind == "f"))
    directed = not symmetric if directed is None else directed
    entries = matrix if directed or (both_triangles and not symmetric) else np.triu(matrix)
    src, dst = np.nonzero(entries)
    weight = entries[src, dst].astype(np.float64)
    good = np.isfinite(weight)
    limits.check_rejects(int((~good).sum()), name or "matrix")
    rejects = [
        Reject(int(src[k]) + 1, int(k), "not_finite", f"row {src[k] + 1} column {dst[k] + 1} {weight[k]}")
        for k in np.flatnonzero(~good)
    ]
    return RawGraph(
        name=name,
        n=len(matrix),
        labels=labels,
        id_base=0,
        src=src[good].astype(np.int64),
        dst=dst[good].astype(np.int64),
        directed=directed,
        weight=weight[good],
        read=len(src),
        kept=int(good.sum()),
        rejects=rejects,
    )


def count_matrix(matrix: np.ndarray, directed: bool | None = None, both_triangles: bool = False) -> int:
    """Records of `from_matrix`, counted from totals: all entries, or half of those off the diagonal."""
    entries = int(np.count_nonzero(matrix))
    symmetric = not np.any((matrix != matrix.T) & ~((matrix != matrix) & (matrix.T != matrix.T)))
    if directed is None and not symmetric or directed or (both_triangles and not symmetric):
        return entries
    if symmetric:
        loops = int(np.count_nonzero(np.diagonal(matrix)))
        return loops + (entries - loops) // 2
    rows = np.arange(len(matrix))
    return sum(int(np.count_nonzero(matrix[i, i:])) for i in rows)
