"""From a network as its file states it to the simple graph that studies work on.

The steps, in order, each counted: drop directions, weights, signs and times; drop self-loops; merge repeated
links; keep the largest connected component; number its nodes 0..n-1 in ascending order of raw index.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from seedlot.formats.graphs.model import RawGraph


@dataclass(frozen=True)
class SimpleGraph:
    """A connected undirected graph without loops or repeated links, and what was dropped on the way.

    n: nodes. src, dst: (m,) int32, src < dst, sorted by (src, dst). raw_index: (n,) int64, ascending, the index
    of each node in the raw network. labels: n original labels, or None when they are decimal numbers
    id_base + raw_index. n_raw, links_raw: nodes and links of the raw network, isolated nodes included.
    loops_dropped + dups_dropped + links_simple == links_raw; links_simple counts the links of all components.
    n_components_raw: components of the simple graph before the largest was taken, isolated nodes included.
    """

    n: int
    src: np.ndarray
    dst: np.ndarray
    raw_index: np.ndarray
    labels: list[str] | None
    id_base: int
    n_raw: int
    links_raw: int
    loops_dropped: int
    dups_dropped: int
    links_simple: int
    n_components_raw: int

    @property
    def m(self) -> int:
        """Number of links."""
        return len(self.src)

    def node_labels(self) -> list[str]:
        """The n original labels as text."""
        if self.labels is None:
            return [str(i) for i in (self.raw_index + self.id_base).tolist()]
        return self.labels

    def degrees(self) -> np.ndarray:
        """(n,) int64 degrees; their sum is 2m."""
        return np.bincount(self.src, minlength=self.n) + np.bincount(self.dst, minlength=self.n)

    def sha256_edges(self) -> str:
        """SHA-256 of the decimal text 'n\\n' + 'src dst\\n' per link, links in stored order, as hex.

        Equal for two networks exactly when their numbered simple graphs are equal.
        """
        digest = hashlib.sha256(f"{self.n}\n".encode())
        for start in range(0, self.m, 100_000):
            part = np.column_stack((self.src[start : start + 100_000], self.dst[start : start + 100_000]))
            digest.update(("%d %d\n" * len(part) % tuple(part.ravel().tolist())).encode())
        return digest.hexdigest()


def simplify(raw: RawGraph) -> SimpleGraph:
    """The largest connected component of the undirected simple graph of a raw network.

    Of two largest components with equally many nodes, the one that holds the smallest raw index is kept, so the
    result does not depend on the order of links in the file. A network without nodes gives n = 0.
    """
    keys = _simple_keys(raw.src, raw.dst, raw.n)
    links = len(raw.src)
    loops = int(np.count_nonzero(raw.src == raw.dst))
    src, dst = np.divmod(keys, max(raw.n, 1))
    n_components, kept = _largest_component(src, dst, raw.n)
    if len(kept) == raw.n:
        inner_src, inner_dst = src.astype(np.int32), dst.astype(np.int32)
    else:
        new_id = np.full(raw.n, -1, dtype=np.int32)
        new_id[kept] = np.arange(len(kept), dtype=np.int32)
        inner_src = new_id[src]
        inside = inner_src >= 0
        inner_src, inner_dst = inner_src[inside], new_id[dst[inside]]
    return SimpleGraph(
        n=len(kept),
        src=inner_src,
        dst=inner_dst,
        raw_index=kept,
        labels=_chosen(raw.labels, kept),
        id_base=raw.id_base,
        n_raw=raw.n,
        links_raw=links,
        loops_dropped=loops,
        dups_dropped=links - loops - len(keys),
        links_simple=len(keys),
        n_components_raw=n_components,
    )


def _simple_keys(src: np.ndarray, dst: np.ndarray, n: int) -> np.ndarray:
    """Sorted distinct low * n + high over all links that are no loops, int64.

    One sort of one integer per link: numpy sorts these several times faster than pairs.
    """
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    keys = low * n + high
    keys = keys[low != high]
    if len(keys) < 2:
        return keys
    if not np.all(keys[1:] >= keys[:-1]):
        keys.sort()
    first = np.empty(len(keys), dtype=bool)
    first[0] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first]


def _largest_component(src: np.ndarray, dst: np.ndarray, n: int) -> tuple[int, np.ndarray]:
    """Number of components, and the ascending raw indices of the largest one (ties: smallest index)."""
    if n == 0:
        return 0, np.empty(0, dtype=np.int64)
    graph = upper_csr(src, dst, n)
    count, component = connected_components(graph, directed=False)
    sizes = np.bincount(component, minlength=count)
    largest = np.flatnonzero(sizes == sizes.max())
    if len(largest) == 1:
        return count, np.flatnonzero(component == largest[0])
    first_node = np.flatnonzero(np.isin(component, largest))[0]
    return count, np.flatnonzero(component == component[first_node])


def upper_csr(src: np.ndarray, dst: np.ndarray, n: int) -> csr_array:
    """(n, n) sparse matrix with a one for each link (src, dst); links must be sorted by (src, dst)."""
    pointers = np.zeros(n + 1, dtype=np.int32 if len(src) < 2**31 else np.int64)
    np.cumsum(np.bincount(src, minlength=n), out=pointers[1:])
    return csr_array((np.ones(len(src)), dst.astype(pointers.dtype), pointers), shape=(n, n))


def _chosen(labels: list[str] | None, kept: np.ndarray) -> list[str] | None:
    if labels is None or len(kept) == len(labels):
        return labels
    return [labels[i] for i in kept.tolist()]


def certify(graph: SimpleGraph) -> None:
    """Refuse a graph that breaks what its tables promise but no single row can show.

    Links ascend strictly with src < dst, node numbers 0..n-1 are all in use, a breadth-first search from node 0
    reaches every node, raw indices ascend, and the dropped and kept counts add up. Raises RuntimeError: a broken
    promise is a fault of this package, never of the file.
    """
    src, dst = graph.src.astype(np.int64), graph.dst.astype(np.int64)
    degree = np.bincount(np.concatenate((src, dst)), minlength=graph.n)
    order = breadth_first_order(upper_csr(src, dst, graph.n), 0, directed=False, return_predecessors=False)
    promises = {
        "links run from the lower to the higher number": np.all(src < dst),
        "links ascend and are distinct": np.all(np.diff(src * graph.n + dst) > 0),
        "every node number has a link": len(degree) == graph.n and np.all(degree > 0),
        "there is one component": len(order) == graph.n,
        "raw indices ascend": len(graph.raw_index) == graph.n and np.all(np.diff(graph.raw_index) > 0),
        "dropped and kept links add up": graph.links_raw
        == graph.loops_dropped + graph.dups_dropped + graph.links_simple,
    }
    broken = [promise for promise, holds in promises.items() if not holds]
    if broken:
        raise RuntimeError("the simple graph is wrong, it should be that " + "; ".join(broken))
