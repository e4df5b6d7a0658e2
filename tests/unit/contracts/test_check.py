"""The streaming pass: exact counts of broken promises, independent of batches."""

import json

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedlot.config.errors import SeedlotError
from seedlot.contracts import check
from seedlot.contracts.check import CHECK_SCHEMA, check_file
from seedlot.contracts.model import contract
from seedlot.store.parquet import read_table


def counts(rows) -> dict:
    """(check, subject) -> violations, for those that are not zero."""
    return {(r["check"], r["subject"]): r["violations"] for r in rows if r["violations"]}


def samples(rows, name) -> list:
    (row,) = [r for r in rows if (r["check"], r["subject"]) == name]
    return [json.loads(s) for s in row["samples"]]


def test_a_good_shard_breaks_nothing_and_states_its_ranges(world):
    rows = check_file(contract("core_toy__edges"), world.shard("core_toy__edges", "b0", world.star("a", 5)))
    assert counts(rows) == {}
    stats = {r["subject"]: (r["nulls"], r["min"], r["max"]) for r in rows if r["check"] == "column"}
    assert stats == {
        "net": (0, None, None),
        "src": (0, 0.0, 0.0),
        "dst": (0, 1.0, 4.0),
        "weight": (0, 1.0, 4.0),
    }
    assert {r["rows"] for r in rows} == {4}


def test_every_kind_of_breach_is_counted_and_sampled(world):
    edges = [
        {"net": "a", "src": 0, "dst": 1, "weight": 0.5},
        {"net": "a", "src": 3, "dst": 2, "weight": None},
        {"net": "a", "src": 4, "dst": -5, "weight": 0.4},
        {"net": "a", "src": 1001, "dst": 1002, "weight": float("nan")},
        {"net": "b", "src": 0, "dst": 1, "weight": 11.0},
    ]
    rows = check_file(contract("core_toy__edges"), world.shard("core_toy__edges", "b0", edges))
    assert counts(rows) == {
        ("range", "src"): 1,
        ("range", "dst"): 1,
        ("range", "weight"): 2,
        ("rule", "src_lt_dst"): 2,
        ("rule", "mostly_short"): 2,  # 11 and NaN, which orders above every number; a null is no breach
    }
    assert samples(rows, ("rule", "src_lt_dst")) == [["a", 3, 2], ["a", 4, -5]]
    odd = [
        {"net": "A1", "node": 0, "kind": "sea", "seconds": 0.0},
        {"net": "ab", "node": 1, "kind": None, "seconds": -1.0},
    ]
    rows = check_file(contract("core_toy__nodes"), world.shard("core_toy__nodes", "b0", odd))
    assert counts(rows) == {("pattern", "net"): 1, ("allowed", "kind"): 1, ("range", "seconds"): 1}


def test_a_pattern_must_match_the_whole_text(world):
    rows = check_file(
        contract("core_toy__nodes"), world.shard("core_toy__nodes", "b", world.nodes("a\nb", 1))
    )
    assert counts(rows) == {("pattern", "net"): 1}


def test_measured_seconds_leave_no_trace_in_the_check_table(world):
    path = world.shard("core_toy__nodes", "b0", world.nodes("a", 3))
    one = check_file(contract("core_toy__nodes"), path)
    world.shard("core_toy__nodes", "b0", [n | {"seconds": 7.0} for n in world.nodes("a", 3)])
    assert check_file(contract("core_toy__nodes"), path) == one


def test_a_file_of_another_schema_gets_that_one_finding(world, tmp_path):
    table = read_table(world.shard("core_toy__edges", "b0", world.star("a", 3)))
    for change, words in (
        (table.drop_columns(["dst"]), ["column 'dst' is missing"]),
        (table.append_column("more", table["src"]), ["column 'more' is not in the contract"]),
        (table.set_column(1, "src", table["src"].cast(pa.int64())), None),
        (table.select(["src", "net", "dst", "weight"]), ["columns are in the order src, net, dst, weight"]),
    ):
        pq.write_table(change, tmp_path / "x.parquet")
        rows = check_file(contract("core_toy__edges"), tmp_path / "x.parquet")
        assert [r["check"] for r in rows] == ["schema"] and rows[0]["violations"] >= 1
        assert words is None or rows[0]["samples"] == words


