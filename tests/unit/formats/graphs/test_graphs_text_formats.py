"""KONECT, Netzschleuder, METIS, MATPOWER, TNTP, JSON and Python literals, with answers counted by hand."""

import json

import graph_samples as samples
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs.registry import read_data, reader


def read(data, fmt, **args):
    return read_all(data, fmt, **args)[0]


def read_all(data, fmt, **args):
    data = data if isinstance(data, bytes) else data.encode()
    return read_data(data, reader(fmt), args | {"format": fmt}, where="test")


def links(graph):
    return [(graph.label(a), graph.label(b)) for a, b in zip(graph.src.tolist(), graph.dst.tolist())]


def rejects(graph):
    return [(r.line, r.reason) for r in graph.rejects]


def test_konect_bipartite_columns_are_two_sets_with_declared_isolated_nodes():
    graph = read("% bip weighted\n% 3 4 5\n1 1 2\n2 1 3\n3 2 1\n", "konect")
    assert (graph.n, graph.n_left, graph.bipartite, graph.directed) == (9, 4, True, False)
    assert graph.src.tolist() == [0, 1, 2] and graph.dst.tolist() == [4, 4, 5]
    assert graph.labels == ["1", "2", "3", "4", "1", "2", "3", "4", "5"]


def test_konect_headers_state_direction_and_size():
    directed = read("% asym positive\n% 2 5 5\n1 2 1.5 100\n3 1 2 200\n", "konect")
    assert (directed.directed, directed.n, directed.id_base) == (True, 5, 1)
    assert directed.time.tolist() == [100, 200]
    plain = read("% sym unweighted\n10 20\n20 30\n", "konect")
    assert (plain.directed, plain.n, plain.labels) == (False, 3, ["10", "20", "30"])
    with pytest.raises(SeedlotError, match="valid: asym, bip, sym|did you mean"):
        read("% wat unweighted\n1 2\n", "konect")


def zipped(edges=samples.EDGES, nodes=None, gprops=None):
    parts = {"edges.csv": edges, "nodes.csv": nodes, "gprops.csv": gprops}
    return samples.archive({name: data for name, data in parts.items() if data is not None})


def test_netzschleuder_joins_edges_nodes_and_properties():
    nodes = samples.NODES + b'4, "eve, the last", ""\n5, fay, ""\n'
    graph = read(zipped(nodes=nodes, gprops=b"# name, value\nis_directed, True\n"), "netzschleuder")
    assert graph.labels == ["ann", "bob", "cy", "di", "eve, the last", "fay"]
    assert links(graph) == [("ann", "bob"), ("bob", "cy"), ("cy", "eve, the last")]
    assert graph.directed is True and graph.weight.tolist() == [2.5, 1, 3]
    assert read(zipped(), "netzschleuder").n == 4


def test_netzschleuder_links_to_nodes_that_are_not_there_are_rejected():
    graph = read(zipped(nodes=samples.NODES), "netzschleuder")
    assert [r.reason for r in graph.rejects] == ["out_of_range"] and (graph.n, graph.kept) == (4, 2)
    with pytest.raises(SeedlotError, match="no edges.csv"):
        read(samples.archive({"nodes.csv": samples.NODES}), "netzschleuder")


def test_metis_lists_each_edge_twice_and_blank_lines_are_isolated_vertices():
    graph = read(samples.METIS, "metis")
    assert (graph.n, graph.kept, graph.read) == (5, 4, 4)
    assert links(graph) == [("1", "2"), ("1", "3"), ("2", "3"), ("3", "4")]


@pytest.mark.parametrize(
    "fmt, rows",
    [
        ("0", ["2", "1 3", "2"]),
        ("1", ["2 7", "1 7 3 9", "2 9"]),
        ("10", ["5 2", "6 1 3", "7 2"]),
        ("011", ["5 2 7", "6 1 7 3 9", "7 2 9"]),
        ("100", ["8 2", "8 1 3", "8 2"]),
        ("111", ["8 5 2 7", "8 6 1 7 3 9", "8 7 2 9"]),
        ("11 2", ["5 5 2 7", "6 6 1 7 3 9", "7 7 2 9"]),
    ],
)
def test_all_flags_of_metis_give_the_same_path(fmt, rows):
    graph = read(f"3 2 {fmt}\n" + "\n".join(rows) + "\n", "metis")
    assert links(graph) == [("1", "2"), ("2", "3")] and not graph.rejects
    assert (graph.weight.tolist() if "1" in fmt.split()[0][-1] else [7, 9]) == [7, 9]


def test_metis_entries_that_fit_nothing_are_named():
    graph = read("3 2\n2 9\n1 x\n2\n", "metis")
    assert rejects(graph) == [(2, "out_of_range"), (3, "bad_id"), (4, "one_sided")]
    assert links(graph) == [("1", "2")]
    with pytest.raises(SeedlotError, match="declares 4 vertices, 3 lines"):
        read("4 2\n2\n1 3\n2\n", "metis")


