"""Pajek networks: every section kind and every quirk on small inputs with answers counted by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import pajek
from seedlot.formats.graphs.registry import read_data


def read(text, **args):
    """All networks of a text, read and compared with the independent counter."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_data(data, pajek, args | {"format": "pajek"}, where="test")


def links(graph):
    return list(zip(graph.src.tolist(), graph.dst.tolist()))


def rejects(graph):
    return [(r.line, r.reason) for r in graph.rejects]


def test_arcs_and_edges_of_one_file_keep_their_direction_link_by_link():
    (g,) = read('*Vertices 4\n1 "a"\n2 "b"\n3 "c"\n4 "d"\n*Arcs\n1 2\n2 1\n*Edges\n3 4\n')
    assert links(g) == [(0, 1), (1, 0), (2, 3)]
    assert g.directed.tolist() == [True, True, False]
    assert g.labels == ["a", "b", "c", "d"]
    assert g.weight is None and g.time is None and g.relation is None


def test_only_edges_make_an_undirected_network_and_only_arcs_a_directed_one():
    assert read("*Vertices 2\n*Edges\n1 2\n")[0].directed is False
    assert read("*Vertices 2\n*Arcs\n1 2\n")[0].directed is True


def test_a_network_without_links_keeps_its_isolated_vertices():
    (g,) = read("*Vertices 3\n*Edges\n")
    assert (g.n, g.read, links(g)) == (3, 0, [])


