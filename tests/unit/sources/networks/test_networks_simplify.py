"""From raw to simple graphs: each step, its counts, and numbers known from mathematics."""

import dataclasses
import hashlib
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.formats.graphs.model import RawGraph
from seedlot.sources.networks.simplify import SimpleGraph, certify, simplify
from seedlot.sources.networks.triangles import mean_clustering, triangles


def raw(n: int, links, labels=None, id_base: int = 0) -> RawGraph:
    pairs = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    graph = RawGraph("", n, labels, id_base, pairs[:, 0], pairs[:, 1], True, read=len(pairs), kept=len(pairs))
    return graph.check()


def simple(graph: nx.Graph) -> SimpleGraph:
    graph = nx.convert_node_labels_to_integers(graph)
    return simplify(raw(len(graph), graph.edges))


def pairs(graph: SimpleGraph) -> list[tuple[int, int]]:
    return list(zip(graph.src.tolist(), graph.dst.tolist()))


def test_loops_repeats_and_reciprocal_arcs_are_dropped_and_counted():
    graph = simplify(raw(3, [(0, 1), (1, 0), (0, 1), (2, 2), (2, 1)]))
    assert pairs(graph) == [(0, 1), (1, 2)]
    assert (graph.links_raw, graph.loops_dropped, graph.dups_dropped, graph.links_simple) == (5, 1, 2, 2)


def test_isolated_declared_nodes_count_as_nodes_and_as_components():
    graph = simplify(raw(6, [(1, 4), (4, 5)]))
    assert (graph.n_raw, graph.n_components_raw, graph.n) == (6, 4, 3)
    assert graph.raw_index.tolist() == [1, 4, 5]


def test_a_node_with_only_a_loop_is_a_component_of_its_own():
    assert simplify(raw(3, [(0, 0), (1, 2)])).n_components_raw == 2


@pytest.mark.parametrize("flip", [False, True])
def test_of_two_largest_components_the_one_with_the_smallest_index_stays_whatever_the_link_order(flip):
    links = [(1, 3), (3, 5), (0, 2), (2, 4)]
    graph = simplify(raw(7, links[::-1] if flip else links))
    assert graph.raw_index.tolist() == [0, 2, 4]


def test_size_counts_nodes_not_links_when_the_largest_component_is_chosen():
    triangle_with_more_links, path_with_more_nodes = [(0, 1), (1, 2), (0, 2)], [(3, 4), (4, 5), (5, 6)]
    assert simplify(raw(7, triangle_with_more_links + path_with_more_nodes)).raw_index.tolist() == [
        3,
        4,
        5,
        6,
    ]


def test_labels_follow_their_nodes_and_bare_numbers_start_at_their_base():
    named = simplify(raw(4, [(3, 1), (1, 2)], labels=["a", "b", "c", "d"]))
    assert named.node_labels() == ["b", "c", "d"]
    assert simplify(raw(4, [(3, 1), (1, 2)], id_base=1)).node_labels() == ["2", "3", "4"]


def test_an_empty_network_and_one_without_links_do_not_break():
    assert simplify(raw(0, [])).n == 0
    lonely = simplify(raw(3, []))
    assert (lonely.n, lonely.m, lonely.n_components_raw, lonely.raw_index.tolist()) == (1, 0, 3, [0])


def test_edge_digest_is_the_documented_text():
    graph = simplify(raw(3, [(2, 1), (0, 1)]))
    assert graph.sha256_edges() == hashlib.sha256(b"3\n0 1\n1 2\n").hexdigest()