def test_rows_out_of_order_are_counted_also_across_batches(world, tmp_path, monkeypatch):
    monkeypatch.setattr(check, "BATCH_ROWS", 2)
    schema = contract("core_toy__edges").arrow_schema()
    turned = pa.Table.from_pylist([world.star("a", 5)[i] for i in (0, 1, 3, 2)], schema=schema)
    pq.write_table(turned, tmp_path / "x.parquet")
    rows = check_file(contract("core_toy__edges"), tmp_path / "x.parquet")
    assert counts(rows) == {("key_order", ""): 1} and samples(rows, ("key_order", "")) == [["a", 0, 3]]


ENDS = st.integers(-2, 4)
NUMBERS = st.none() | st.integers(-3, 15).map(float) | st.just(float("nan"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.fixed_dictionaries({"net": st.just("a"), "src": ENDS, "dst": ENDS, "weight": NUMBERS}),
        unique_by=lambda r: (r["src"], r["dst"]),
        max_size=20,
    ),
    batch=st.integers(1, 7),
)  # fmt: skip
def test_counts_equal_a_row_by_row_count_at_any_batch_size(world, rows, batch):
    path = world.shard("core_toy__edges", "b0", rows)
    expected = {
        ("range", "src"): sum(r["src"] < 0 for r in rows),
        ("range", "dst"): sum(r["dst"] < 0 for r in rows),
        ("range", "weight"): sum(r["weight"] is not None and not r["weight"] >= 0.5 for r in rows),
        ("rule", "src_lt_dst"): sum(r["src"] >= r["dst"] for r in rows),
        ("rule", "mostly_short"): sum(r["weight"] is not None and not r["weight"] < 10 for r in rows),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "BATCH_ROWS", batch)
        found = check_file(contract("core_toy__edges"), path)
    assert counts(found) == {k: v for k, v in expected.items() if v}
    bad = sorted([r["net"], r["src"], r["dst"]] for r in rows if r["src"] >= r["dst"])
    assert samples(found, ("rule", "src_lt_dst")) == bad[:5]


def test_one_job_checks_several_tables_into_one_check_table(world):
    inputs = {
        "core_toy__nodes": world.shard("core_toy__nodes", "b0", world.nodes("a", 3)),
        "core_toy__edges": [world.shard("core_toy__edges", b, world.star(b, 3)) for b in ("ba", "bb")],
    }
    out = world.root / "checks.parquet"
    world.run(check.run, inputs, {"checks": out}, tables=["core_toy__edges", "core_toy__nodes"])
    found = read_table(out)
    assert found.schema.names == CHECK_SCHEMA.names
    shards = pl.from_arrow(found).filter(pl.col("check") == "schema").select("table", "shard").rows()
    assert shards == [("core_toy__edges", "ba"), ("core_toy__edges", "bb"), ("core_toy__nodes", "b0")]


@pytest.mark.parametrize(
    ("rule", "message"),
    [("src <", "no valid rule"), ("scr < dst", "scr"), ("src + dst", "not true or false")],
)
def test_a_rule_that_cannot_be_evaluated_is_an_error_that_names_it(world, toys, edges_text, rule, message):
    path = world.shard("core_toy__edges", "b0", world.star("a", 3))
    (toys / "core_toy__edges2.yaml").write_text(
        edges_text.replace("core_toy__edges", "core_toy__edges2").replace("src < dst", rule)
    )
    with pytest.raises(SeedlotError, match=f"{message}(.|\n)*check 'src_lt_dst'"):
        check_file(contract("core_toy__edges2"), path)