def test_keywords_in_any_letter_case_and_behind_blanks():
    (g,) = read("  *VERTICES   3\n *aRcs\n 1   2\n*EDGES\n 2 3\n")
    assert links(g) == [(0, 1), (1, 2)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_line_end_and_a_byte_order_mark(end, mark):
    text = end.join(["*Vertices 2", '1 "one"', '2 "two"', "*Arcs", "1 2 3.5", "2 9 1", ""])
    (g,) = read(mark + text.encode())
    assert (g.labels, links(g), g.weight.tolist()) == (["one", "two"], [(0, 1)], [3.5])
    assert rejects(g) == [(6, "out_of_range")]


def test_utf16_with_its_mark():
    (g,) = read('*Vertices 1\n1 "žaba"\n*Arcs\n1 1\n'.encode("utf-16"))
    assert (g.labels, links(g)) == (["žaba"], [(0, 0)])


def test_comments_blank_lines_tabs_and_a_dos_end_of_file_mark_are_no_links():
    (g,) = read("% head\n*Vertices 3\n% in vertices\n*Edges\n1\t2\n\n  \n % no link 1 3\n2 3\n\x1a")
    assert links(g) == [(0, 1), (1, 2)]


def test_labels_with_apostrophes_quotes_commas_blanks_and_none_at_all():
    (g,) = read(
        '*Vertices 7\n1 "O\'Brien, P."\n2 "Jim "Jr" Hill" 0.1 0.2 ic Red\n3 plain 0.5 0.5\n'
        '4\n5 "never closed\n6 ""\n7 "% not a comment" box\n*Edges\n1 7\n'
    )
    assert g.labels == ["O'Brien, P.", 'Jim "Jr" Hill', "plain", "4", "never closed", "6", "% not a comment"]


def test_vertex_lines_may_be_missing_partial_out_of_order_or_wrong():
    assert read("*Vertices 5\n*Edges\n1 5\n")[0].labels is None
    (g,) = read('*Vertices 4\n3 "c"\n1 "a"\n9 "z"\nnonsense\n*Edges\n1 4\n')
    assert g.labels == ["a", "2", "c", "4"]
    assert g.notes["vertex_lines_out_of_range"] == 1
    assert g.notes["vertex_lines_not_understood"] == 1


@pytest.mark.parametrize(
    ("name", "encoding", "used"),
    [("Černý Šašek", "cp1250", "cp1250"), ("Noël Müller", "latin-1", "cp1252"), ("Žužek", "utf-8", "utf-8")],
)
def test_legacy_and_modern_encodings_of_labels_are_told_apart(name, encoding, used):
    (g,) = read(f'*Vertices 1\n1 "{name}"\n*Arcs\n'.encode(encoding))
    assert (g.labels, g.notes["encoding"]) == ([name], used)


def test_a_stated_encoding_wins_and_a_wrong_one_is_refused():
    text = '*Vertices 1\n1 "èe"\n*Arcs\n'.encode("cp1250", "replace").replace(b"?", b"\xe8")
    assert read(text, encoding="cp1250")[0].labels == ["če"]
    with pytest.raises(SeedlotError, match="not utf-8"):
        read(text, encoding="utf-8")


def test_lists_expand_to_one_link_a_neighbour():
    (g,) = read("*Vertices 6\n*Arcslist\n1 2 3\n  4 1\n5\n*Edgeslist\n5 6 1\n")
    assert links(g) == [(0, 1), (0, 2), (3, 0), (4, 5), (4, 0)]
    assert g.directed.tolist() == [True, True, True, False, False]


def test_a_broken_list_line_loses_only_the_broken_links():
    (g,) = read("*Vertices 4\n*Arcslist\n1 2 x 9\ny 1 2\n3 4\n")
    assert links(g) == [(0, 1), (2, 3)]
    assert rejects(g) == [(3, "bad_id"), (3, "out_of_range"), (4, "bad_id"), (4, "bad_id")]
    assert [r.record for r in g.rejects] == [1, 2, 3, 4]


def test_a_matrix_states_an_arc_for_each_cell_that_is_not_zero():
    (g,) = read("*Vertices 3\n*Matrix\n0 1 0.0\n-2 0 0\n0 0 1e1\n")
    assert links(g) == [(0, 1), (1, 0), (2, 2)]
    assert g.weight.tolist() == [1, -2, 10]


def test_matrix_rows_wrapped_over_lines():
    (g,) = read("*Vertices 3\n*Matrix\n0 1\n0 0 0\n1 1 0 0\n")
    assert links(g) == [(0, 1), (1, 2), (2, 0)]


def test_a_ragged_matrix_keeps_its_rows_and_refuses_what_lies_outside():
    (g,) = read("*Vertices 2\n*Matrix\n0 1 7\n1\n0 0\nx\n")
    assert links(g) == [(0, 1), (1, 0)]
    assert rejects(g) == [(3, "out_of_range"), (6, "bad_weight")]


def test_two_mode_vertices_and_a_two_mode_matrix():
    (g,) = read("*Vertices 5 2\n*Matrix\n1 0 1\n0 1 0\n")
    assert (g.bipartite, g.n_left) == (True, 2)
    assert links(g) == [(0, 2), (0, 4), (1, 3)]
    (g,) = read("*Vertices 5 2\n*Edges\n1 3\n")
    assert (g.bipartite, g.n_left, links(g)) == (True, 2, [(0, 2)])


def test_a_square_matrix_below_two_mode_vertices_is_read_as_square():
    (g,) = read("*Vertices 3 2\n*Matrix\n0 0 1\n0 0 0\n0 1 0\n")
    assert links(g) == [(0, 2), (2, 1)]


def test_relations_by_section_and_by_line():
    (g,) = read(
        '*Vertices 3\n*Arcs :1 "likes"\n1 2\n*Arcs :2 "hates it"\n2 3\n*Edges :7\n1 3\n'
        '*Arcs :5 "named only"\n*Arcs\n5: 3 1 2 [4]\n12: 1 2\n1 2\n'
    )
    assert g.relation.tolist() == ["likes", "hates it", "7", "named only", "12", ""]
    assert links(g) == [(0, 1), (1, 2), (0, 2), (2, 0), (0, 1), (0, 1)]
    assert g.weight.tolist() == [1, 1, 1, 2, 1, 1]


def test_relation_written_without_a_blank_and_matrices_of_several_relations():
    (g,) = read('*Vertices 2\n*Matrix :1 "a"\n0 1\n0 0\n*Matrix:2 "b"\n0 0\n1 0\n')
    assert (links(g), g.relation.tolist()) == ([(0, 1), (1, 0)], ["a", "b"])


def test_time_in_brackets_gives_the_first_instant():
    (g,) = read('*Vertices 3\n*Arcs\n1 2 1 [5-7]\n2 3 [12,14]\n1 3 1 l "x"\n3 1 2 [ -3.5-*]\n')
    assert np.array_equal(g.time, [5, 12, np.nan, -3.5], equal_nan=True)
    assert g.weight.tolist() == [1, 1, 1, 2]


def test_link_lines_with_drawing_parameters_and_without_value():
    (g,) = read('*Vertices 3\n*Edges\n1 2 c Blue\n2 3 4 p Dots w 3 l "a b"\n')
    assert g.weight.tolist() == [1, 4]


def test_weights_negative_zero_scientific_and_broken():
    (g,) = read("*Vertices 2\n*Arcs\n1 2 -1\n1 2 0\n1 2 1e-3\n1 2 .5\n1 2 1,5\n1 2 --1\n1 2 1e999\n")
    assert g.weight.tolist() == [-1, 0, 0.001, 0.5]
    assert rejects(g) == [(7, "bad_weight"), (8, "bad_weight"), (9, "not_finite")]


def test_every_broken_link_line_has_its_line_reason_and_text():
    (g,) = read("*Vertices 3\n*Arcs\n1 2\n1\n1 x\n0 1\n1 4\n-1 2\n1.0 2\n99999999999999999999 1\n")
    assert links(g) == [(0, 1)]
    assert rejects(g) == [
        (4, "ragged"),
        (5, "bad_id"),
        (6, "out_of_range"),
        (7, "out_of_range"),
        (8, "bad_id"),
        (9, "bad_id"),
        (10, "bad_id"),
    ]
    assert g.rejects[1].text == "1 x"
    assert (g.read, g.kept) == (8, 1)


PROJECT = """*Partition kinds
*Vertices 3
1
2
2
*Network first one
*Vertices 3
1 "a"
2 "b"
3 "c"
*Arcs
1 2
*Vector sizes
*Vertices 3
1 2
2 3
3 1
*Network second
*Vertices 2
*Edges
1 2 5
*Cluster c
*Vertices 2
1
2
*Permutation p
*Vertices 2
2
1
"""


def test_a_project_gives_its_networks_and_no_link_from_partitions_or_vectors():
    first, second = read(PROJECT)
    assert (first.name, first.n, links(first)) == ("first one", 3, [(0, 1)])
    assert (second.name, second.n, links(second), second.weight.tolist()) == ("second", 2, [(0, 1)], [5])


def test_networks_that_begin_with_vertices_alone():
    one, two = read("*Vertices 2\n*Arcs\n1 2\n*Vertices 3\n*Arcs\n2 3\n")
    assert (one.n, two.n, links(two)) == (2, 3, [(1, 2)])


def test_links_outside_any_network_are_refused_and_counted():
    (g,) = read("*Partition p\n*Vertices 2\n1\n1\n*Arcs\n1 2\n*Network n\n*Vertices 2\n*Arcs\n1 2\n")
    assert (links(g), rejects(g)) == ([(0, 1)], [(6, "no_vertices")])


def test_unknown_sections_are_named_and_time_events_refused_by_line():
    (g,) = read("*Vertices 2\n*Events\nTI 1\nAV 1\nAA 1 2\nae 1 2\nDA 1 2\n*Legend x\n1 2\n")
    assert rejects(g) == [(5, "time_event"), (6, "time_event")]
    assert g.notes["skipped_sections"] == "legend"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no \\*Vertices"),
        ("a,b\n1,2\n", "no \\*Vertices"),
        ("*Vertices\n", "followed by a number"),
        ("*Vertices many\n", "followed by a number"),
        ("*Vertices 2147483647\n*Arcs\n1 2147483647\n", "cannot hold"),
        ("*Vertices 99999999999999999\n*Edges\n1 2\n", "cannot hold"),
        ('*Vertices 90000\n1 "a"\n' * 500, "cannot hold"),
    ],
)
def test_a_file_that_cannot_be_pajek_is_refused_with_a_message(text, message):
    with pytest.raises(SeedlotError, match=message):
        read(text)


