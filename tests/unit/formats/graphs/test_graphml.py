"""GraphML: structure, keys, refusals and damage, with answers counted by hand."""

from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import graphml
from seedlot.formats.graphs.registry import read_data

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
KEY = '<key id="d0" for="edge" attr.name="weight" attr.type="double"/>\n'
NODES = '<node id="a"/><node id="b"/><node id="c"/>\n'


def read(text, **args):
    """All networks of a text, read and compared with the independent counter."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_data(data, graphml, args | {"format": "graphml"}, where="test")


def document(body, keys="", default="undirected"):
    return f'{HEAD}{keys}<graph id="G" edgedefault="{default}">\n{body}</graph></graphml>'


def links(graph):
    return list(zip(graph.src.tolist(), graph.dst.tolist()))


def rejects(graph):
    return [(r.line, r.reason) for r in graph.rejects]


def test_nodes_edges_and_the_name_of_the_graph():
    (g,) = read(document(NODES + '<edge source="a" target="c"/><edge id="e" source="b" target="b"></edge>'))
    assert (g.name, g.labels, links(g), g.directed) == ("G", ["a", "b", "c"], [(0, 2), (1, 1)], False)
    assert g.weight is None and g.relation is None


@pytest.mark.parametrize("head", ["<graphml>", '<g:graphml xmlns:g="urn:x">'])
def test_other_namespaces_and_none(head):
    p = "g:" if "g:" in head else ""
    (g,) = read(
        f'{head}<{p}graph edgedefault="directed"><{p}node id="a"/><{p}edge source="a" target="a"/></{p}graph></{p}graphml>'
    )
    assert (links(g), g.directed) == ([(0, 0)], True)


def test_elements_of_a_foreign_namespace_are_no_nodes():
    body = '<node id="a"><data key="k"><y:node xmlns:y="urn:y" id="z"/></data></node><edge source="a" target="a"/>'
    (g,) = read(document(body))
    assert g.labels == ["a"]


def test_direction_of_single_edges_overrides_the_default():
    body = NODES + '<edge source="a" target="b" directed="true"/><edge source="b" target="c"/>'
    assert read(document(body))[0].directed.tolist() == [True, False]
    body = NODES + '<edge source="a" target="b" directed="false"/><edge source="b" target="c"/>'
    assert read(document(body, default="directed"))[0].directed.tolist() == [False, True]


def test_parallel_edges_are_kept():
    (g,) = read(document(NODES + '<edge source="a" target="b"/>' * 3))
    assert links(g) == [(0, 1)] * 3


def test_edges_before_their_nodes_keep_their_place():
    (g,) = read(document('<edge source="b" target="a"/>' + NODES + '<edge source="a" target="c"/>'))
    assert (links(g), g.labels) == ([(1, 0), (0, 2)], ["a", "b", "c"])


def test_weights_defaults_and_edges_without_data():
    key = '<key id="d0" for="edge" attr.name="Weight" attr.type="double"><default> 2.5 </default></key>'
    body = NODES + (
        '<edge source="a" target="b"/><edge source="a" target="b"><data key="d0">\n 7 </data></edge>'
        '<edge source="a" target="c"/>'
    )
    assert read(document(body, key))[0].weight.tolist() == [2.5, 7, 2.5]
    body = NODES + '<edge source="a" target="b"/>'
    assert read(document(body, key))[0].weight.tolist() == [2.5]


def test_several_keys_of_one_name_serve_nodes_and_edges_apart():
    keys = (
        '<key id="d0" for="node" attr.name="weight" attr.type="double"/>'
        '<key id="d1" for="edge" attr.name="weight" attr.type="double"/>'
        '<key id="d2" for="node" attr.name="weight" attr.type="string"/>'
    )
    body = (
        '<node id="a"><data key="d0">9</data><data key="d2">8</data></node>'
        '<edge source="a" target="a"><data key="d1">3</data></edge>'
    )
    (g,) = read(document(body, keys))
    assert g.weight.tolist() == [3]


def test_relations_times_and_labels_from_named_keys():
    keys = (
        '<key id="r" for="edge" attr.name="Relation number" attr.type="int"><default>1</default></key>'
        '<key id="t" for="edge" attr.name="year" attr.type="int"/>'
        '<key id="n" for="node" attr.name="Name" attr.type="string"/>'
    )
    body = (
        '<node id="a"><data key="n">Ann &amp; Co</data></node><node id="b"/>'
        '<edge source="a" target="b"><data key="t">1999</data></edge>'
        '<edge source="b" target="a"><data key="r">4</data></edge>'
    )
    (g,) = read(document(body, keys), time="year", label="name")
    assert g.relation.tolist() == ["1", "4"]
    assert np.array_equal(g.time, [1999, np.nan], equal_nan=True)
    assert g.labels == ["Ann & Co", "b"]


def test_a_weight_that_is_not_a_number_is_kept_and_a_word_or_infinity_refused():
    body = NODES + "\n".join(
        f'<edge source="a" target="b"><data key="d0">{w}</data></edge>'
        for w in ["NaN", "heavy", "inf", "2", "", " "]
    )
    (g,) = read(document(body, KEY))
    assert np.array_equal(g.weight, [np.nan, 2, 1, 1], equal_nan=True)
    assert rejects(g) == [(7, "bad_weight"), (8, "not_finite")]


def test_nested_graphs_belong_to_the_outer_network():
    body = (
        '<node id="a"><graph edgedefault="directed"><node id="x"/><edge source="x" target="a"/></graph></node>'
        '<edge source="a" target="x"><graph edgedefault="undirected"><node id="y"/></graph><data key="d0">5</data></edge>'
        '<edge source="y" target="x"/>'
    )
    (g,) = read(document(body, KEY))
    assert (g.labels, links(g)) == (["a", "x", "y"], [(1, 0), (0, 1), (2, 1)])
    assert (g.directed.tolist(), g.weight.tolist()) == ([True, False, False], [1, 5, 1])


def test_several_graphs_are_several_networks():
    text = (
        HEAD
        + '<graph id="1"><node id="a"/></graph><graph id="2"><node id="b"/><edge source="b" target="b"/></graph></graphml>'
    )
    one, two = read(text)
    assert (one.name, one.labels, two.labels, links(two)) == ("1", ["a"], ["b"], [(0, 0)])


def test_ports_hyperedges_and_broken_ends_are_refused_with_line_and_reason():
    body = (
        NODES
        + '<edge source="a" target="b" sourceport="p"/>\n<hyperedge><endpoint node="a"/><endpoint node="b"/></hyperedge>\n'
        + '<edge source="a"/>\n<edge source="a" target="zz"/>\n<edge source="a" target="b"/>\n'
    )
    (g,) = read(document(body))
    assert rejects(g) == [(5, "port"), (6, "hyperedge"), (7, "bad_id"), (8, "undeclared_node")]
    assert (links(g), g.read, [r.record for r in g.rejects]) == ([(0, 1)], 5, [0, 1, 2, 3])


def test_edges_outside_a_graph_are_refused():
    (g,) = read(
        f'{HEAD}<edge source="a" target="a"/><graph edgedefault="directed"><node id="a"/></graph></graphml>'
    )
    assert (rejects(g), g.read) == ([(3, "misplaced")], 1)


def test_tags_inside_comments_and_quoted_sections_are_no_links():
    body = (
        NODES
        + '<!-- <edge source="a" target="b"/> --><data key="x"><![CDATA[<edge source="a" target="b"/>]]></data>'
    )
    assert read(document(body))[0].read == 0


def test_repeated_nodes_count_once_and_nodes_without_id_are_noted():
    (g,) = read(document('<node id="a"/><node id="a"/><node/>'))
    assert (g.n, g.notes) == (1, {"repeated_nodes": 1, "nodes_without_id": 1})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "cp1250"])
def test_encodings(encoding):
    body = '<graphml><graph><node id="é"/><edge source="é" target="é"/></graph></graphml>'
    (g,) = read(f'<?xml version="1.0" encoding="{encoding}"?>{body}'.encode(encoding))
    assert (g.labels, links(g)) == (["é"], [(0, 0)])


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><graphml><graph><node id="&c;"/></graph></graphml>'
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "document type"),
        ('<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml/>', "document type"),
        ('<!DOCTYPE g [<!ENTITY x SYSTEM "http://127.0.0.1:1/x">]><graphml>&x;</graphml>', "document type"),
        ("<graphml><graph><node id='&undefined;'/></graph></graphml>", "not well-formed"),
        ("", "not well-formed"),
        ("graph [ ]", "not well-formed"),
        ("<html><body/></html>", "not 'graphml'"),
        ("<graphml></graphml>", "no <graph>"),
        (document(NODES)[:-5], "not well-formed"),
        ("<graphml>" + "<data>" * 400, "nested deeper"),
        ('<?xml version="1.0" encoding="utf-7"?><graphml/>', "encoding"),
        ('<?xml version="1.0" encoding="nonsense"?><graphml/>', "encoding"),
    ],
)
def test_hostile_or_broken_documents_are_refused_with_a_message(text, message):
    with pytest.raises(SeedlotError, match=message):
        read(text)


def test_an_error_names_its_line():
    with pytest.raises(SeedlotError, match="line 4"):
        read(HEAD + "<graph>\n<node id=a/></graph></graphml>")


names = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=6).filter(
    lambda s: "\ufffe" not in s and "\uffff" not in s
)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_what_is_written_is_read(data):
    n = data.draw(st.integers(1, 15))
    plain = data.draw(st.booleans())
    ids = (
        [f"n{i}" for i in range(n)]
        if plain
        else data.draw(st.lists(names, min_size=n, max_size=n, unique=True))
    )
    ends = st.integers(0, n - 1)
    edges = data.draw(
        st.lists(st.tuples(ends, ends, st.one_of(st.none(), st.floats(-1e9, 1e9))), max_size=40)
    )
    directed = data.draw(st.booleans())
    gap = data.draw(st.sampled_from(["", "\n", "\n  "]))
    body = gap.join(f"<node id={quoteattr(name)}/>" for name in ids)
    for a, b, w in edges:
        inner = "" if w is None else f'{gap}<data key="d0">{escape(repr(w))}</data>{gap}'
        body += f"{gap}<edge source={quoteattr(ids[a])} target={quoteattr(ids[b])}>{inner}</edge>"
    (g,) = read(document(body, KEY, "directed" if directed else "undirected"))
    assert (g.labels, g.directed) == (ids, directed and bool(edges))
    assert links(g) == [(a, b) for a, b, _ in edges]
    stated = [1.0 if w is None else w for *_, w in edges]
    assert (np.ones(len(edges)) if g.weight is None else g.weight).tolist() == stated


SAMPLE = document(
    NODES
    + '<!-- x --><edge source="a" target="b"><data key="d0">3</data></edge>\n<edge source="b" target="c"/>\n'
    + "<hyperedge/>\n<![CDATA[ ]]>",
    KEY,
).encode()
NOISE = [
    b"<edge/>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<edge ",
    b"<?x ?>",
    b"</graph>",
    b"&#0;",
    b"&lt;",
]


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=20), st.sampled_from(NOISE)), st.data())
def test_damaged_files_balance_or_are_refused_with_a_message(noise, data):
    at = data.draw(st.integers(0, len(SAMPLE)))
    cut = data.draw(st.integers(0, 10))
    try:
        graphs = read(SAMPLE[:at] + noise + SAMPLE[at + cut :])
    except SeedlotError as error:
        assert "counter" not in str(error)
    else:
        assert all(g.read == g.kept + len(g.rejects) for g in graphs)
