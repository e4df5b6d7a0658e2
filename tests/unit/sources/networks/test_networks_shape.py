"""Duplicates under other numbers are found; graphs that only look alike are not taken for equal."""

import hashlib

import networkx as nx
import numpy as np
import pytest

from seedlot.sources.networks.shape import adjacency, fingerprint, isomorphic

ROOK = nx.cartesian_product(nx.complete_graph(4), nx.complete_graph(4))


def shrikhande() -> nx.Graph:
    """Cayley graph of Z4 x Z4 with steps +-(1,0), +-(0,1), +-(1,1): srg(16, 6, 2, 2) like the 4 x 4 rook's graph."""
    steps = [(1, 0), (0, 1), (1, 1)]
    return nx.Graph(
        ((i, j), ((i + a) % 4, (j + b) % 4)) for i in range(4) for j in range(4) for a, b in steps
    )


def arrays(graph: nx.Graph, seed: int | None = None) -> tuple[int, np.ndarray, np.ndarray]:
    graph = nx.convert_node_labels_to_integers(graph)
    order = np.arange(len(graph)) if seed is None else np.random.default_rng(seed).permutation(len(graph))
    links = np.sort(order[np.array(graph.edges)], axis=1)
    links = links[np.lexsort((links[:, 1], links[:, 0]))]
    return len(graph), links[:, 0].astype(np.int32), links[:, 1].astype(np.int32)


SAME = {
    "karate": nx.karate_club_graph(),
    "petersen": nx.petersen_graph(),
    "star": nx.star_graph(40),
    "path": nx.path_graph(60),
    "complete": nx.complete_graph(12),
    "grid": nx.grid_2d_graph(6, 6),
    "two brooms": nx.Graph([(0, 1), *((0, i) for i in range(2, 30)), *((1, i) for i in range(30, 58))]),
    "binary tree": nx.balanced_tree(2, 6),
    "rook": ROOK,
    "hypercube": nx.hypercube_graph(5),
    "scale free": nx.barabasi_albert_graph(500, 1, seed=3),
}


@pytest.mark.parametrize("name", SAME)
def test_a_renumbered_copy_has_the_same_fingerprint_and_is_proven_equal(name):
    one, two = arrays(SAME[name]), arrays(SAME[name], seed=5)
    assert fingerprint(*one) == fingerprint(*two)
    assert isomorphic(adjacency(*one), adjacency(*two)) is True


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (nx.complete_bipartite_graph(3, 3), nx.circular_ladder_graph(3)),
        (ROOK, shrikhande()),
        (nx.dodecahedral_graph(), nx.desargues_graph()),
    ],
    ids=["K33 and the prism", "rook and Shrikhande", "two cubic graphs on 20 nodes"],
)
def test_regular_graphs_share_a_fingerprint_and_are_still_told_apart(one, two):
    assert fingerprint(*arrays(one)) == fingerprint(*arrays(two))
    assert isomorphic(adjacency(*arrays(one)), adjacency(*arrays(two, seed=1))) is False


def test_moving_one_link_changes_the_fingerprint():
    graph = nx.karate_club_graph()
    moved = graph.copy()
    moved.remove_edge(0, 1)
    moved.add_edge(0, 9)
    assert fingerprint(*arrays(graph)) != fingerprint(*arrays(moved))


def test_a_large_tree_with_thousands_of_twin_leaves_is_proven_equal():
    graph = nx.barabasi_albert_graph(20_000, 1, seed=8)
    one, two = arrays(graph), arrays(graph, seed=2)
    assert fingerprint(*one) == fingerprint(*two)
    assert isomorphic(adjacency(*one), adjacency(*two)) is True


def plain_fingerprint(graph: nx.Graph) -> str:
    """The definition in plain integers, one node at a time."""
    top = 2**64

    def mix(value: int) -> int:
        value = (value + 0x9E3779B97F4A7C15) % top
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % top
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB % top
        return value ^ (value >> 31)

    colour = dict.fromkeys(graph, 1)
    for _ in range(3):
        around = {v: sum(mix(colour[w]) for w in graph[v]) % top for v in graph}
        colour = {v: mix((3 * colour[v] + mix(around[v])) % top) for v in graph}
    digest = hashlib.sha256(f"{len(graph)} {graph.number_of_edges()}\n".encode())
    for value in sorted(colour.values()):
        digest.update(value.to_bytes(8, "little"))
    return digest.hexdigest()[:16]


@pytest.mark.parametrize("name", SAME)
def test_the_fingerprint_is_its_definition_whatever_the_integer_width(name):
    n, src, dst = arrays(SAME[name])
    assert fingerprint(n, src, dst) == plain_fingerprint(SAME[name])
    assert fingerprint(n, src.astype(np.int64), dst.astype(np.int64)) == plain_fingerprint(SAME[name])
