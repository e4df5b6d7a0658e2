"""The Parquet writer: exact schema, sorted unique keys, bytes that depend on the rows alone."""

import hashlib

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store import parquet
from seedlot.store.parquet import descents, read_table, repeats, write_table

SCHEMA = pa.schema(
    [
        pa.field("net", pa.string(), nullable=False, metadata={"description": "a network"}),
        pa.field("node", pa.int32(), nullable=False),
        pa.field("score", pa.float64(), metadata={"description": "a score", "unit": "1"}),
        pa.field("names", pa.list_(pa.string())),
    ],
    metadata={"seedlot.contract": "toy@1.0.0"},
)
KEY = ["net", "node"]


def toy(rows: int, seed: int = 0) -> pa.Table:
    draw = np.random.default_rng(seed)
    order = draw.permutation(rows)
    return pa.table(
        {
            "net": pa.array([f"n{i // 100:04d}" for i in order]),
            "node": pa.array((order % 100).astype(np.int32)),
            "score": pa.array([None if i % 7 == 0 else i / 3 for i in order], pa.float64()),
            "names": pa.array(
                [None if i % 5 == 0 else [f"x{i}"] * (i % 3) for i in order.tolist()], pa.list_(pa.string())
            ),
        }
    )


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_rows_come_back_sorted_with_the_exact_schema(tmp_path):
    table = toy(500)
    assert write_table(tmp_path / "a.parquet", table, SCHEMA, KEY) == 500
    back = read_table(tmp_path / "a.parquet")
    assert back.schema.equals(SCHEMA)
    assert back.schema.field("score").metadata == {b"description": b"a score", b"unit": b"1"}
    assert back.to_pylist() == sorted(table.to_pylist(), key=lambda r: (r["net"], r["node"]))


def test_text_sorts_by_utf8_bytes_not_by_any_locale(tmp_path):
    words = ["é", "z", "a", "Z", "😀", "\uffff"]
    schema = pa.schema([pa.field("w", pa.string(), nullable=False)])
    write_table(tmp_path / "a.parquet", pa.table({"w": words}), schema, ["w"])
    assert read_table(tmp_path / "a.parquet")["w"].to_pylist() == ["Z", "a", "z", "é", "\uffff", "😀"]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_bytes_are_equal_at_any_thread_count_and_batch_size(tmp_path, threads, monkeypatch):
    monkeypatch.setattr(parquet, "GROUP_ROWS", 300)
    table = toy(2000).sort_by([("net", "ascending"), ("node", "ascending")])
    write_table(tmp_path / "whole.parquet", toy(2000), SCHEMA, KEY)
    before = pa.cpu_count(), pa.io_thread_count()
    try:
        pa.set_cpu_count(threads)
        pa.set_io_thread_count(threads)
        for size in (1, 299, 300, 301, 5000):
            write_table(tmp_path / "b.parquet", table.to_batches(max_chunksize=size), SCHEMA, KEY)
            assert digest(tmp_path / "b.parquet") == digest(tmp_path / "whole.parquet")
    finally:
        pa.set_cpu_count(before[0])
        pa.set_io_thread_count(before[1])


def test_arrow_layout_of_the_same_values_does_not_change_the_bytes(tmp_path):
    table = toy(300)
    write_table(tmp_path / "a.parquet", table, SCHEMA, KEY)
    others = [
        table.set_column(0, "net", table["net"].cast(pa.large_string())),
        table.set_column(0, "net", table["net"].dictionary_encode()),
        table.select(["names", "score", "node", "net"]),
        pa.concat_tables([toy(300).slice(0, 7), toy(300).slice(7)]),
        pl.from_arrow(table).to_arrow(),
    ]
    for other in others:
        write_table(tmp_path / "b.parquet", other, SCHEMA, KEY)
        assert digest(tmp_path / "b.parquet") == digest(tmp_path / "a.parquet")


# One line per pair that has been looked at. Another FORMAT or pyarrow gets its own line; a changed digest
# under an unchanged FORMAT means the writer changed its bytes without saying so.
PINNED = {
    (1, "26.0.1"): "04ffe519dbcf0e24dac9dfc5f07c1f7f400272ad8c39330888ea631391f79c9e",
}


def test_a_change_of_bytes_needs_a_raise_of_format(tmp_path):
    write_table(tmp_path / "a.parquet", toy(50), SCHEMA, KEY)
    known = (parquet.FORMAT, pa.__version__)
    assert known in PINNED, f"add a line for {known}: {digest(tmp_path / 'a.parquet')}"
    assert digest(tmp_path / "a.parquet") == PINNED[known], "bytes changed: raise parquet.FORMAT"


