"""A simple undirected graph as sorted adjacency arrays, the one form every method works on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seedlot.config.errors import SeedlotError


@dataclass(frozen=True, eq=False)
class Graph:
    """A simple undirected graph on nodes 0..n-1.

    indptr: int64 [n + 1]; indices: int32 [2 m], ascending inside each row, every link in both rows.
    """

    n: int
    indptr: np.ndarray
    indices: np.ndarray

    @property
    def m(self) -> int:
        """Number of undirected links."""
        return len(self.indices) // 2

    @property
    def degree(self) -> np.ndarray:
        """Degrees, int64 [n]."""
        return np.diff(self.indptr)

    def links(self) -> tuple[np.ndarray, np.ndarray]:
        """Each link once as (src, dst), int32 [m] each, src < dst, sorted by (src, dst)."""
        src = np.repeat(np.arange(self.n, dtype=np.int32), self.degree)
        keep = src < self.indices
        return src[keep], self.indices[keep]

    def matrix(self):
        """The adjacency as scipy.sparse CSR, float64 [n, n] of zeros and ones."""
        from scipy.sparse import csr_matrix

        data = np.ones(len(self.indices))
        return csr_matrix((data, self.indices, self.indptr), shape=(self.n, self.n))

    def neighbours(self, node: int) -> np.ndarray:
        """Ascending neighbours of a node, int32 [degree]."""
        return self.indices[self.indptr[node] : self.indptr[node + 1]]


def from_links(n: int, src, dst) -> Graph:
    """Build a Graph from links in any order and orientation.

    src, dst: integer arrays [m] of nodes 0..n-1. Loops, repeated links and nodes outside the range are
    refused with a SeedlotError (simplify first): a method must never see a graph other than the one
    that its table describes.
    """
    src, dst = np.asarray(src, dtype=np.int64), np.asarray(dst, dtype=np.int64)
    if src.shape != dst.shape or src.ndim != 1:
        raise SeedlotError(f"src and dst must be equally long vectors, got {src.shape} and {dst.shape}")
    if n < 0 or n > np.iinfo(np.int32).max:
        raise SeedlotError(f"a graph has 0 to {np.iinfo(np.int32).max} nodes, got {n}")
    if len(src) and (min(src.min(), dst.min()) < 0 or max(src.max(), dst.max()) >= n):
        raise SeedlotError(f"a link names a node outside 0..{n - 1}")
    if np.any(src == dst):
        raise SeedlotError(
            f"node {int(src[src == dst][0])} links to itself", todo="simplify the network first"
        )
    key = np.sort(np.concatenate([src * n + dst, dst * n + src]))
    twice = np.flatnonzero(key[1:] == key[:-1])
    if len(twice):
        i, j = divmod(int(key[twice[0]]), n)
        raise SeedlotError(f"link {i}-{j} occurs twice", todo="simplify the network first")
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(key // max(n, 1), minlength=n), out=indptr[1:])
    return Graph(n, indptr, (key % max(n, 1)).astype(np.int32))
