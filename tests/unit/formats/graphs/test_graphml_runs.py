"""The fast route through runs of look-alike elements gives what the parser alone gives, or is not taken."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import graphml, graphml_runs
from seedlot.formats.graphs.registry import read_data

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '<key id="w" for="edge" attr.name="weight"/><key id="r" for="edge" attr.name="relation"/>\n'
    '<graph edgedefault="undirected">\n'
)
TAIL = "</graph></graphml>"


def read(data):
    return read_data(data, graphml, {"format": "graphml"}, where="test")


def runs_of(text):
    """The runs that the fast route would cut out of a document."""
    runs = {}
    list(graphml_runs.cut(text.encode(), b"run0", runs))
    return list(runs.values())


def seen(data):
    """All that a reading states, or the line of its error."""
    try:
        graphs = read(data)
    except SeedlotError as error:
        return error.where
    return [
        (
            g.name,
            g.labels,
            g.src.tolist(),
            g.dst.tolist(),
            np.asarray(g.directed).tolist(),
            g.rejects,
            g.notes,
        )
        + tuple(
            None if column is None else repr(column.tolist()) for column in (g.weight, g.relation, g.time)
        )
        for g in graphs
    ]


def both_ways(data):
    """`seen` by the fast route, however short the runs, and by the parser alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphml_runs, "FEWEST", 2)
        fast = seen(data)
        patch.setattr(graphml_runs, "applies", lambda document: False)
        return fast, seen(data)


def test_runs_of_nodes_and_weighted_edges_are_taken_with_their_values():
    nodes = "".join(f'<node id="n{i}"/>\n' for i in range(6))
    edges = "".join(
        f'<edge source="n{i}" target="n0">\n <data key="w">{i}.5</data></edge>\n' for i in range(6)
    )
    node_run, edge_run = runs_of(HEAD + nodes + edges + TAIL)
    assert (node_run.tag, node_run.size, node_run.columns["id"]) == ("node", 5, [f"n{i}" for i in range(5)])
    assert (edge_run.size, edge_run.lines) == (5, 2)
    assert edge_run.data == [("w", ["0.5", "1.5", "2.5", "3.5", "4.5"])]
    (g,) = read((HEAD + nodes + edges + TAIL).encode())
    assert (g.labels, g.src.tolist(), g.dst.tolist()) == (
        [f"n{i}" for i in range(6)],
        [0, 1, 2, 3, 4, 5],
        [0] * 6,
    )
    assert g.weight.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]


def test_a_run_inside_a_comment_or_a_quoted_section_is_no_data():
    edges = '<edge source="a" target="a"/>' * 9
    (g,) = read(
        f'{HEAD}<node id="a"/><!-- {edges} --><data key="x"><![CDATA[{edges}]]></data>{TAIL}'.encode()
    )
    assert (g.read, g.n) == (0, 1)


def test_an_instruction_that_looks_like_ours_is_not_obeyed():
    edges = '<edge source="a" target="a"/>' * 9
    (g,) = read(f'{HEAD}<node id="a"/><?run0 0?><?run1 0?>{edges}<?run0 0?>{TAIL}'.encode())
    assert g.read == 9


def test_an_undeclared_node_in_the_middle_of_a_run_is_refused_with_its_own_line():
    edges = "\n".join(f'<edge source="a" target="{"zz" if i == 5 else "a"}"/>' for i in range(9))
    (g,) = read(f'{HEAD}<node id="a"/>\n{edges}{TAIL}'.encode())
    assert [(r.line, r.record, r.reason) for r in g.rejects] == [(11, 5, "undeclared_node")]


@pytest.mark.parametrize(
    "edge",
    [
        '<edge source="a" target="&#97;"/>',
        '<edge source="a" target="é"/>',
        '<edge source="a" target="a" source="a"/>',
        '<edge source="a" target="a" sourceport="p"/>',
        "<edge source='a' target='a'/>",
        '<edge xmlns="urn:x" source="a" target="a"/>',
        '<edge source="a" target="a"><y:EdgeLabel/></edge>',
        '<edge source="a" target="a"><data key="w">1<!-- --></data></edge>',
        '<edge source="a" target="a"/',
        '<edge source="a"/>',
    ],
)
def test_markup_beyond_the_narrow_grammar_is_left_to_the_parser(edge):
    assert runs_of(HEAD + edge * 9 + TAIL) == []


@pytest.mark.parametrize(
    "head",
    [
        '<?xml version="1.0" encoding="utf-16"?><graphml>',
        "<g:graphml xmlns:g='urn:x'>",
        '<graphml><graph xmlns="urn:y">',
        "no root",
    ],
)
def test_documents_in_which_plain_names_may_mean_something_else_are_left_to_the_parser(head):
    assert not graphml_runs.applies(head.encode())


inserts = [
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b">",
    b"<",
    b'"',
    b"&lt;",
    b"\t",
    b"\r",
    b"\0",
    "é".encode(),
]
inserts += [
    b"<graph>",
    b"</graph>",
    b'<node id="n0"/>',
    b' xmlns="u"',
    b' directed="true"',
    b"/",
    b"'",
    b"<?run0 0?>",
]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_both_routes_agree_on_written_and_damaged_documents(data):
    n = data.draw(st.integers(1, 5))
    text = HEAD + "".join(f'<node id="n{i}"/>\n' for i in range(n))
    for _ in range(data.draw(st.integers(1, 3))):
        shape = data.draw(
            st.sampled_from(
                [
                    '<edge source="n{}" target="n{}"/>',
                    '<edge source="n{}" target="n{}"><data key="w">{}</data></edge>',
                    '<edge source="n{}" target="n{}" >\n <data key="r">x{}</data>\n <data key="w">1</data>\n</edge>',
                    '<edge id="e" target="n{}" directed="true" source="n{}"><data key="w"/></edge>',
                ]
            )
        )
        gap = data.draw(st.sampled_from(["", "\n", "\r\n"]))
        number = st.sampled_from(["1", "2.5", " 3 ", "nan", "1_0", "", "inf", "x"])
        ends = st.integers(0, n)
        for a, b, w in data.draw(st.lists(st.tuples(ends, ends, number), max_size=8)):
            text += shape.format(a, b, w) + gap
    document = (text + TAIL).encode()
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(len(HEAD) - 30, len(document)))
        cut = data.draw(st.integers(0, 6))
        document = document[:at] + data.draw(st.sampled_from([b"", *inserts])) + document[at + cut :]
    fast, slow = both_ways(document)
    assert fast == slow