def test_row_groups_are_bounded_by_rows_and_by_bytes(tmp_path, monkeypatch):
    assert parquet.group_rows(SCHEMA) * (64 + 4 + 8 + 512) <= 128 * 2**20
    monkeypatch.setattr(parquet, "GROUP_BYTES", 100_000)
    schema = pa.schema([pa.field("k", pa.int64(), nullable=False), pa.field("text", pa.string())])
    table = pa.table(
        {"k": pa.array(range(400)), "text": pa.array(["x" * (5 * i % 1000) for i in range(400)])}
    )
    write_table(tmp_path / "a.parquet", table, schema, ["k"])
    meta = pq.ParquetFile(tmp_path / "a.parquet").metadata

    assert meta.num_row_groups > 1 and read_table(tmp_path / "a.parquet").num_rows == 400
    at = 0
    for i in range(meta.num_row_groups):
        rows = meta.row_group(i).num_rows
        assert sum(12 + len(t) for t in table["text"].slice(at, rows).to_pylist()) <= 100_000
        at += rows
    assert at == 400


def test_files_are_zstd_and_name_their_sort_order(tmp_path):
    write_table(tmp_path / "a.parquet", toy(50), SCHEMA, KEY)
    group = pq.ParquetFile(tmp_path / "a.parquet").metadata.row_group(0)
    assert {group.column(i).compression for i in range(group.num_columns)} == {"ZSTD"}
    assert [c.column_index for c in group.sorting_columns] == [0, 1]


def test_a_table_without_rows_keeps_its_schema(tmp_path):
    assert write_table(tmp_path / "a.parquet", toy(10).slice(0, 0), SCHEMA, KEY) == 0
    assert write_table(tmp_path / "b.parquet", iter(()), SCHEMA, KEY) == 0
    assert read_table(tmp_path / "a.parquet").schema.equals(SCHEMA)
    assert digest(tmp_path / "a.parquet") == digest(tmp_path / "b.parquet")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop_columns(["score"]), "column 'score' is missing"),
        (lambda t: t.append_column("more", t["node"]), "column 'more' is not in the contract"),
        (
            lambda t: t.set_column(1, "node", t["node"].cast(pa.int64())),
            "column 'node' is int64, expected int32",
        ),
        (lambda t: t.set_column(0, "net", pa.array([None] + ["a"] * 9)), "column 'net' has 1 nulls"),
        (lambda t: pa.concat_tables([t, t.slice(3, 1)]), "duplicate key"),
    ],
)
def test_rows_that_break_the_schema_are_refused_and_nothing_is_written(tmp_path, change, message):
    with pytest.raises(SeedlotError, match=message):
        write_table(tmp_path / "a.parquet", change(toy(10)), SCHEMA, KEY)
    assert not list(tmp_path.iterdir())


def test_a_stream_out_of_order_is_refused_also_across_batches(tmp_path):
    table = toy(20).sort_by([("net", "ascending"), ("node", "ascending")])
    turned = [*table.slice(10).to_batches(), *table.slice(0, 10).to_batches()]
    with pytest.raises(SeedlotError, match="out of key order: .*'node': 0.* after .*'node': 19"):
        write_table(tmp_path / "a.parquet", turned, SCHEMA, KEY)


def test_reading_says_what_is_wrong(tmp_path):
    write_table(tmp_path / "a.parquet", toy(10), SCHEMA, KEY)
    (tmp_path / "no.parquet").write_text("<html>")
    with pytest.raises(SeedlotError, match="not a readable Parquet file"):
        read_table(tmp_path / "no.parquet")
    with pytest.raises(SeedlotError, match="does not exist"):
        read_table(tmp_path / "gone.parquet")
    with pytest.raises(SeedlotError, match="no column scoer"):
        read_table(tmp_path / "a.parquet", ["scoer"])
    assert read_table([tmp_path / "a.parquet"] * 2, ["node", "net"]).shape == (20, 2)


def test_repeats_and_descents_on_a_known_sequence():
    table = pa.table({"a": [1, 1, 2, 1, 1], "b": ["x", "x", "a", "z", "b"]})
    assert repeats(table, ["a", "b"]).tolist() == [1]
    assert descents(table, ["a", "b"]).tolist() == [3, 4]
