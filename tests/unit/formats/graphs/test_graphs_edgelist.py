"""Link lists: dialects with answers counted by hand, bad lines named, both routes agree."""

import random

import graph_samples as samples
import numpy as np
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import edgelist
from seedlot.formats.graphs.registry import read_data


def read(text, fmt="edgelist", **args):
    data = text if isinstance(text, bytes) else text.encode()
    return read_data(data, edgelist, args | {"format": fmt}, where="test")[0]


def links(graph):
    return [(graph.label(a), graph.label(b)) for a, b in zip(graph.src.tolist(), graph.dst.tolist())]


def rejects(graph):
    return [(r.line, r.reason) for r in graph.rejects]


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n3 10\n",
        "1\t2\n3\t10",
        "1,2\r\n3,10\r\n",
        "1;2\r3;10\r",
        "  1   2 \n\n\n3\t 10\n",
        "1|2\n3|10\n",
        "\ufeff1 2\n3 10",
    ],
)
def test_delimiters_line_ends_and_blanks_do_not_matter(text):
    graph = read(text)
    assert links(graph) == [("1", "2"), ("3", "10")]
    assert graph.labels == ["1", "2", "3", "10"] and graph.read == 2


def test_integer_ids_are_ordered_by_number_and_dense_ids_need_no_labels():
    graph = read("7 5\n6 5\n")
    assert (graph.labels, graph.id_base, graph.src.tolist(), graph.dst.tolist()) == (None, 5, [2, 1], [0, 0])


def test_names_are_ordered_by_first_appearance():
    graph = read("zoe adam\nadam bob\n")
    assert graph.labels == ["zoe", "adam", "bob"]


def test_a_header_is_found_by_its_words_or_by_its_lack_of_numbers():
    assert links(read("from,to,weight\n1,2,5\n")) == [("1", "2")]
    assert links(read("alpha beta\n1 2\n3 4\n5 6\n")) == [("1", "2"), ("3", "4"), ("5", "6")]
    assert links(read("target,source\na,b\n")) == [("b", "a")]
    assert links(read("alpha beta\n", header=False)) == [("alpha", "beta")]


def test_bad_lines_are_rejected_with_line_and_reason():
    graph = read("# c\n1 2 0.5\n3\n4 x 1\n5 6 heavy\n\n7 8 -\n9 10\n")
    assert rejects(graph) == [(3, "ragged"), (4, "bad_id"), (5, "bad_weight")]
    assert graph.read == 6 and links(graph) == [("1", "2"), ("7", "8"), ("9", "10")]
    assert graph.weight[0] == 0.5 and np.isnan(graph.weight[1:]).all()
    assert graph.rejects[2].text == "5 6 heavy"


def test_quoted_fields_hold_delimiters_and_line_ends_and_keep_line_numbers():
    graph = read('from,to\n"a, b","c ""d"""\n"e\nf",g\nlonely\n')
    assert graph.labels == ["a, b", 'c "d"', "e f", "g"]
    assert rejects(graph) == [(5, "ragged")]


def test_labels_in_a_legacy_encoding_are_read():
    assert read("Zürich Genève\n".encode("latin-1")).labels == ["Zürich", "Genève"]


def test_the_first_line_of_a_snap_file_may_be_a_url():
    graph = read("https://snap.example/x.html\r\n# Directed\r\n1\t2\r\n2\t1\r\n", "snap")
    assert rejects(graph) == [(1, "ragged")] and graph.kept == 2


def test_edges_have_weight_and_time_and_a_dash_is_no_weight():
    graph = read("1,2,-1,100\n2,3,2,50\n", "edges")
    assert graph.weight.tolist() == [-1, 2] and graph.time.tolist() == [100, 50]
    assert read("1 2 -\n2 3 -\n", "edges").weight is None


def test_contacts_have_time_first_or_named_columns():
    first = read("20\t1157\t1232\tMED\n40\t1157\t1191\tMED\n", "contacts")
    named = read("idx,time,day,from,to\n0,20,22,1157,1232\n1,40,22,1157,1191\n", "contacts")
    assert links(first) == links(named) == [("1157", "1232"), ("1157", "1191")]
    assert first.time.tolist() == named.time.tolist() == [20, 40]


def test_signed_ratings_are_directed_with_weight_and_time():
    graph = read("7188,1,-10,1407470400\n430,1,10,1376539200.5\n", "signed_temporal")
    assert graph.directed is True and graph.weight.tolist() == [-10, 10] and graph.time[1] == 1376539200.5


