"""graph-tool files: byte orders, id widths and property maps, written here by struct from the layout."""

import struct

import graph_samples as samples
import numpy as np
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import gt
from seedlot.formats.graphs.registry import read_data


def read(data, **args):
    return read_data(data, gt, args | {"format": "gt"}, where="test")[0]


def links(graph):
    return list(zip(graph.src.tolist(), graph.dst.tolist()))


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("n", [3, 255, 256, 65_535, 65_536])
def test_every_id_width_and_byte_order_gives_the_same_links(order, n):
    expected = [(0, 1), (0, n - 1), (1, 1), (n - 1, 0)]
    graph = read(samples.gt(n, expected, order=order, directed=True))
    assert links(graph) == expected
    assert (graph.n, graph.directed, graph.read, graph.labels) == (n, True, 4, None)


@pytest.mark.parametrize("order", ["<", ">"])
def test_every_type_of_property_map_is_walked_over(order):
    def pack(code, *values):
        return struct.pack(order + code, *values)

    values = {
        0: b"\1\0", 1: pack("2h", 1, 2), 2: pack("2i", 1, 2), 3: pack("2q", 1, 2), 4: pack("2d", 1, 2), 5: bytes(32),
        6: samples.gt_strings(["x", "yy"], order), 7: pack("Q2BQ", 2, 1, 0, 0), 8: pack("QhQ2h", 1, 7, 2, 8, 9),
        9: pack("QiQ", 1, 7, 0), 10: pack("QqQ", 1, 7, 0), 11: pack("QdQ", 1, 7.0, 0),
        12: pack("Q", 1) + bytes(16) + pack("Q", 0),
        13: pack("Q", 1) + samples.gt_strings(["x"], order) + pack("Q", 0), 14: samples.gt_strings(["obj", ""], order),
    }  # fmt: skip
    maps = [(kind, f"p{t}", t, raw) for kind in (1, 2) for t, raw in values.items()]
    maps += [(0, "title", 6, samples.gt_strings(["a net"], order)), (2, "weight", 4, pack("2d", 2.5, -1))]
    graph = read(samples.gt(2, [(0, 1), (1, 0)], order=order, maps=maps))
    assert graph.weight.tolist() == [2.5, -1]
    assert graph.notes["maps"].startswith("v:p0, v:p1")


def test_labels_weight_and_time_come_from_named_maps():
    maps = [
        (1, "city", 6, samples.gt_strings(["Zürich", "Bern", "Genève"])),
        (2, "km", 2, struct.pack("<2i", 95, 130)),
        (2, "time", 3, struct.pack("<2q", 5, 6)),
    ]
    graph = read(samples.gt(3, [(0, 1), (1, 2)], maps=maps), label="city", weight="km")
    assert graph.labels == ["Zürich", "Bern", "Genève"]
    assert graph.weight.tolist() == [95, 130] and graph.time.tolist() == [5, 6]
    with pytest.raises(SeedlotError, match="did you mean 'city'"):
        read(samples.gt(3, [(0, 1), (1, 2)], maps=maps), label="cities")


def test_labels_that_are_not_distinct_are_not_used():
    maps = [(1, "name", 6, samples.gt_strings(["a", "a"]))]
    assert read(samples.gt(2, [(0, 1)], maps=maps)).labels is None


def test_long_doubles_of_x87_are_decoded():
    raw = np.array([1.5, -3.0, 0.0], np.longdouble)
    if raw.dtype.itemsize != 16:
        pytest.skip("this machine has no 16-byte long double")
    maps = [(2, "weight", 5, raw.tobytes())]
    graph = read(samples.gt(3, [(0, 1), (1, 2), (2, 0)], maps=maps))
    assert graph.weight.tolist() == [1.5, -3.0, 0.0]


def test_the_compiled_walk_sees_what_the_loop_sees(monkeypatch):
    rng = np.random.default_rng(5)
    pairs = rng.integers(0, 400, (1500, 2)).tolist()
    for order in "<>":
        maps = [(2, "id", 6, samples.gt_strings([str(k) for k in range(1500)], order))]
        data = samples.gt(400, pairs, order=order, maps=maps)
        slow = read(data)
        monkeypatch.setattr(gt, "COMPILED", 0)
        fast = read(data)
        assert links(fast) == links(slow) == sorted(map(tuple, pairs), key=lambda p: p[0])
        for cut in (len(data) - 1, len(data) // 2, 100):
            with pytest.raises(SeedlotError, match="ends early|cannot hold"):
                read(data[:cut])
        monkeypatch.undo()


def test_damage_is_named():
    good = samples.gt(3, [(0, 1), (1, 2)])
    for data, words in (
        (b"PK" + good[2:], "not a .gt file"),
        (good[:6] + b"\2" + good[7:], "version 02"),
        (good[:-1], "ends early"),
        (samples.gt(3, [(0, 7)]), "node 7 of 3"),
        (samples.gt(2, [(0, 1)], maps=[(1, "x", 77, b"")]), "type 77"),
    ):
        with pytest.raises(SeedlotError, match=words):
            read(data)
