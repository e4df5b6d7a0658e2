"""GEXF, adjacency lists and the JSON shapes against what networkx writes, and what each refuses."""

import json

import networkx as nx
import pytest
from tests.unit.formats.graphs import graph_samples as samples

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs.registry import read_graph


def pairs(graph):
    return {frozenset((graph.label(int(a)), graph.label(int(b)))) for a, b in zip(graph.src, graph.dst)}


def pairs_of(network):
    return {frozenset((str(a), str(b))) for a, b in network.edges}


def save(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


NETWORKS = [
    nx.karate_club_graph(),
    nx.les_miserables_graph(),
    nx.star_graph(4),
    nx.florentine_families_graph(),
]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_what_networkx_writes_as_gexf_comes_back(tmp_path, network):
    path = tmp_path / "x.gexf"
    nx.write_gexf(network, path)
    graph = read_graph(path, "gexf", {})
    assert pairs(graph) == pairs_of(network) and graph.n == len(network) and graph.directed is False
    stated = [data.get("weight", 1) for *_, data in network.edges(data=True)]
    assert (graph.weight is None) == (set(stated) == {1})
    assert graph.weight is None or sorted(graph.weight) == sorted(stated)


def test_gexf_directions_labels_and_every_reject(tmp_path):
    graph = read_graph(save(tmp_path, "x.gexf", samples.GEXF), "gexf", {})
    assert graph.labels == ["0", "1", "2"]
    assert graph.directed.tolist() == [False, True, False] and graph.weight.tolist() == [2.5, 1.0, 1.0]
    assert [(r.record, r.reason, r.line) for r in graph.rejects] == [
        (3, "undeclared_node", 10),
        (4, "bad_id", 11),
        (5, "bad_weight", 12),
    ]
    with pytest.raises(SeedlotError, match="root element is 'graphml'"):
        read_graph(save(tmp_path, "y.gexf", "<graphml/>"), "gexf", {})
    with pytest.raises(SeedlotError, match="document type"):
        read_graph(save(tmp_path, "z.gexf", '<!DOCTYPE x [<!ENTITY a "b">]><gexf/>'), "gexf", {})
    with pytest.raises(SeedlotError, match="0 <graph> elements"):
        read_graph(save(tmp_path, "w.gexf", "<gexf/>"), "gexf", {})


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_what_networkx_writes_as_an_adjacency_list_comes_back(tmp_path, network):
    named = nx.relabel_nodes(network, {node: str(node).replace(" ", "_") for node in network})
    path = tmp_path / "x.adjlist"
    nx.write_adjlist(named, path)
    graph = read_graph(path, "adjlist", {})
    assert pairs(graph) == pairs_of(named) and graph.n == len(named) and graph.kept == named.number_of_edges()


def test_an_adjacency_list_declares_nodes_without_links_and_takes_its_direction_as_told(tmp_path):
    graph = read_graph(save(tmp_path, "x", "a b c\nd\n"), "adjlist", {"directed": True})
    assert graph.labels == ["a", "b", "c", "d"] and graph.kept == 2 and graph.directed is True
    with pytest.raises(SeedlotError, match="holds no node"):
        read_graph(save(tmp_path, "y", "# only this\n"), "adjlist", {})


@pytest.mark.parametrize("network", NETWORKS, ids=str)
@pytest.mark.parametrize(
    "document",
    [nx.node_link_data, nx.adjacency_data, nx.cytoscape_data, lambda g: {"elements": flat(g)}],
    ids=["node_link", "adjacency", "cytoscape", "cytoscape_flat"],
)
def test_every_json_shape_of_one_network_gives_the_same_links(tmp_path, network, document):
    data = json.dumps(document(network), default=str)
    graph = read_graph(save(tmp_path, "x.json", data), "nodelink", {})
    assert pairs(graph) == pairs_of(network) and graph.n == len(network)


def flat(network):
    inside = nx.cytoscape_data(network)["elements"]
    return [*inside["nodes"], *inside["edges"]]


def test_a_json_document_without_links_names_the_keys_it_looked_for(tmp_path):
    with pytest.raises(SeedlotError, match="expected 'links', 'edges' or 'adjacency'"):
        read_graph(save(tmp_path, "x.json", '{"nodes": []}'), "nodelink", {})
