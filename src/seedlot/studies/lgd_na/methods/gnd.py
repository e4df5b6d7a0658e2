"""Generalised network dismantling with unit costs: cut the largest component by the sign of an approximate
Fiedler vector, remove a smallest vertex cover of the cut links, repeat until the stop.

With unit costs the node-weighted Laplacian is the plain one. The vector comes from power steps on
(2 max degree) I - L, kept orthogonal to the ones. The cut links form a bipartite graph, so the smallest
cover is exact (Koenig: from a maximum matching), where the original takes an approximate one.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components, maximum_bipartite_matching

from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import ranked
from seedlot.studies.lgd_na.subgraph import induced


def fiedler(graph: Graph) -> np.ndarray:
    """Approximate second eigenvector of the Laplacian of a connected graph, float64 [n], mean 0."""
    if (
        graph.n == 2
    ):  # a single link: its one other eigenvalue equals the shift, power steps would end in 0 / 0
        return np.array([-0.5, 0.5])
    degree, matrix = graph.degree.astype(np.float64), graph.matrix()
    shift = 2.0 * degree.max()
    x = np.random.default_rng(graph.n).standard_normal(graph.n)
    for _ in range(_steps(graph.n)):
        x -= x.mean()
        x = shift * x - degree * x + matrix @ x
        x /= np.linalg.norm(x)
    return x - x.mean()


def _steps(n: int) -> int:
    return int(30 * max(np.log2(max(n, 2)), 1.0) ** 1.5)


def cover_of_cut(graph: Graph, side: np.ndarray) -> np.ndarray:
    """A smallest set of nodes that touches every link between side and not side; ascending int64."""
    src, dst = graph.links()
    cut = side[src] != side[dst]
    a = np.where(side[src[cut]], src[cut], dst[cut])
    b = np.where(side[src[cut]], dst[cut], src[cut])
    left, i = np.unique(a, return_inverse=True)
    right, j = np.unique(b, return_inverse=True)
    links = csr_matrix((np.ones(len(i)), (i, j)), shape=(len(left), len(right)))
    mate = maximum_bipartite_matching(links, perm_type="column")
    # Alternating paths from unmatched left nodes: any link to the right, matching links back to the left.
    n_left, hub = len(left), len(left) + len(right)
    matched = np.flatnonzero(mate >= 0)
    rows = np.concatenate([i, n_left + mate[matched], np.full(n_left - len(matched), hub)])
    cols = np.concatenate([n_left + j, matched, np.flatnonzero(mate < 0)])
    walk = csr_matrix((np.ones(len(rows)), (rows, cols)), shape=(hub + 1, hub + 1))
    reached = np.zeros(hub + 1, np.bool_)
    reached[breadth_first_order(walk, hub, return_predecessors=False)] = True
    return np.sort(np.concatenate([left[~reached[:n_left]], right[reached[n_left:hub]]]))


def _order(graph: Graph, mode: str, context) -> np.ndarray:
    ids, order = np.arange(graph.n, dtype=np.int32), []
    while True:
        rest = induced(graph, ids)
        _, label = connected_components(rest.matrix(), directed=False)
        size = np.bincount(label)
        largest = int(size.argmax())
        if size[largest] <= context.stop or rest.m == 0:
            break
        part = np.flatnonzero(label == largest)
        piece = induced(rest, part)
        cover = cover_of_cut(piece, fiedler(piece) >= 0)
        taken = part[cover[ranked(piece.degree[cover].astype(np.float64))]]
        order.append(ids[taken])
        ids = np.delete(ids, taken)
    return np.concatenate([*order, ids[ranked(rest.degree.astype(np.float64))]]).astype(np.int32)


def _seconds(size: Size, mode: str) -> float:
    return _steps(size.n) * (8e-10 * size.n + 5e-9 * size.m + 9e-5)


METHOD = Method("gnd", "GND", _order, _seconds, modes=("dynamic",), tie_rules=("close",), whole=False)