def test_an_id_near_two_to_the_31_is_a_reject_and_sizes_nothing():
    (g,) = read("*Vertices 3\n*Arcs\n1 2147483646\n2 3\n*Arcslist\n2147483646 1\n")
    assert (links(g), rejects(g)) == ([(1, 2)], [(3, "out_of_range"), (6, "out_of_range")])


def test_an_option_it_does_not_know_is_refused():
    with pytest.raises(SeedlotError, match="encoding"):
        read("*Vertices 1\n", encodng="utf-8")


def test_sections_longer_than_a_block_keep_lines_records_and_order(monkeypatch):
    monkeypatch.setattr(pajek.textscan.blocks, "__defaults__", (64,))
    body = "".join(f"{i} {i + 1} {i}.5\n" for i in range(1, 200))
    (g,) = read(f"*Vertices 200\n*Edges\n{body}7 999\n*Arcslist\n1 {' '.join('2' * 300)}\n2 0\n")
    assert links(g)[:199] == [(i - 1, i) for i in range(1, 200)]
    assert g.weight[:199].tolist() == [i + 0.5 for i in range(1, 200)]
    assert [(r.line, r.record) for r in g.rejects] == [(202, 199), (205, 500)]


labels = st.text(
    st.characters(
        codec="utf-8", exclude_characters='"\x85', exclude_categories=("Cc", "Zs", "Zl", "Zp", "Cs")
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_is_written_is_read(data):
    n = data.draw(st.integers(1, 30))
    names = data.draw(st.lists(labels, min_size=n, max_size=n))
    ends = st.tuples(st.integers(1, n), st.integers(1, n))
    weights = st.integers(-(10**6), 10**6).map(lambda i: i / 128)
    arcs = data.draw(st.lists(st.tuples(ends, weights), max_size=40))
    listed = data.draw(
        st.lists(st.tuples(st.integers(1, n), st.lists(st.integers(1, n), max_size=5)), max_size=9)
    )
    gap = data.draw(st.sampled_from([" ", "   ", "\t"]))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    rows = [f"*Vertices {n}", *(f'{i + 1}{gap}"{name}"' for i, name in enumerate(names)), "*Arcs"]
    rows += [f"{gap}{a}{gap}{b}{gap}{w!r}" for (a, b), w in arcs]
    rows += ["*Edgeslist", *(gap.join(map(str, [head, *tail])) for head, tail in listed)]
    (g,) = read(end.join(rows).encode())
    assert g.labels == names
    assert links(g) == [(a - 1, b - 1) for (a, b), _ in arcs] + [
        (h - 1, t - 1) for h, tail in listed for t in tail
    ]
    stated = [w for _, w in arcs] + [1.0] * (len(g.src) - len(arcs))
    assert (np.ones(len(stated)) if g.weight is None else g.weight).tolist() == stated
    assert not g.rejects


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=120), st.integers(0, 400), st.booleans())
def test_damaged_files_balance_or_are_refused_with_a_message(noise, at, replace):
    data = PROJECT.encode() + b'*Vertices 3 1\n*Matrix\n1 0\n*Arcslist :2 "b"\n1 2 3\n*Edges\n3: 1 2 4 [5]\n'
    at %= len(data)
    mutated = data[:at] + noise + data[at + len(noise) * replace :]
    try:
        graphs = read(mutated)
    except SeedlotError as error:
        assert "counter" not in str(error)
    else:
        assert all(g.read == g.kept + len(g.rejects) for g in graphs)
