"""The Zarr writer: whole shards, each once; lots of arrays follow values, not chunks."""

import hashlib
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import zarr

from seedlot.config.errors import SeedlotError
from seedlot.store import zarrstore
from seedlot.store.lot import zarr_lot
from seedlot.store.zarrstore import ArraySpec, zarr_writer

VALUES = np.sin(np.arange(70, dtype="float32")).reshape(7, 10)


def spec(**changes) -> ArraySpec:
    plain = {
        "dims": ("sample", "x"),
        "shape": (7, 10),
        "dtype": "float32",
        "chunks": (1, 5),
        "shards": (2, 10),
    }
    return ArraySpec(**{**plain, "unit": "K", "description": "temperature", **changes})


def place() -> ArraySpec:
    return ArraySpec(("x",), (10,), "float64", (10,), (10,), "m", "distance from the left end")


def write(path, values=VALUES, attrs=None, **changes):
    with zarr_writer(path, {"u": spec(**changes), "x": place()}, attrs or {"viscosity": 0.1}) as store:
        store.write("x", np.linspace(0, 1, 10))
        for start in range(0, 7, 2):
            store.write("u", values[start : start + 2], (start, 0))
    return path


def test_xarray_opens_the_store_with_names_units_and_coordinates(tmp_path):
    xarray = pytest.importorskip("xarray")
    values = VALUES.copy()
    values[0, 0] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = xarray.open_zarr(write(tmp_path / "a.zarr", values), consolidated=False)
        np.testing.assert_array_equal(data["u"].values, values)
    assert data["u"].dims == ("sample", "x") and data["u"].attrs == {"units": "K", "long_name": "temperature"}
    assert list(data.coords) == ["x"] and data.attrs["viscosity"] == 0.1
    assert float(data["u"].sel(x=1.0).isel(sample=2)) == values[2, 9]


def test_a_shard_is_one_file(tmp_path):
    write(tmp_path / "a.zarr")
    names = sorted(
        str(p.relative_to(tmp_path / "a.zarr")) for p in (tmp_path / "a.zarr").rglob("c/**/*") if p.is_file()
    )
    assert names == [*(f"u/c/{i}/0" for i in range(4)), "x/c/0"]


@pytest.mark.parametrize(
    ("origin", "rows", "message"),
    [
        ((1, 0), 2, r"block \[1, 3\) of axis 'sample' cuts a shard of length 2"),
        ((0, 0), 1, r"block \[0, 1\) of axis 'sample' cuts a shard of length 2"),
        ((6, 0), 2, r"\[6, 8\) is outside 0..7"),
    ],
)
def test_blocks_that_cut_a_shard_or_leave_the_array_are_refused(tmp_path, origin, rows, message):
    with pytest.raises(SeedlotError, match=message):
        with zarr_writer(tmp_path / "a.zarr", {"u": spec()}) as store:
            store.write("u", VALUES[:rows], origin)
    assert not list(tmp_path.iterdir())


def test_missing_and_repeated_shards_are_refused(tmp_path):
    with pytest.raises(SeedlotError, match=r"3 shards not written, first \(1, 0\)"):
        with zarr_writer(tmp_path / "a.zarr", {"u": spec()}) as store:
            store.write("u", VALUES[:2])
    with pytest.raises(SeedlotError, match=r"shard \(0, 0\) is written twice"):
        with zarr_writer(tmp_path / "a.zarr", {"u": spec()}) as store:
            store.write("u", VALUES)
            store.write("u", VALUES[:2])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shards": (2, 7)}, "shard length 7 of axis 'x' is no multiple of chunk length 5"),
        ({"dtype": "U4"}, "type U4 is no number"),
        ({"dims": ("sample",)}, "differ in length"),
        ({"shape": (7, 20)}, "axis 'x' is 10 long in 'x', 20 in 'u'"),
    ],
)
def test_layouts_that_cannot_be_are_refused(tmp_path, changes, message):
    with pytest.raises(SeedlotError, match=message):
        write(tmp_path / "a.zarr", **changes)


def test_values_of_another_type_are_refused(tmp_path):
    with pytest.raises(SeedlotError, match="block is float64, expected float32"):
        write(tmp_path / "a.zarr", VALUES.astype("float64"))


class Lazy:
    """A chunked array as Dask shows it: `.chunks` and indexable `.blocks`."""

    def __init__(self, values, chunks):
        self.values, self.chunks, self.blocks = values, chunks, self
        self.computed = 0

    def __getitem__(self, index):
        self.computed += 1
        bounds = [np.cumsum([0, *c]) for c in self.chunks]
        return self.values[tuple(slice(b[i], b[i + 1]) for b, i in zip(bounds, index))]


