"""A lot follows the meaning of a dataset and nothing else."""

import datetime as dt
import hashlib

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.store import lot
from seedlot.store.lot import canonical_bytes, merged, scan_table, table_lot, type_name
from seedlot.store.parquet import write_table

SCHEMA = pa.schema(
    [
        pa.field("net", pa.string(), nullable=False),
        pa.field("node", pa.int32(), nullable=False),
        pa.field("score", pa.float64()),
        pa.field("label", pa.string()),
        pa.field("flag", pa.bool_()),
        pa.field("day", pa.date32()),
        pa.field("path", pa.list_(pa.int32())),
    ]
)
KEY = ["net", "node"]

VALUES = {
    "score": st.none() | st.floats(),
    "label": st.none() | st.text(max_size=4),
    "flag": st.none() | st.booleans(),
    "day": st.none() | st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
    "path": st.none() | st.lists(st.none() | st.integers(-5, 5), max_size=3),
}
ROWS = st.lists(
    st.fixed_dictionaries(
        {"net": st.sampled_from(["a", "b", "é", "😀"]), "node": st.integers(0, 9), **VALUES}
    ),
    max_size=14,
    unique_by=lambda r: (r["net"], r["node"]),
)


def lot_of(folder, rows, cuts=1, schema=SCHEMA, contract="toy@1.0.0", **how) -> str:
    """The lot of rows dealt over `cuts` shards; `how` goes to a plain Parquet writer when given."""
    paths = []
    for i in range(cuts):
        path = folder / f"s{cuts}_{i}.parquet"
        write_table(path, pa.Table.from_pylist(rows[i::cuts], schema=schema), schema, KEY)
        if how:
            pq.write_table(pq.read_table(path), path, **how)
        paths.append(path)
    return table_lot(paths[::-1], contract, schema, KEY)


QUIET = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUIET
@given(rows=ROWS)
def test_shards_compression_row_groups_and_dictionaries_do_not_change_the_lot(tmp_path, rows):
    one = lot_of(tmp_path, rows)
    assert lot_of(tmp_path, rows[::-1], cuts=3) == one
    assert lot_of(tmp_path, rows, cuts=2, compression="snappy", row_group_size=2, use_dictionary=False) == one
    assert (
        lot_of(tmp_path, rows, compression="none", row_group_size=1, use_dictionary=["score", "label"]) == one
    )


@QUIET
@given(rows=ROWS.filter(bool), data=st.data())
def test_any_changed_value_changes_the_lot(tmp_path, rows, data):
    at = data.draw(st.integers(0, len(rows) - 1))
    name = data.draw(st.sampled_from(sorted(VALUES)))
    value = data.draw(VALUES[name])
    changed = [dict(r) for r in rows]
    changed[at][name] = value
    same = meaning(rows[at][name]) == meaning(value)
    assert (lot_of(tmp_path, rows) == lot_of(tmp_path, changed)) == same


def meaning(value):
    """What two values must share to be the same value: any NaN is one NaN, both zeros are one zero."""
    if isinstance(value, float):
        return ("float", "nan") if np.isnan(value) else ("float", value + 0.0)
    return (type(value).__name__, value)


def test_the_lot_is_the_documented_hash_of_a_table_worked_out_by_hand(tmp_path):
    schema = pa.schema([pa.field("k", pa.int32(), nullable=False), pa.field("t", pa.string())])
    write_table(
        tmp_path / "a.parquet",
        pa.table({"k": pa.array([7, -1], pa.int32()), "t": ["é", None]}),
        schema,
        ["k"],
    )
    hexes = [hashlib.sha256(b).hexdigest() for b in (
        b"\xff\xff\xff\xff\x07\x00\x00\x00", b"", "é".encode(), b"\0" * 8 + b"\x02" + b"\0" * 7, b"\0" * 8
    )]  # fmt: skip
    text = (
        '["table",1,"toy@1.0.0",["k"],2,['
        f'["k","int32",[2,"{hexes[0]}","{hexes[1]}","{hexes[1]}",null]],'
        f'["t","string",[2,"{hexes[2]}","{hexes[3]}","{hexes[4]}",null]]]]'
    )
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert table_lot([tmp_path / "a.parquet"], "toy@1.0.0", schema, ["k"]) == expected


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"label": "ab"}, {"label": "a"}),
        ({"label": None}, {"label": ""}),
        ({"score": None}, {"score": 0.0}),
        ({"path": None}, {"path": []}),
        ({"path": [None]}, {"path": [0]}),
        ({"flag": None}, {"flag": False}),
    ],
)
def test_nulls_empties_and_zeros_are_told_apart(tmp_path, one, two):
    base = {"net": "a", "node": 0}
    assert lot_of(tmp_path, [base | one]) != lot_of(tmp_path, [base | two])


def test_bytes_cannot_move_between_neighbouring_strings(tmp_path):
    rows = [
        [{"net": "a", "node": i, "label": w} for i, w in enumerate(words)]
        for words in (["ab", "c"], ["a", "bc"])
    ]
    assert lot_of(tmp_path, rows[0]) != lot_of(tmp_path, rows[1])


