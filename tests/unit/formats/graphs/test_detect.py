"""What a file is taken for when nobody says: never a link list because nothing else fits."""

import json

import networkx as nx
import numpy as np
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs.detect import detect
from seedlot.formats.graphs.registry import read_graph

KARATE = nx.karate_club_graph()


def file(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def written(tmp_path, name, write):
    write(KARATE, tmp_path / name)
    return tmp_path / name


@pytest.mark.parametrize(
    ("name", "write", "fmt"),
    [
        ("k.gexf", nx.write_gexf, "gexf"),
        ("k.xml", nx.write_gexf, "gexf"),
        ("k.txt", nx.write_adjlist, "adjlist"),
        ("k.txt", nx.write_edgelist, "edgelist"),
        ("k.txt", nx.write_weighted_edgelist, "edgelist"),
        ("k.txt", nx.write_graphml, "graphml"),
        ("k.txt", nx.write_gml, "gml"),
        ("k.txt", nx.write_pajek, "pajek"),
    ],
)
def test_files_that_networkx_writes_are_known_by_their_content(tmp_path, name, write, fmt):
    path = written(tmp_path, name, write)
    assert detect(path) == fmt
    graph = read_graph(path, fmt, {})
    assert (graph.n, graph.kept) == (34, 78)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("page.txt", "<!DOCTYPE html>\n<html><body>404 not found</body></html>\n", "an HTML page"),
        ("model.xml", '<?xml version="1.0"?>\n<sbml level="3"><model/></sbml>\n', "XML of another kind"),
        ("k.dot", "strict graph {\n0;\n0 -- 1;\n}\n", "GraphViz DOT"),
        ("k.gv", 'digraph "x" {\n a -> b;\n}\n', "GraphViz DOT"),
        ("k.g6", nx.to_graph6_bytes(KARATE), "graph6"),
        ("k.s6", nx.to_sparse6_bytes(KARATE), "graph6 or sparse6"),
        ("bare.g6", nx.to_graph6_bytes(KARATE, header=False), "graph6"),
        ("x.pdf", b"%PDF-1.7\n1 0 obj\n", "a PDF"),
        ("k.txt", "\n".join(nx.generate_multiline_adjlist(KARATE)) + "\n", "multi-line adjacency list"),
        ("k.bare", "\n".join(nx.generate_adjlist(KARATE)) + "\n", "lines hold 1 to 17 words"),
        ("junk.bin", np.random.default_rng(0).bytes(4000), "no text format has"),
        ("zeros.txt", b"1 2\n2 3\n" + bytes(40), "byte 8 is 0x00"),
    ],
)
def test_what_no_reader_reads_is_refused_and_not_taken_for_a_link_list(tmp_path, name, data, words):
    with pytest.raises(SeedlotError, match=words) as error:
        detect(file(tmp_path, name, data))
    assert error.value.todo and error.value.where


def test_json_of_another_kind_is_refused_when_it_is_read(tmp_path):
    path = file(tmp_path, "k.json", json.dumps({"a": 1}))
    with pytest.raises(SeedlotError, match="no list of links"):
        read_graph(path, detect(path), {})


@pytest.mark.parametrize("lines", [10, 400_000])
def test_ids_with_zeros_in_front_are_names(tmp_path, lines):
    """Both ways through a text: below and above the size from which on it is compiled."""
    text = "007 008\n008 7\n7 8\n" + "".join(f"{k} {k + 1}\n" for k in range(100, 100 + lines))
    graph = read_graph(file(tmp_path, "x.txt", text), "edgelist", {})
    assert graph.labels[:4] == ["007", "008", "7", "8"] and graph.n == 4 + lines + 1
    plain = read_graph(file(tmp_path, "y.txt", "0 10\n10 20\n" + text[18:]), "edgelist", {})
    assert plain.label(0) == "0"


CONTACTS = "".join(f"{100 + 20 * (k // 3)}\t{1000 + k % 7}\t{1000 + (k * k + 1) % 7}\n" for k in range(40))


@pytest.mark.parametrize(
    ("text", "fmt"),
    [
        (CONTACTS, "contacts"),
        ("a\tisa\tb\nb\tisa\tc\nc\tpart_of\td\nd\tpart_of\ta\n", "triples"),
        ("a b x\nb c x\nc a y\n", "edgelist"),
        ("1 2 10\n2 3 11\n3 1 12\n", "edgelist"),
        ("".join(f"{k} {1000 + k % 9} {k % 5 + 1}\n" for k in range(60)), "edgelist"),
        ("".join(f"u{k} v{k % 9} u{k + 1}\n" for k in range(3)), "triples"),
    ],
    ids=["contacts", "triples", "labelled", "weighted", "ratings", "small_triples"],
)
def test_the_columns_that_share_names_hold_the_nodes(tmp_path, text, fmt):
    assert detect(file(tmp_path, "x.txt", text)) == fmt