def test_matpower_buses_are_labels_and_parallel_branches_stay():
    graph = read(samples.CASE, "matpower")
    assert graph.labels == ["10", "20", "35", "40"] and graph.name == "case4"
    assert links(graph) == [("10", "20"), ("10", "20"), ("20", "35"), ("35", "40")]
    assert graph.relation.tolist() == ["in_service", "in_service", "out_of_service", "in_service"]
    assert graph.weight.tolist() == [0.1, 0.2, 0.3, 0.4]
    assert rejects(graph) == [(14, "unknown_bus")]


def test_matpower_branches_out_of_service_are_rejected_on_demand():
    graph = read(samples.CASE, "matpower", out_of_service="reject")
    assert rejects(graph) == [(11, "out_of_service"), (14, "unknown_bus")] and graph.kept == 3


def test_tntp_ids_up_to_the_declared_number_are_nodes_and_others_are_labels():
    graph = read(samples.TNTP, "tntp")
    assert (graph.n, graph.id_base, graph.directed, graph.kept) == (4, 1, True, 3)
    assert graph.weight.tolist() == [900, 800, 700]
    assert read(samples.TNTP, "tntp", weight="length").weight.tolist() == [5, 5, 2]
    far = read(samples.TNTP.replace(b"\t2\t3\t", b"\t2\t70\t"), "tntp")
    assert far.labels == ["1", "2", "70"]
    with pytest.raises(SeedlotError, match="metadata of the TNTP file does not end"):
        read("<NUMBER OF NODES> 4\n1 2\n", "tntp")


def test_node_link_documents_with_ids_positions_and_names():
    document = {"directed": True, "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}
    document["links"] = [
        {"source": "a", "target": "b", "weight": 2},
        {"source": "b", "target": "d"},
        5,
        {"source": "a"},
    ]
    graph = read(json.dumps(document), "nodelink")
    assert graph.labels == ["a", "b", "c", "d"] and graph.directed
    assert [r.reason for r in graph.rejects] == ["not_an_object", "bad_id"]
    plain = read(json.dumps({"nodes": [{"x": 1}, {"x": 2}], "edges": [{"from": 0, "to": 1}]}), "nodelink")
    assert links(plain) == [("0", "1")] and plain.n == 2
    with pytest.raises(SeedlotError, match="no list of links"):
        read('{"nodes": []}', "nodelink")


def test_python_functions_with_literals_are_read_and_computing_ones_left_out():
    graphs = {graph.name: graph for graph in read_all(samples.PYTHON, "pyliteral")}
    assert set(graphs) == {"ring", "block", "lists"}
    assert links(graphs["ring"]) == [("ann", "bob"), ("bob", "cy"), ("cy", "di"), ("di", "ann")]
    assert graphs["ring"].n == 5 and graphs["ring"].weight[3] == 3
    assert links(graphs["lists"]) == [("0", "1"), ("0", "2"), ("1", "0"), ("2", "0")]


def test_a_block_of_integers_is_read_in_both_triangles():
    block = read(samples.PYTHON, "pyliteral", function="block")
    assert links(block) == [("0", "1"), ("1", "0"), ("1", "2"), ("2", "0")] and block.directed is False


def test_python_is_never_executed(tmp_path):
    mark = tmp_path / "ran"
    source = f"open({str(mark)!r}, 'w')\ndef f():\n    open({str(mark)!r}, 'w')\n    G.add_edge(1, 2)\n"
    assert read(source, "pyliteral").kept == 1 and not mark.exists()


def test_python_that_computes_its_links_is_refused_by_name():
    for name, words in (("computed", "cycle_graph"), ("computed_too", "add_edge on variables")):
        with pytest.raises(SeedlotError, match=words):
            read(samples.PYTHON, "pyliteral", function=name)
    with pytest.raises(SeedlotError, match="did you mean 'ring'"):
        read(samples.PYTHON, "pyliteral", function="rings")


def test_a_link_with_one_end_that_is_no_constant_is_a_reject():
    graph = read("def f():\n    G.add_edge('a', 'b')\n    G.add_edge('a', x())\n", "pyliteral")
    assert rejects(graph) == [(3, "not_literal")] and graph.kept == 1


def test_module_level_literals_of_three_shapes():
    for literal in ("[(1, 2), (2, 3)]", "{1: [2], 2: [3]}"):
        assert links(read(f"E = {literal}\n", "pyliteral", variable="E")) == [("1", "2"), ("2", "3")]
    assert read("E = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]\n", "pyliteral", variable="E").kept == 2


@pytest.mark.parametrize(
    "function, nodes, ties",
    [
        ("karate_club_graph", 34, 78),
        ("davis_southern_women_graph", 32, 89),
        ("florentine_families_graph", 15, 20),
        ("les_miserables_graph", 77, 254),
    ],
)
def test_the_classic_networks_inside_networkx_have_their_known_sizes(function, nodes, ties):
    from importlib.util import find_spec
    from pathlib import Path

    source = Path(find_spec("networkx").origin).parent / "generators" / "social.py"
    graph = read(source.read_bytes(), "pyliteral", function=function)
    simple = {frozenset(pair) for pair in zip(graph.src.tolist(), graph.dst.tolist())}
    assert (graph.n, len(simple)) == (nodes, ties)