def test_contract_column_name_and_type_are_part_of_the_lot(tmp_path):
    rows = [{"net": "a", "node": 1, "score": 1.0}]
    renamed = pa.schema([f.with_name("points") if f.name == "score" else f for f in SCHEMA])
    wider = pa.schema([f.with_type(pa.int64()) if f.name == "node" else f for f in SCHEMA])
    lots = [
        lot_of(tmp_path, rows),
        lot_of(tmp_path, rows, contract="toy@1.0.1"),
        lot_of(tmp_path, [{"net": "a", "node": 1, "points": 1.0}], schema=renamed),
        lot_of(tmp_path, rows, schema=wider),
    ]
    assert len(set(lots)) == 4


def test_descriptions_and_volatile_columns_are_not_part_of_the_lot(tmp_path):
    said = pa.schema([f.with_metadata({"description": "other words"}) for f in SCHEMA])
    rows = [{"net": "a", "node": 1, "score": 1.0}]
    assert lot_of(tmp_path, rows) == lot_of(tmp_path, rows, schema=said)
    lots = set()
    for seconds in (1.0, 2.0):
        write_table(
            tmp_path / "v.parquet", pa.Table.from_pylist([rows[0] | {"score": seconds}], SCHEMA), SCHEMA, KEY
        )
        lots.add(table_lot([tmp_path / "v.parquet"], "toy@1.0.0", SCHEMA, KEY, volatile=["score"]))
    assert len(lots) == 1


def test_a_polars_file_has_the_same_lot(tmp_path):
    rows = [{"net": "a", "node": i, "score": i / 3, "path": [i]} for i in range(50)]
    one = lot_of(tmp_path, rows)
    pl.read_parquet(tmp_path / "s1_0.parquet").write_parquet(
        tmp_path / "p.parquet", compression="gzip", row_group_size=7
    )
    assert table_lot([tmp_path / "p.parquet"], "toy@1.0.0", SCHEMA, KEY) == one


def test_a_key_in_two_shards_gives_no_lot_and_is_named(tmp_path):
    for name in "xy":
        table = pa.Table.from_pylist([{"net": "a", "node": 3}, {"net": name, "node": 0}], SCHEMA)
        write_table(tmp_path / f"{name}.parquet", table, SCHEMA, KEY)
    paths = [tmp_path / "x.parquet", tmp_path / "y.parquet"]
    scan = scan_table(paths, "toy@1.0.0", SCHEMA, KEY)
    assert (scan.lot, scan.rows, scan.duplicates, scan.samples) == (None, 4, 1, [["a", 3]])
    with pytest.raises(SeedlotError, match="1 duplicate keys, e.g. {'net': 'a', 'node': 3}"):
        table_lot(paths, "toy@1.0.0", SCHEMA, KEY)


def test_an_unsorted_shard_is_refused(tmp_path):
    pq.write_table(
        pa.Table.from_pylist([{"net": "a", "node": n} for n in (1, 3, 2)], SCHEMA), tmp_path / "u.parquet"
    )
    with pytest.raises(SeedlotError, match="rows out of key order"):
        table_lot([tmp_path / "u.parquet"], "toy@1.0.0", SCHEMA, KEY)


def test_a_merge_in_small_windows_is_in_order_and_complete(tmp_path, monkeypatch):
    draw = np.random.default_rng(3)
    owner = draw.integers(0, 5, size=60)
    rows = [{"net": f"n{i // 500:02d}", "node": i % 500} for i in range(30_000)]
    for deal in ("by item", "by row"):
        paths = []
        for shard in range(5):
            mine = [
                r for i, r in enumerate(rows) if (owner[i // 500] if deal == "by item" else i % 5) == shard
            ]
            paths.append(tmp_path / f"{shard}.parquet")
            write_table(paths[-1], pa.Table.from_pylist(mine, SCHEMA), SCHEMA, KEY)
        windows = list(merged(paths, SCHEMA, KEY, window_rows=5))
        assert [r for w in windows for r in w.select(KEY).to_pylist()] == rows
        assert max(w.num_rows for w in windows) <= 5 * 1024
        lots = {table_lot(paths[::turn], "toy@1.0.0", SCHEMA, KEY) for turn in (1, -1)}
        monkeypatch.setattr(lot, "WINDOW_ROWS", 5)
        assert len(lots | {table_lot(paths, "toy@1.0.0", SCHEMA, KEY)}) == 1


def test_float_bytes_have_one_nan_and_one_zero():
    odd = np.frombuffer(np.array([0x7FF8000000000001, 0xFFF8000000000000, 1 << 63], dtype="<u8").tobytes())
    assert canonical_bytes(odd) == canonical_bytes(np.array([np.nan, np.nan, 0.0]))
    assert canonical_bytes(np.array([1, 2], dtype=">i4")) == b"\x01\0\0\0\x02\0\0\0"
    assert canonical_bytes(np.array([1 + 0j, complex(-0.0, 2)])) == canonical_bytes(np.array([1, 2j]))
    assert np.signbit(odd[2]), "the caller's values stay as they are"


def test_list_types_have_one_name_whatever_arrow_calls_the_inside():
    assert type_name(pa.list_(pa.field("element", pa.list_(pa.int8())))) == "list<list<int8>>"