def test_triples_keep_the_relation():
    graph = read("a\tis a\tb\nb\tpart of\ta\n", "triples")
    assert graph.relation.tolist() == ["is a", "part of"] and links(graph) == [("a", "b"), ("b", "a")]


def test_pairs_are_two_node_sets_even_with_equal_names():
    graph = read("1 1\n1 2\n2 1\n", "pairs")
    assert (graph.n, graph.n_left, graph.bipartite, graph.labels) == (4, 2, True, ["1", "2", "1", "2"])
    assert graph.dst.tolist() == [2, 3, 2]


def test_gephi_types_say_which_links_are_directed():
    mixed = read("Source,Target,Type,weight\ra,b,Undirected,2\rb,c,Directed,1\r", "gephi")
    assert mixed.directed.tolist() == [False, True] and mixed.weight.tolist() == [2, 1]
    assert read("Source,Target,Type\na,b,Undirected\n", "gephi").directed is False


def test_routes_with_and_without_header_join_airports():
    plain = read("2B,410,AER,2965,KZN,2990,,0,CR2\n", "routes")
    named = read("Airline,AirlineID,Source,SourceID,Destination,DestinationID\nAA,1,ABQ,2,DFW,3\n", "routes")
    assert links(plain) == [("AER", "KZN")] and links(named) == [("ABQ", "DFW")]


def test_stated_columns_win_and_unknown_options_and_columns_are_named():
    assert links(read("x,a,b\ny,c,d\n", src=2, dst=3)) == [("a", "b"), ("c", "d")]
    assert read("u,v,cost\n1,2,7\n", weight="cost").weight.tolist() == [7]
    with pytest.raises(SeedlotError, match="did you mean 'weight'"):
        read("1 2\n", wieght=3)
    with pytest.raises(SeedlotError, match="column for 'weight' 'costs'"):
        read("u,v,cost\n1,2,7\n", weight="costs")


def test_floats_without_fraction_are_ids_and_large_ids_stay_exact():
    assert links(read("1.0 2.0\n3.0 1.0\n")) == [("1", "2"), ("3", "1")]
    assert links(read("9007199254740993 1\nx 2\n3 4\n"))[0] == ("9007199254740993", "1")


def test_an_empty_list_is_refused():
    for text in ("", "\n \n", "# only\n% comments\n"):
        with pytest.raises(SeedlotError, match="no record"):
            read(text)


def both_routes(data, monkeypatch, **args):
    slow = read(data, **args)
    monkeypatch.setattr(edgelist, "COMPILED", 0)
    fast = read(data, **args)
    monkeypatch.undo()
    return slow, fast


def same(a, b):
    return links(a) == links(b) and a.labels == b.labels and rejects(a) == rejects(b) and a.read == b.read


@pytest.mark.parametrize("kind", ["dense", "gaps", "far", "short names", "long names"])
@pytest.mark.parametrize("mark", [" ", "\t", ",", " ; "])
def test_the_compiled_route_reads_what_the_general_route_reads(kind, mark, monkeypatch):
    rng = np.random.default_rng(3)
    ids = rng.integers(0, 500, (4000, 2))
    make = {
        "dense": str,
        "gaps": lambda k: str(7 * k + 3),
        "far": lambda k: str(k * 10**14 + 5),
        "short names": lambda k: f"n{k}é",
        "long names": lambda k: f"a rather long name {k}".replace(" ", "_"),
    }[kind]
    text = "# comment\n\n" + "".join(f"{make(a)}{mark}{make(b)}\r\n" for a, b in ids.tolist())
    slow, fast = both_routes(
        text.encode(),
        monkeypatch,
        delimiter={" ; ": ";"}.get(mark) or ("blank" if mark == " " else mark),
    )
    assert same(slow, fast) and fast.read == 4000


def test_the_compiled_route_gives_way_to_the_general_one_on_anything_odd(monkeypatch):
    rng = random.Random(11)
    bases = [b"1 2\n3 4\n5 6\n" * 3, b"ann bob\nbob cy\n" * 3, b"1,2\n30,4\n" * 3, samples.SQUARE]
    for _ in range(150):
        data = bytearray(rng.choice(bases))
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice(b'0-+.,;| \t\r\n#%"ax\xff')
        try:
            slow = read(bytes(data))
        except SeedlotError:
            continue
        monkeypatch.setattr(edgelist, "COMPILED", 0)
        fast = read(bytes(data))
        monkeypatch.undo()
        assert same(slow, fast), bytes(data)
