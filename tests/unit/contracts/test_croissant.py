"""Croissant and datasheet come out of the contract; an independent reader understands the former."""

import hashlib
import json
import logging
import re

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.contracts.croissant import File, Published, croissant
from seedlot.contracts.datasheet import section
from seedlot.contracts.model import contract


def described(world, tmp_path) -> dict:
    tables = []
    for table, shards in {
        "core_toy__nodes": {"b0": world.nodes("a", 3), "b1": world.nodes("b", 2)},
        "core_toy__edges": {"b0": world.star("a", 3)},
    }.items():
        paths = [world.shard(table, name, rows) for name, rows in shards.items()]
        files = [
            File(f"{table}/{p.name}", p.stat().st_size, hashlib.sha256(p.read_bytes()).hexdigest())
            for p in paths
        ]
        tables.append(Published(contract(table), files))
    return croissant(
        name="toy networks", description="Toys.", licence="MIT", url="https://example.org/toy", version="1.0.0",
        citation="Toys, 2026", published="2026-01-02", tables=tables,
    )  # fmt: skip


@pytest.fixture
def offline(monkeypatch):
    import socket

    def refuse(*args, **kwargs):
        raise AssertionError(f"socket opened: {args}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_an_independent_reader_accepts_it_and_reads_the_rows_of_all_shards(world, tmp_path, offline, caplog):
    mlcroissant = pytest.importorskip("mlcroissant")
    path = world.root / "croissant.json"
    text = json.dumps(described(world, tmp_path))
    path.write_text(text)
    with caplog.at_level(logging.WARNING):
        dataset = mlcroissant.Dataset(jsonld=path)
    assert [str(i) for i in dataset.metadata.ctx.issues.errors] == []
    words = [r.getMessage() for r in caplog.records if "croissant" in r.name or r.name == "absl"]
    assert words == [], "the reader has no complaint"
    rows = list(dataset.records("core_toy__nodes"))
    seen = {(r["core_toy__nodes/net"].decode(), int(r["core_toy__nodes/node"])) for r in rows}
    assert seen == {("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1)}


def test_every_column_is_a_field_with_type_unit_and_digest_of_its_files(world, tmp_path):
    made = described(world, tmp_path)
    (edges,) = [r for r in made["recordSet"] if r["name"] == "core_toy__edges"]
    assert [(f["name"], f["dataType"]) for f in edges["field"]] == [
        ("net", "sc:Text"), ("src", "sc:Integer"), ("dst", "sc:Integer"), ("weight", "sc:Float"),
    ]  # fmt: skip
    assert edges["field"][3]["description"] == "Length of the link. Unit: km."
    assert [k["@id"] for k in edges["key"]] == [f"core_toy__edges/{c}" for c in ("net", "src", "dst")]
    files = [d for d in made["distribution"] if d["@type"] == "cr:FileObject"]
    for file in files:
        data = (world.root / file["contentUrl"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(data).hexdigest() and file["contentSize"] == f"{len(data)} B"
    assert len(files) == 3


def test_a_table_without_files_is_refused(world):
    with pytest.raises(SeedlotError, match="in 0 folders"):
        croissant(
            name="t", description="d", licence="MIT", url="u", version="1", citation="c", published="2026-01-02",
            tables=[Published(contract("core_toy__nodes"), [])],
        )  # fmt: skip


def test_the_datasheet_names_columns_units_key_checks_and_verdict(toys):
    promised = contract("core_toy__edges")
    bare = section(promised)
    assert (
        "Not built yet" in bare
        and "| `weight` | float64 | km | Length of the link. | 0.5 ≤ x or null |" in bare
    )
    assert "`src` | int32 |  | Smaller end. | 0 ≤ x ≤ 1000 |" in bare
    judged = {
        "rows": 12, "lot": "ab" * 32, "status": "fail",
        "failed": [{"check": "rule", "subject": "src_lt_dst"}],
        "columns": {"src": {"nulls": 0, "min": 0.0, "max": 7.0}},
    }  # fmt: skip
    items = {"total": 2, "status": {"ok": 2, "failed": 0}, "read": 14, "kept": 12, "rejected": 2}
    full = section(promised, judged, items)
    assert "12 rows. Verdict: fail. Lot `abab" in full
    assert "| `src_lt_dst` | `src < dst` | every row | fail |" in full
    assert "| `mostly_short` | `weight < 10` | at most 0.25 of rows break it | pass |" in full
    assert "2 items (2 ok); of 14 raw records 12 were kept and 2 rejected." in full
    for grid in re.findall(r"(?:^\|.*\n)+", full, flags=re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in grid.splitlines()}) == 1, (
            "cells per row differ"
        )


def test_a_bar_inside_a_rule_does_not_break_the_grid(toys, edges_text):
    (toys / "core_toy__bar.yaml").write_text(
        edges_text.replace("core_toy__edges", "core_toy__bar").replace("src < dst", "net || 'x' <> 'ax'")
    )
    assert "| `net \\|\\| 'x' <> 'ax'` |" in section(contract("core_toy__bar"))
