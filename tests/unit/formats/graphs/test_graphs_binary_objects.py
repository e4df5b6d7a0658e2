"""R igraph objects and Python pickles: written by small writers here, read without R and without trust."""

import pickle

import graph_samples as samples
import numpy as np
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import picklearray
from seedlot.formats.graphs.registry import read_data, reader


def read_all(data, fmt, **args):
    return read_data(data, reader(fmt), args | {"format": fmt}, where="test")


@pytest.mark.parametrize("ascii_form", [False, True])
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("wrap", [False, True])
def test_igraph_objects_of_every_layout_and_encoding_give_the_same_network(ascii_form, version, new, wrap):
    (graph,) = read_all(samples.rda(ascii_form, version, new=new, wrap=wrap and not ascii_form), "rda")
    assert (graph.name, graph.n, graph.labels, graph.directed) == ("g", 4, ["a", "b", "c", "d"], False)
    assert list(zip(graph.src.tolist(), graph.dst.tolist())) == [(1, 0), (2, 0), (2, 1), (3, 2)]
    assert graph.weight.tolist() == [1, 2, 3, 4] and graph.read == 4


def test_several_objects_and_lists_of_objects_are_all_found_and_named():
    w = samples.RWriter(version=3)
    one, two = w.igraph(2, [1], [0]), w.igraph(3, [0, 1], [1, 2], directed=True)
    data = w.save(
        {
            "alone": one,
            "listed": lambda: w.vector(19, [one, two]),
            "named": w.named({"first": two, "other": w.reals([1, 2])}),
            "table": w.reals([1, 2, 3]),
        }
    )
    graphs = read_all(data, "rda")
    assert [g.name for g in graphs] == ["alone", "listed[1]", "listed[2]", "named$first"]
    assert [g.kept for g in graphs] == [1, 1, 2, 2] and [g.directed for g in graphs] == [
        False,
        False,
        True,
        True,
    ]


def test_a_logical_type_attribute_makes_two_node_sets():
    w = samples.RWriter()
    kind = {"type": lambda: w.vector(10, [0, 0, 1])}
    (graph,) = read_all(w.save({"g": w.igraph(3, [0, 1], [2, 2], vertex=kind)}), "rda")
    assert (graph.bipartite, graph.n_left) == (True, 2)


def test_links_to_nodes_that_do_not_exist_are_rejects():
    w = samples.RWriter()
    (graph,) = read_all(w.save({"g": w.igraph(2, [0, 1, 0.5], [1, 7, 1])}), "rda")
    assert [r.reason for r in graph.rejects] == ["out_of_range", "bad_id"] and graph.kept == 1


def test_files_without_networks_and_other_files_are_named():
    w = samples.RWriter()
    with pytest.raises(SeedlotError, match="no igraph object"):
        read_all(w.save({"x": w.reals([1])}), "rda")
    with pytest.raises(SeedlotError, match="not an .rda file"):
        read_all(b"RDX9\nX\n", "rda")
    with pytest.raises(SeedlotError, match="ends early"):
        read_all(samples.rda()[:-40], "rda")


PAIRS = np.array([[1, 2], [2, 3], [9, 1]])


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize(
    "value",
    [PAIRS, PAIRS.astype(">i4"), np.asfortranarray(PAIRS), PAIRS.T, PAIRS.tolist(), {"net": PAIRS}, [PAIRS]],
    ids=["int64", "big-endian", "fortran", "wide", "list", "dictionary", "list of arrays"],
)
def test_integer_arrays_of_every_pickle_protocol_are_read(protocol, value):
    (graph,) = read_all(pickle.dumps(value, protocol), "pickle")
    assert graph.kept == 3 and {1, 2, 3, 9} >= {int(graph.label(k)) for k in graph.src.tolist()}


def test_one_array_of_a_dictionary_is_chosen_by_key():
    data = pickle.dumps({"a": PAIRS, "b": PAIRS[:1]})
    assert [g.name for g in read_all(data, "pickle")] == ["a", "b"]
    assert [g.kept for g in read_all(data, "pickle", key="b")] == [1]


class Evil:
    """Runs a command when it is unpickled by Python's own unpickler."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_would_run_code_is_refused_before_it_runs(protocol, tmp_path):
    mark = tmp_path / "ran"
    for value in (Evil(mark), {"net": PAIRS, "x": Evil(mark)}, np.array([Evil(mark)], object)):
        with pytest.raises(SeedlotError, match="refused before running"):
            read_all(pickle.dumps(value, protocol), "pickle")
    assert not mark.exists()


@pytest.mark.parametrize(
    "data",
    [
        b"cos\nsystem\n(S'true'\ntR.",
        b"(S'true'\nios\nsystem\n.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
        b"\x80\x04\x8c\x05numpy\x94\x8c\x07ndarray\x94\x8c\x02os\x94\x8c\x06system\x94h\x02h\x03\x93.",
        b"\x80\x02cnumpy\nload\n(S'x'\ntR.",
        b"\x80\x02cbuiltins\ngetattr\n.",
        b"Pid\n.",
    ],
)
def test_hand_made_attacks_are_refused_by_name(data):
    with pytest.raises(SeedlotError, match="refused before running"):
        picklearray.inspect(data)


def test_a_memo_index_of_four_billion_allocates_nothing():
    with pytest.raises(SeedlotError, match="memo places"):
        read_all(b"\x80\x02K\x01r\xff\xff\xff\xff.", "pickle")


def test_shapes_that_lie_about_their_bytes_and_float_arrays_are_refused():
    data = pickle.dumps(np.arange(4).reshape(2, 2), 2).replace(b"K\x02K\x02\x86", b"K\x02K\x09\x86")
    with pytest.raises(SeedlotError, match="do not fill shape"):
        read_all(data, "pickle")
    with pytest.raises(SeedlotError, match="no array of whole numbers"):
        read_all(pickle.dumps(np.eye(3)), "pickle")
