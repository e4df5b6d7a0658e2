"""UCINET DL: every layout and every way to give labels, with answers counted by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import ucinet
from seedlot.formats.graphs.registry import read_data


def read(text, **args):
    """All networks of a text, read and compared with the independent counter."""
    data = text if isinstance(text, bytes) else text.encode()
    return read_data(data, ucinet, args | {"format": "ucinet"}, where="test")


def links(graph):
    return sorted(zip(graph.src.tolist(), graph.dst.tolist()))


def rejects(graph):
    return [(r.line, r.reason) for r in graph.rejects]


def test_a_symmetric_full_matrix_is_undirected_and_counts_one_triangle():
    (g,) = read("DL N=3\nFORMAT = FULLMATRIX DIAGONAL PRESENT\nDATA:\n1 1 0\n1 0 2\n0 2 0\n")
    assert links(g) == [(0, 0), (0, 1), (1, 2)]
    assert (g.directed, g.read, g.weight.tolist()) == (False, 3, [1, 1, 2])


def test_a_full_matrix_that_differs_from_its_transpose_is_directed():
    (g,) = read("dl n=3 data:\n0 1 0\n1 0 2\n0 1 0\n")
    assert (g.directed, links(g)) == (True, [(0, 1), (1, 0), (1, 2), (2, 1)])


def test_stacked_matrices_are_networks_named_by_their_level_labels():
    one, two = read(
        "DL\r\nN=2 NM=2\r\nLEVEL LABELS:\r\nPADGM\r\nPADGB\r\nDATA:\r\n0 1\r\n1 0\r\n\r\n0 0\r\n1 0\r\n"
    )
    assert (one.name, one.directed, links(one)) == ("PADGM", False, [(0, 1)])
    assert (two.name, two.directed, links(two)) == ("PADGB", True, [(1, 0)])


def test_rows_wrapped_over_lines():
    (g,) = read("dl n=4\ndata:\n0 1\n 0 0\n1 0 0\n0\n0 0 0 1\n0 0 1 0")
    assert links(g) == [(0, 1), (2, 3)]


def test_a_full_matrix_without_its_diagonal():
    (g,) = read("dl n=3 format=fullmatrix diagonal=absent data:\n1 2\n0 3\n0 0\n")
    assert (links(g), g.weight.tolist()) == ([(0, 1), (0, 2), (1, 2)], [1, 2, 3])


@pytest.mark.parametrize(
    ("layout", "cells"),
    [
        ("upperhalf diagonal present", "4 1 0\n0 2\n5"),
        ("upperhalf diagonal absent", "1 0\n2"),
        ("lowerhalf diagonal present", "4\n1 0\n0 2 5"),
        ("lowerhalf diagonal absent", "1\n0 2"),
        ("lh", "4\n1 0\n0 2 5"),
        ("uh", "4 1 0\n0 2\n5"),
    ],
)
def test_half_matrices_with_and_without_diagonal(layout, cells):
    (g,) = read(f"dl n=3 format={layout}\ndata:\n{cells}\n")
    ties = {frozenset(pair): w for *pair, w in zip(g.src.tolist(), g.dst.tolist(), g.weight.tolist())}
    expected = {frozenset({0, 1}): 1, frozenset({1, 2}): 2}
    if "absent" not in layout:
        expected |= {frozenset({0}): 4, frozenset({2}): 5}
    assert (g.directed, ties) == (False, expected)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_cells_of_a_half_matrix_stand_where_they_were_written(n, upper, diagonal, random):
    matrix = [[random.choice([0, 0, 3]) for _ in range(n)] for _ in range(n)]
    keep = (lambda i, j: j >= i + (not diagonal)) if upper else (lambda i, j: j <= i - (not diagonal))
    rows = [" ".join(str(matrix[i][j]) for j in range(n) if keep(i, j)) for i in range(n)]
    layout = f"{'upper' if upper else 'lower'}half diagonal {'present' if diagonal else 'absent'}"
    (g,) = read(f"dl n={n} format={layout}\ndata:\n" + "\n".join(rows))
    assert links(g) == [(i, j) for i in range(n) for j in range(n) if keep(i, j) and matrix[i][j]]


def test_edge_lists_with_and_without_values():
    (g,) = read("dl n=4 format=edgelist1\ndata:\n1 2\n1 4 3.5\n\n 2 1\n")
    assert (g.directed, links(g), g.weight.tolist()) == (True, [(0, 1), (0, 3), (1, 0)], [1, 3.5, 1])


def test_two_mode_edge_and_node_lists_number_columns_behind_rows():
    (g,) = read("dl nr=2 nc=3 format=edgelist2\ndata:\n1 3\n2 1 4\n")
    assert (g.n, g.bipartite, g.n_left, g.directed) == (5, True, 2, False)
    assert links(g) == [(0, 4), (1, 2)]
    (g,) = read("dl nr=2, nc=3 format = nodelist2\ndata:\n1 3 2\n2 1\n")
    assert links(g) == [(0, 3), (0, 4), (1, 2)]


def test_node_lists_expand_to_one_link_an_alter():
    (g,) = read("dl n=4 format=nodelist1\ndata:\n1 2 3\n4 1\n2\n")
    assert (links(g), g.read) == ([(0, 1), (0, 2), (3, 0)], 3)


def test_lists_of_several_relations_are_parted_by_an_exclamation_mark():
    one, two = read("dl n=3 nm=2 format=edgelist1\nlevel labels: a b\ndata:\n1 2\n!\n2 3\n3 9\n")
    assert (one.name, links(one)) == ("a", [(0, 1)])
    assert (two.name, links(two), rejects(two)) == ("b", [(1, 2)], [(7, "out_of_range")])


def test_lists_behind_the_last_promised_relation_are_refused():
    (g,) = read("dl n=2 format=edgelist1\ndata:\n1 2\n!\n2 1\n!\n1 1\n")
    assert (links(g), rejects(g)) == ([(0, 1)], [(5, "out_of_range"), (7, "out_of_range")])


def test_a_two_mode_matrix():
    (g,) = read("dl nr=2 nc=3\nrow labels:\nann\nbob\ncol labels:\nx y z\ndata:\n1 0 1\n0 1 0\n")
    assert (g.bipartite, g.n_left, g.labels) == (True, 2, ["ann", "bob", "x", "y", "z"])
    assert links(g) == [(0, 2), (0, 4), (1, 3)]


def test_equal_row_and_column_labels_make_a_one_mode_matrix():
    (g,) = read("dl nr=2 nc=2\nrow labels:\na\nb\ncolumn labels:\na\nb\ndata:\n0 1\n1 0\n")
    assert (g.bipartite, g.n, g.labels, links(g)) == (False, 2, ["a", "b"], [(0, 1)])


@pytest.mark.parametrize(
    "given_labels",
    ["ann,bob,\ncid", "ann bob cid", "ann\nbob\ncid", '"ann" "bob"\n"cid"', "\n ann\n bob\n cid\n"],
)
def test_labels_parted_by_commas_blanks_or_lines(given_labels):
    (g,) = read(f"dl n=3\nlabels:\n{given_labels}\ndata:\n0 1 0\n1 0 0\n0 0 0")
    assert g.labels == ["ann", "bob", "cid"]


def test_labels_with_blanks_one_a_line_or_quoted():
    (g,) = read("dl n=2\nlabels:\nAnn Lee\nBob\ndata:\n0 1\n1 0")
    assert g.labels == ["Ann Lee", "Bob"]
    (g,) = read('dl n=2\nlabels: "Ann, Lee" Bob\ndata:\n0 1\n1 0')
    assert g.labels == ["Ann, Lee", "Bob"]


def test_a_wrong_number_of_labels_is_noted_and_not_used():
    (g,) = read("dl n=2\nlabels: a b c\ndata:\n0 1\n1 0")
    assert (g.labels, g.notes["row_labels_not_used"]) == (None, 3)


def test_labels_embedded_in_a_matrix():
    (g,) = read(
        'dl n=3 format=fm\nlabels embedded\ndata:\n  ann "bob, b" cid\nann 0 1 0\n"bob, b" 0 0 1\ncid 0 0 0\n'
    )
    assert (g.labels, links(g)) == (["ann", "bob, b", "cid"], [(0, 1), (1, 2)])
    (g,) = read("dl n=2\nrow labels embedded\ndata:\nann 0 1\nbob 1 0\n")
    assert (g.labels, links(g)) == (["ann", "bob"], [(0, 1)])


def test_labels_embedded_in_stacked_and_half_matrices():
    one, two = read("dl n=2 nm=2\nrow labels embedded\ndata:\na 0 1\nb 1 0\na 0 0\nb 5 0\n")
    assert (links(one), links(two)) == ([(0, 1)], [(1, 0)])
    (g,) = read("dl n=3 format=lowerhalf diagonal absent\nrow labels embedded\ndata:\na\nb 1\nc 0 2\n")
    assert g.labels is not None and links(g) == [(1, 0), (2, 1)]


def test_labels_embedded_in_lists():
    (g,) = read("dl n=4 format=edgelist1\nlabels embedded\ndata:\nann bob 2\nbob cid\n")
    assert (g.n, g.labels, links(g)) == (4, ["ann", "bob", "cid", "4"], [(0, 1), (1, 2)])
    assert g.weight.tolist() == [2, 1]
    (g,) = read(
        "dl nr=2 nc=2 format=nodelist2\nrow labels embedded\ncol labels embedded\ndata:\nann x y\nbob y\n"
    )
    assert (g.labels, links(g)) == (["ann", "bob", "x", "y"], [(0, 2), (0, 3), (1, 3)])


def test_more_embedded_labels_than_nodes_are_out_of_range():
    (g,) = read("dl n=2 format=edgelist1 labels embedded\ndata:\na b\nb c\n")
    assert (links(g), rejects(g)) == ([(0, 1)], [(4, "out_of_range")])


def test_embedded_labels_in_a_legacy_encoding():
    (g,) = read("dl n=2 format=edgelist1 labels embedded\ndata:\nNoël Šárka\n".encode("cp1250"))
    assert g.labels == ["Noël", "Šárka"]


def test_numbers_parted_by_commas():
    (g,) = read("dl n=2\ndata:\n0,1\n1,0\n")
    assert links(g) == [(0, 1)]


def test_broken_cells_and_cells_behind_the_matrix_are_refused_with_their_line():
    (g,) = read("dl n=2\ndata:\n0 na\n1 nan\n7 0\n")
    assert (g.directed, links(g)) == (True, [(1, 0)])
    assert rejects(g) == [(3, "bad_weight"), (4, "not_finite"), (5, "out_of_range")]


def test_broken_edge_lines_are_refused_with_their_line():
    (g,) = read("dl n=2 format=el1\ndata:\n1\n1 x\n0 1\n1 2 y\n1 2 inf\n2 1\n")
    assert links(g) == [(1, 0)]
    assert rejects(g) == [
        (3, "ragged"), (4, "bad_id"), (5, "out_of_range"), (6, "bad_weight"), (7, "not_finite"),
    ]  # fmt: skip


def test_a_matrix_cut_short_says_how_many_cells_it_had():
    (g,) = read("dl n=3\ndata:\n0 1 0\n1 0\n")
    assert (links(g), g.notes["cells"], g.notes["cells_expected"]) == ([(0, 1)], 5, 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with the word DL"),
        ("*Vertices 3", "begins with the word DL"),
        ("dl n=3 format=fullmatrix", "no 'data:'"),
        ("dl data:\n0 1", "gives no size"),
        ("dl nr=2 nc=3 format=lowerhalf data:\n1", "half matrix"),
        ("dl n=3 format=fullmatrx data:\n", "did you mean 'fullmatrix'"),
        ("dl n=2147483647 data:\n0 1", "cannot hold"),
        ("dl n=2 nm=999999999 data:\n0 1", "999,999,999 matrices"),
    ],
)
def test_a_header_that_cannot_be_is_refused_with_a_message(text, message):
    with pytest.raises(SeedlotError, match=message):
        read(text)


def test_an_id_near_two_to_the_31_is_a_reject():
    (g,) = read("dl n=3 format=edgelist1\ndata:\n1 2147483647\n1 2\n")
    assert (links(g), rejects(g)) == ([(0, 1)], [(3, "out_of_range")])


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 9), st.integers(1, 3), st.randoms(use_true_random=False), st.booleans(), st.integers(1, 9)
)
def test_a_written_matrix_is_read(n, levels, random, labelled, wrap):
    matrices = [
        np.array([[random.choice([0, 0, 1, -2.5]) for _ in range(n)] for _ in range(n)])
        for _ in range(levels)
    ]
    names = [f"v{i}" for i in range(n)]
    head = f"DL N={n} NM={levels}\n" + (f"LABELS:\n{','.join(names)}\n" if labelled else "") + "DATA:\n"
    cells = [f"{value:g}" for matrix in matrices for value in matrix.ravel()]
    body = "\n".join(" ".join(cells[i : i + wrap]) for i in range(0, len(cells), wrap))
    graphs = read(head + body)
    assert len(graphs) == levels
    for g, matrix in zip(graphs, matrices):
        assert g.labels == (names if labelled else None)
        back = np.zeros((n, n))
        back[g.src, g.dst] = 1 if g.weight is None else g.weight
        if not g.directed:
            back[g.dst, g.src] = 1 if g.weight is None else g.weight
        assert g.directed == (not np.array_equal(matrix, matrix.T))
        assert np.array_equal(back, matrix)


SAMPLES = [
    b"DL\nN=3 NM=2\nFORMAT = FULLMATRIX DIAGONAL PRESENT\nLEVEL LABELS:\na\nb\n"
    b"DATA:\n0 1 0\n1 0 2\n0 2 0\n0 1 1\n0 0 0\n0 0 0\n",
    b"dl n=4 format=edgelist1 labels embedded\ndata:\na b 2\nb c\nc d 1.5\n",
    b"dl nr=2 nc=3 format=nodelist2\ndata:\n1 3 2\n2 1\n!\n1 1\n",
    b"dl n=3 format=lowerhalf diagonal absent\nrow labels embedded\ndata:\na\nb 1\nc 0 2\n",
]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SAMPLES), st.binary(max_size=40), st.integers(0, 300), st.booleans())
def test_damaged_files_balance_or_are_refused_with_a_message(data, noise, at, replace):
    at %= len(data)
    try:
        graphs = read(data[:at] + noise + data[at + len(noise) * replace :])
    except SeedlotError as error:
        assert "counter" not in str(error)
    else:
        assert all(g.read == g.kept + len(g.rejects) for g in graphs)