def test_edge_digest_does_not_depend_on_where_its_blocks_end():
    n = 100_003
    graph = simplify(raw(n, np.column_stack((np.arange(n - 1), np.arange(1, n)))))
    text = f"{n}\n" + "".join(f"{i} {i + 1}\n" for i in range(n - 1))
    assert graph.sha256_edges() == hashlib.sha256(text.encode()).hexdigest()


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 14), st.data())
def test_equals_networkx_step_by_step(n, data):
    node = st.integers(0, n - 1)
    links = data.draw(st.lists(st.tuples(node, node), max_size=40))
    graph = simplify(raw(n, links))
    peer = nx.Graph(links)
    peer.add_nodes_from(range(n))
    peer.remove_edges_from(list(nx.selfloop_edges(peer)))
    components = sorted(nx.connected_components(peer), key=lambda c: (-len(c), min(c)))
    assert graph.n_components_raw == len(components)
    assert graph.links_simple == peer.number_of_edges()
    assert graph.loops_dropped + graph.dups_dropped + graph.links_simple == len(links)
    kept = sorted(components[0])
    assert graph.raw_index.tolist() == kept
    inside = nx.relabel_nodes(peer.subgraph(kept), {old: new for new, old in enumerate(kept)})
    assert pairs(graph) == sorted(tuple(sorted(edge)) for edge in inside.edges)
    assert graph.degrees().sum() == 2 * graph.m
    assert graph.src.dtype == graph.dst.dtype == np.int32


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.randoms(use_true_random=False), st.floats(0, 1))
def test_triangles_through_each_node_equal_networkx(n, random, density):
    graph = simple(nx.gnp_random_graph(n, density, seed=random.randrange(2**31)))
    peer = nx.Graph(pairs(graph))
    peer.add_nodes_from(range(graph.n))
    assert triangles(graph).tolist() == [nx.triangles(peer, v) for v in range(graph.n)]


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.complete_graph(9), 1.0),
        (nx.star_graph(6), 0.0),
        (nx.petersen_graph(), 0.0),
        (nx.octahedral_graph(), 2 / 3),  # neighbours of a node form a 4-cycle: 4 of 6 pairs are linked
        (nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (1, 3)]), 5 / 6),  # K4 without a link
        (nx.circulant_graph(40, [1, 2, 3]), 3 / 5),  # ring of k nearest: 3(k-2) / 4(k-1), k = 6
    ],
    ids=["complete", "star", "petersen", "octahedron", "K4 minus a link", "ring of 6 nearest"],
)
def test_mean_clustering_of_graphs_whose_value_is_known(graph, expected):
    assert math.isclose(mean_clustering(simple(graph)), expected, rel_tol=1e-15)


def test_mean_clustering_of_the_karate_club_is_the_published_value():
    assert round(mean_clustering(simple(nx.karate_club_graph())), 4) == 0.5706


def test_mean_clustering_does_not_depend_on_how_nodes_are_numbered():
    peer = nx.powerlaw_cluster_graph(300, 3, 0.5, seed=4)
    order = np.random.default_rng(0).permutation(300).tolist()
    shuffled = nx.relabel_nodes(peer, dict(enumerate(order)))
    assert mean_clustering(simple(peer)) == mean_clustering(simplify(raw(300, shuffled.edges)))


def changed(graph: SimpleGraph, **parts) -> SimpleGraph:
    return dataclasses.replace(
        graph, **{k: np.array(v, np.int32) if isinstance(v, list) else v for k, v in parts.items()}
    )


@pytest.mark.parametrize(
    ("parts", "promise"),
    [
        ({"src": [1, 1, 2], "dst": [0, 2, 3]}, "lower to the higher"),
        ({"src": [0, 2, 1], "dst": [1, 3, 2]}, "ascend and are distinct"),
        ({"src": [0, 1, 1], "dst": [1, 2, 2]}, "every node number"),
        ({"src": [0, 2], "dst": [1, 3]}, "one component"),
        ({"raw_index": [0, 1, 3, 2]}, "raw indices"),
        ({"loops_dropped": 1}, "add up"),
    ],
)
def test_a_graph_that_breaks_a_promise_of_its_tables_is_not_certified(parts, promise):
    path = simple(nx.path_graph(4))
    certify(path)
    with pytest.raises(RuntimeError, match=promise):
        certify(changed(path, **parts))