def test_lazy_blocks_on_shard_boundaries_come_back_equal(tmp_path):
    with zarr_writer(tmp_path / "a.zarr", {"u": spec()}) as store:
        store.write_blocks("u", Lazy(VALUES, ((4, 2, 1), (10,))))
    np.testing.assert_array_equal(zarr.open_group(tmp_path / "a.zarr", mode="r")["u"][...], VALUES)


def test_lazy_blocks_smaller_than_a_shard_are_refused_before_any_is_computed(tmp_path):
    lazy = Lazy(VALUES, ((2, 2, 2, 1), (5, 5)))
    with pytest.raises(SeedlotError, match="cuts a shard .*\n.*\n.*rechunk"):
        with zarr_writer(tmp_path / "a.zarr", {"u": spec()}) as store:
            store.write_blocks("u", lazy)
    assert lazy.computed == 0


def test_the_lot_ignores_chunks_shards_and_codec_but_not_values_names_or_attributes(tmp_path):
    one = zarr_lot(write(tmp_path / "a.zarr"), "toy@1.0.0")
    assert zarr_lot(write(tmp_path / "b.zarr", chunks=(2, 2), shards=(2, 10)), "toy@1.0.0") == one
    plain = zarr.create_group(
        store=tmp_path / "c.zarr", zarr_format=3, attributes={"viscosity": 0.1, "seedlot_format": 1}
    )
    for name, values, dims in (("u", VALUES, ("sample", "x")), ("x", np.linspace(0, 1, 10), ("x",))):
        attrs = dict(zarr.open_group(tmp_path / "a.zarr", mode="r")[name].attrs)
        array = plain.create_array(
            name, shape=values.shape, chunks=(3,) * values.ndim, dtype=values.dtype, compressors=None,
            dimension_names=dims, attributes=attrs, fill_value=9,
        )  # fmt: skip
        array[...] = values
    assert zarr_lot(tmp_path / "c.zarr", "toy@1.0.0") == one
    changed = VALUES.copy()
    changed[3, 3] += 1
    others = {
        zarr_lot(write(tmp_path / "d.zarr", changed), "toy@1.0.0"),
        zarr_lot(write(tmp_path / "e.zarr", attrs={"viscosity": 0.2}), "toy@1.0.0"),
        zarr_lot(write(tmp_path / "f.zarr", unit="degC"), "toy@1.0.0"),
        zarr_lot(tmp_path / "a.zarr", "toy@1.0.1"),
        one,
    }
    assert len(others) == 5


def test_a_slab_boundary_does_not_change_the_lot(tmp_path, monkeypatch):
    one = zarr_lot(write(tmp_path / "a.zarr"), "toy@1.0.0")
    monkeypatch.setattr("seedlot.store.lot.SLAB_BYTES", 1)
    assert zarr_lot(tmp_path / "a.zarr", "toy@1.0.0") == one


def test_no_group_is_no_lot(tmp_path):
    with pytest.raises(SeedlotError, match="not a Zarr v3 group"):
        zarr_lot(tmp_path / "none.zarr", "toy@1.0.0")


def folder_digest(folder) -> str:
    digest = hashlib.sha256()
    for path in sorted(p for p in Path(folder).rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


# As in the Parquet writer's test: one line per pair that has been looked at.
PINNED = {(1, "3.1.6"): "c22c88ce4304b08b57404e4a0d7be7c06643a3454f9d214dbc724cc70f2bcba6"}


def test_a_change_of_bytes_needs_a_raise_of_format(tmp_path):
    values = np.arange(70, dtype="float32").reshape(7, 10)
    known = (zarrstore.FORMAT, zarr.__version__)
    seen = folder_digest(write(tmp_path / "a.zarr", values))
    assert known in PINNED, f"add a line for {known}: {seen}"
    assert seen == PINNED[known], "bytes changed: raise zarrstore.FORMAT"


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_bytes_are_equal_at_any_thread_count(tmp_path, threads):
    with zarr.config.set({"threading.max_workers": threads, "async.concurrency": threads}):
        assert folder_digest(write(tmp_path / "b.zarr")) == folder_digest(write(tmp_path / "a.zarr"))


def test_a_lot_is_the_same_in_another_process(tmp_path):
    write(tmp_path / "a.zarr")
    code = "import sys; from seedlot.store.lot import zarr_lot; print(zarr_lot(sys.argv[1], 'toy@1.0.0'))"
    source = str(Path(__file__).resolve().parents[3] / "src")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.zarr")],
        env={"PYTHONPATH": source, "PYTHONHASHSEED": "77"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == zarr_lot(tmp_path / "a.zarr", "toy@1.0.0")
