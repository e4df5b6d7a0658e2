"""GML: nesting, comments, strings and damage, with answers counted by hand."""

import html

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import gml
from seedlot.formats.graphs.registry import read_data


def read(text, **args):
    """All networks of a text, read and compared with the independent counter."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_data(data, gml, args | {"format": "gml"}, where="test")


def links(graph):
    return list(zip(graph.src.tolist(), graph.dst.tolist()))


def rejects(graph):
    return [(r.line, r.reason) for r in graph.rejects]


def test_nodes_and_edges_with_labels_and_direction():
    (g,) = read(
        'Creator "me [1]"\ngraph [ directed 1 label "pair"\n node [ id 7 label "a" ]\n node [ id 3 label "b" ]\n'
        " edge [ source 3 target 7 ] ]"
    )
    assert (g.name, g.directed, g.labels, links(g)) == ("pair", True, ["a", "b"], [(1, 0)])
    assert g.weight is None


def test_ids_name_the_nodes_when_labels_are_missing_or_shared():
    (g,) = read("graph [ node [ id 5 ] node [ id x1 ] edge [ source 5 target x1 ] ]")
    assert (g.labels, g.directed) == (["5", "x1"], False)
    (g,) = read('graph [ node [ id 5 label "same" ] node [ id 6 label "same" ] ]')
    assert g.labels == ["5", "6"]


def test_another_node_key_can_give_the_labels():
    (g,) = read(
        'graph [ node [ id 1 label "a" name "Ann" ] node [ id 2 label "b" name "Bob" ] ]', label="name"
    )
    assert g.labels == ["Ann", "Bob"]


def test_repeated_edges_and_loops_are_all_kept():
    (g,) = read(
        "graph [ node [ id 1 ] node [ id 2 ]" + " edge [ source 1 target 2 ]" * 3 + "edge[source 2 target 2]]"
    )
    assert links(g) == [(0, 1)] * 3 + [(1, 1)]


def test_edges_may_stand_before_their_nodes():
    (g,) = read("graph [ edge [ source b target a ] node [ id a ] node [ id b ] ]")
    assert links(g) == [(1, 0)]


@pytest.mark.parametrize("tail", ["]", "", "] ]", "\n"])
def test_missing_and_surplus_last_brackets(tail):
    (g,) = read(
        "graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 graphics [ w 1 ] " + tail
    )
    assert (links(g), g.directed, g.n) == ([(0, 1)], True, 2)


def test_comment_lines_are_skipped_and_a_hash_inside_a_line_is_not_one():
    (g,) = read(
        '# edge [ ]\ngraph [\n  # node [ id 9 ]\n node [ id 1 fill #FF0000 label "#1" ]\n#]\n node [ id 2 label "b" ] ]'
    )
    assert (g.n, g.labels) == (2, ["#1", "b"])


def test_strings_may_hold_brackets_edges_line_feeds_and_entities():
    (g,) = read('graph [ comment "edge [ source 1\n# target ]" node [ id 1 label "R&amp;D\n team &#233;" ] ]')
    assert (g.labels, g.read) == (["R&D team é"], 0)


def test_a_bracket_behind_a_string_opens_no_edge():
    (g,) = read(
        'graph [ node [ id 1 label "a" ] edge "x" [ source 1 target 1 ] "y"edge [ source 1 target 1 ] ]'
    )
    assert (links(g), g.read) == ([(0, 0)], 1)


def test_nested_lists_do_not_leak_their_values():
    (g,) = read(
        "graph [ node [ graphics [ id 99 ] id 1 ] node [ id 2 ]"
        " edge [ data [ source 5 weight 9 ] source 1 target 2 weight 0.5 ] ]"
    )
    assert (links(g), g.weight.tolist(), g.labels) == ([(0, 1)], [0.5], ["1", "2"])


def test_a_graph_inside_a_node_belongs_to_the_outer_network():
    (g,) = read(
        "graph [ node [ id 1 graph [ directed 1 node [ id 2 ] edge [ source 1 target 2 ] ] ] edge [ source 2 target 1 ] ]"
    )
    assert (g.n, sorted(links(g)), g.directed) == (2, [(0, 1), (1, 0)], False)


def test_several_graphs_are_several_networks():
    one, two = read(
        "graph [ node [ id 1 ] ] graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]"
    )
    assert (one.n, two.n, links(two)) == (1, 2, [(0, 1)])


def test_weight_else_numeric_value_and_words_are_no_weights():
    (g,) = read(
        "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value 3 ]"
        ' edge [ source 1 target 2 weight 2 value 9 ] edge [ source 2 target 1 value "cold" ] ]'
    )
    assert g.weight.tolist() == [3, 2, 1]
    (g,) = read(
        "graph [ node [ id 1 ] edge [ source 1 target 1 strength 4 ] edge [ source 1 target 1 strength NAN ] ]",
        weight="strength",
    )
    assert np.array_equal(g.weight, [4, np.nan], equal_nan=True)


def test_keys_in_any_letter_case_and_legacy_encodings():
    (g,) = read('Graph [ NODE [ ID 1 Label "Noël" ] Edge [ Source 1 TARGET 1 ] ]'.encode("latin-1"))
    assert (g.labels, links(g)) == (["Noël"], [(0, 0)])


def test_every_refused_edge_has_its_line_and_reason():
    (g,) = read(
        "edge [ source 1 target 1 ]\ngraph [ node [ id 1 ]\nedge [ source 1 ]\nedge [ source 1\n target 2 ]\n"
        "edge [ source 1 target 1 weight x ]\nedge [ source 1 target 1 weight inf ]\n"
        "node [ id 2147483647 edge [ source 1 target 1 ] ]\nedge [ source 1 target 2147483647 ]\n]"
    )
    assert rejects(g) == [
        (1, "misplaced"), (8, "misplaced"), (3, "bad_id"), (4, "undeclared_node"), (6, "bad_weight"), (7, "not_finite"),
    ]  # fmt: skip
    assert (links(g), g.n) == ([(0, 1)], 2)


def test_repeated_nodes_are_noted_and_count_once():
    (g,) = read("graph [ node [ id 1 ] node [ id 1 ] node [ id 2 ] ]")
    assert (g.n, g.notes["repeated_nodes"]) == (2, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no 'graph"),
        ("<graphml/>", "no 'graph"),
        ('graph [\n node [ id 1 label "open ]\n]', "line 2"),
        ("graph [" + " x [" * 300, "nested deeper"),
    ],
)
def test_a_file_that_cannot_be_gml_is_refused_with_a_message(text, message):
    with pytest.raises(SeedlotError, match=message):
        read(text)


names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=8
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_written_is_read(data):
    n = data.draw(st.integers(1, 20))
    labels = data.draw(st.lists(names, min_size=n, max_size=n, unique=True))
    ids = data.draw(st.lists(st.integers(0, 2**40), min_size=n, max_size=n, unique=True))
    edges = data.draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.floats(-1e9, 1e9)), max_size=30)
    )
    directed = data.draw(st.booleans())
    gap = data.draw(st.sampled_from([" ", "\n", "\r\n  ", "\t"]))
    text = gap.join(
        ["graph", "[", "directed", str(int(directed))]
        + [
            gap.join(["node [", "id", str(i), "label", f'"{html.escape(name)}"', "]"])
            for i, name in zip(ids, labels)
        ]
        + [f"edge [{gap}source {ids[a]}{gap}target {ids[b]}{gap}weight {w!r} ]" for a, b, w in edges]
        + ["]"]
    )
    (g,) = read(text)
    assert (g.labels, g.directed) == ([html.unescape(html.escape(name)) for name in labels], directed)
    assert links(g) == [(a, b) for a, b, _ in edges]
    assert (np.ones(len(edges)) if g.weight is None else g.weight).tolist() == [w for *_, w in edges]


SAMPLE = b'graph [\n# c\n node [ id 1 label "a" ]\n node [ id 2 graphics [ x 1 ] ]\n edge [ source 1 target 2 value 3 ]\n]\n'


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=20),
        st.sampled_from(
            [b"edge [", b'"', b"#", b"\n#", b"]", b"[", b" edge\n[", b'edge "x" [', b'"x"edge [']
        ),
    ),
    st.data(),
)
def test_damaged_files_balance_or_are_refused_with_a_message(noise, data):
    at = data.draw(st.integers(0, len(SAMPLE)))
    cut = data.draw(st.integers(0, 10))
    try:
        graphs = read(SAMPLE[:at] + noise + SAMPLE[at + cut :])
    except SeedlotError as error:
        assert "counter" not in str(error)
    else:
        assert all(g.read == g.kept + len(g.rejects) for g in graphs)
