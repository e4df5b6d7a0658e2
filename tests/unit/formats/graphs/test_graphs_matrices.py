"""Matrices in every wrapping: MatrixMarket, plain and labelled text, TVB archives, NumPy, MATLAB."""

import io
import struct

import graph_samples as samples
import h5py
import numpy as np
import pytest
from scipy.io import mmwrite, savemat
from scipy.sparse import coo_array, csc_array, random_array, save_npz

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs.mat5 import variables
from seedlot.formats.graphs.registry import read_data, reader


def read(data, fmt, **args):
    data = data if isinstance(data, bytes) else data.encode()
    return read_data(data, reader(fmt), args | {"format": fmt}, where="test")[0]


def dense(graph):
    """The links back as a matrix; undirected links fill both triangles."""
    out = np.zeros((graph.n, graph.n))
    weight = np.ones(graph.kept) if graph.weight is None else graph.weight
    out[graph.src, graph.dst] = weight
    if graph.directed is False and not graph.bipartite:
        out[graph.dst, graph.src] = weight
    return out


def rejects(graph):
    return [(r.line, r.reason) for r in graph.rejects]


def market(kind, body):
    return f"%%MatrixMarket matrix coordinate {kind}\n% c\n{body}"


@pytest.mark.parametrize("field", ["pattern", "integer", "real", "complex"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
def test_matrix_market_fields_and_symmetries(field, symmetry):
    values = {"pattern": "", "integer": " 7", "real": " -1.5e0", "complex": " 2 1"}[field]
    graph = read(market(f"{field} {symmetry}", f"3 3 2\n2 1{values}\n3 1{values}\n"), "mtx")
    assert graph.src.tolist() == [1, 2] and graph.dst.tolist() == [0, 0]
    assert graph.directed is (symmetry == "general")
    assert (graph.weight is None) is (field == "pattern")
    assert (graph.n, graph.label(0)) == (3, "1")


def test_matrix_market_written_by_scipy_comes_back():
    for symmetric in (False, True):
        matrix = random_array((12, 12), density=0.2, rng=np.random.default_rng(1)).toarray()
        matrix = matrix + matrix.T if symmetric else matrix
        out = io.BytesIO()
        mmwrite(out, coo_array(matrix), precision=17)
        graph = read(out.getvalue(), "mtx")
        assert graph.directed is not symmetric
        assert np.array_equal(dense(graph), matrix)


def test_a_second_size_line_is_not_an_entry_but_an_equal_entry_is():
    assert read(market("real symmetric", "3 3 2\n3 3 2\n2 1 5\n3 1 6\n"), "mtx").kept == 2
    assert read(market("real general", "3 3 2\n3 3 2\n2 1 5\n"), "mtx").kept == 2


def test_a_rectangular_matrix_is_bipartite():
    graph = read(market("pattern general", "2 3 3\n1 1\n1 3\n2 3\n"), "mtx")
    assert (graph.n, graph.n_left, graph.bipartite, graph.directed) == (5, 2, True, False)
    assert graph.dst.tolist() == [2, 4, 4]


def test_bad_entries_of_matrix_market_are_named_by_line():
    graph = read(market("real general", "3 3 5\n1 2 1\n9 1 1\nx 1 1\n1 2\n1 3 inf\n"), "mtx")
    assert rejects(graph) == [(5, "out_of_range"), (6, "bad_id"), (7, "ragged"), (8, "bad_weight")]
    with pytest.raises(SeedlotError, match="declares 9 entries"):
        read(market("real general", "3 3 9\n1 2 1\n"), "mtx")
    with pytest.raises(SeedlotError, match="did you mean 'symmetric'"):
        read(market("real symetric", "1 1 0\n"), "mtx")


def test_array_files_go_column_by_column_and_symmetric_ones_hold_a_triangle():
    general = read("%%MatrixMarket matrix array integer general\n2 2\n0\n3\n4\n0\n", "mtx")
    assert dense(general).tolist() == [[0, 4], [3, 0]]
    lower = read("%%MatrixMarket matrix array real symmetric\n3 3\n0\n1\n2\n0\n3\n0\n", "mtx")
    assert dense(lower).tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


def test_a_symmetric_text_matrix_counts_each_tie_once_and_an_asymmetric_one_each_entry():
    graph = read("0 1 0\n1 4 2\n0 2 0\n", "matrix")
    assert (graph.directed, graph.kept, graph.weight.tolist()) == (False, 3, [1, 4, 2])
    graph = read("0,1\n2,0\n", "matrix")
    assert (graph.directed, graph.kept) == (True, 2)


def test_cells_that_are_no_numbers_are_rejects_and_ragged_rows_a_refusal():
    graph = read("0 1\nx 0\n", "matrix")
    assert graph.read == 2 and rejects(graph) == [(2, "not_finite")]
    with pytest.raises(SeedlotError, match="differ in length"):
        read("0 1\n1 0 0\n", "matrix")


def test_a_labelled_biadjacency_has_rows_first_and_keeps_quoted_commas():
    graph = read(samples.LABELLED, "biadjacency")
    assert graph.labels == ["row one", "b", "c", "x, y", "z"]
    assert (graph.n_left, graph.bipartite, graph.kept) == (3, True, 4)
    assert [(graph.label(a), graph.label(b)) for a, b in zip(graph.src, graph.dst)] == [
        ("row one", "x, y"), ("b", "x, y"), ("b", "z"), ("c", "z"),
    ]  # fmt: skip
    assert graph.weight.tolist() == [1, 2, 3, 1]


def test_a_biadjacency_without_labels_numbers_both_sides_and_extra_columns_can_be_left_out():
    graph = read("1,0\n0,1\n1,1\n", "biadjacency")
    assert graph.labels == ["1", "2", "3", "1", "2"] and graph.kept == 4
    graph = read("sp,hosts,x,y\na,12,1,0\nb,30,,2\n", "biadjacency", skip_columns=["hosts"])
    assert graph.labels == ["a", "b", "x", "y"] and graph.kept == 2


def test_bad_cells_of_a_biadjacency_are_named():
    graph = read("sp,x,y\na,1,many\nb,0,2\n", "biadjacency")
    assert rejects(graph) == [(2, "bad_weight")] and graph.read == 3


def test_an_adjacency_takes_its_columns_in_the_order_of_its_rows():
    graph = read(",b,a,c\na,1,0,0\nb,0,1,2\nc,2,0,0\n", "adjacency")
    assert graph.labels == ["a", "b", "c"] and dense(graph).tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    with pytest.raises(SeedlotError, match="labels of the adjacency differ"):
        read(",a,b\na,0,1\nc,1,0\n", "adjacency")


def test_tvb_weights_run_from_column_to_row_and_regions_are_named():
    graph = read(samples.every()["tvb"][0][0], "tvb")
    assert graph.labels == ["L", "R"] and graph.directed
    assert dense(graph).tolist() == [[0, 2], [1, 0]]
    with pytest.raises(SeedlotError, match=r"expected one weights.txt"):
        read(samples.archive({"a.txt": b"1"}), "tvb")


def test_numpy_matrices_links_and_sparse_archives():
    assert read(samples.npy(samples.CYCLE), "npy").kept == 5
    links = read(samples.npy(np.array([[1, 5], [5, 9], [-1, 2]])), "npy")
    assert links.labels == ["1", "5", "9"] and [r.reason for r in links.rejects] == ["bad_id"]
    wide = read(samples.npy(np.array([[1, 5, 9], [5, 9, 1]])), "npy")
    assert (wide.n, wide.kept) == (3, 3)
    out = io.BytesIO()
    save_npz(out, csc_array(samples.CYCLE.astype(float)))
    assert np.array_equal(dense(read(out.getvalue(), "npy")), samples.CYCLE)
    out = io.BytesIO()
    np.savez_compressed(out, a=samples.CYCLE, b=np.zeros(3))
    assert read(out.getvalue(), "npy", array="a").kept == 5
    with pytest.raises(SeedlotError, match="valid: a, b"):
        read(out.getvalue(), "npy")


def test_object_arrays_and_false_headers_are_refused():
    out = io.BytesIO()
    np.save(out, np.array([{}], object), allow_pickle=True)
    with pytest.raises(SeedlotError, match="only plain numbers"):
        read(out.getvalue(), "npy")
    with pytest.raises(SeedlotError, match="bytes follow"):
        read(samples.npy(np.eye(3))[:-8], "npy")


@pytest.mark.parametrize("compressed", [False, True])
def test_mat_variables_written_by_scipy_come_back(compressed):
    rng = np.random.default_rng(0)
    stored = {
        "real": rng.random((5, 7)), "bytes": rng.integers(0, 9, (4, 4)).astype(np.uint8), "flag": np.eye(3, dtype=bool),
        "wide": rng.integers(-(2**40), 2**40, (2, 2)), "a_longer_name": np.float32([[1.5]]),
    }  # fmt: skip
    sparse = random_array((30, 20), density=0.1, format="csc", rng=rng)
    out = io.BytesIO()
    savemat(out, stored | {"s": sparse, "t": "text", "r": {"x": 1}}, do_compression=compressed)
    found = variables(out.getvalue())
    assert set(found) == {*stored, "s"}
    assert all(np.array_equal(found[k].value(), v) for k, v in stored.items())
    assert np.array_equal(found["s"].value().toarray(), sparse.toarray())


def test_a_big_endian_mat_file_is_read():
    flags, shape = struct.pack(">IIII", 6, 8, 6, 0), struct.pack(">IIii", 5, 8, 2, 2)
    name, values = struct.pack(">HH4s", 1, 1, b"A"), struct.pack(">II4d", 9, 32, 0, 1, 1, 0)
    body = flags + shape + name + values
    data = (
        b"MATLAB 5.0".ljust(124)
        + struct.pack(">H", 0x0100)
        + b"MI"
        + struct.pack(">II", 14, len(body))
        + body
    )
    assert dense(read(data, "mat")).tolist() == [[0, 1], [1, 0]]


def test_mat_7_3_dense_and_sparse_are_read_from_hdf5():
    out = io.BytesIO()
    matrix = np.array([[0, 1.0, 0], [0, 0, 2.0], [0, 0, 0]])
    with h5py.File(out, "w") as file:
        file["A"] = matrix.T
        group = file.create_group("S")
        group.attrs["MATLAB_sparse"] = np.uint64(3)
        group["jc"], group["ir"], group["data"] = (
            np.array([0, 0, 1, 2]),
            np.array([0, 1]),
            np.array([1.0, 2.0]),
        )
    for name in "AS":
        assert np.array_equal(dense(read(out.getvalue(), "mat", variable=name)), matrix)
    with pytest.raises(SeedlotError, match="2 square matrices"):
        read(out.getvalue(), "mat")
