"""Several runs in one results root, and shards that are cut anew."""

from __future__ import annotations

import json
import re

import polars as pl
from tests.helpers.clone import Clone

NETWORKS = "datasets/{run}/_work/networks/verdict.json"


def with_networks(config: dict, **more) -> dict:
    sources = config["sources"] | {"networks": config["sources"]["networks"] | more}
    return config | {"sources": sources}


def rows(clone: Clone, table: str, run: str = "demo") -> int:
    """Rows that a plain glob over the folder of a table sees."""
    return (
        pl.scan_parquet(clone.result(f"datasets/{run}/{table}/*.parquet")).select(pl.len()).collect().item()
    )


def test_another_number_of_buckets_leaves_no_stale_shard(copied: Clone, base_config):
    tables = ("core_networks__nodes", "core_networks__edges", "raw_networks__links", "core_networks__nets")
    before = {table: rows(copied, table) for table in tables}
    verdict = json.loads(copied.result(NETWORKS.format(run="demo")).read_text())["tables"]
    assert before["core_networks__nets"] == 3
    copied.configure(with_networks(base_config, buckets=1))
    copied.snakemake("--", "results/" + NETWORKS.format(run="demo"))
    assert {table: rows(copied, table) for table in tables} == before
    again = json.loads(copied.result(NETWORKS.format(run="demo")).read_text())["tables"]
    assert {t: told["lot"] for t, told in again.items()} == {t: told["lot"] for t, told in verdict.items()}
    files = sorted(p.name for p in copied.result("datasets/demo/core_networks__edges").iterdir())
    assert files == ["b000.parquet"]
    told = copied.seedlot("audit", "--configfile", "test.yaml", "--repair")
    assert set(re.findall(r"^([a-z ]+): results", told, re.MULTILINE)) <= {"orphan record"}, told
    assert "all as recorded" in copied.seedlot("audit", "--configfile", "test.yaml")
    assert {table: rows(copied, table) for table in tables} == before


def test_two_runs_beside_each_other_disturb_neither(copied: Clone, base_config):
    stamps, lots = copied.stamps(), copied.lots()
    other = with_networks(base_config, buckets=3) | {"run": "other", "targets": ["domain_spans"]}
    copied.configure(other)
    copied.snakemake("--", "all", "results/" + NETWORKS.format(run="other"))
    assert copied.planned("--", "all", "results/" + NETWORKS.format(run="other")) == []
    shared = {table: lot for table, lot in lots.items() if table in copied.lots("other")}
    assert len(shared) >= 7 and copied.lots("other") == shared

    copied.configure(base_config)
    assert copied.planned() == []
    now = copied.stamps()
    ours = {name for name in stamps if "/demo/" in name or name.startswith("raw/")}
    assert {name: now[name] for name in ours} == {name: stamps[name] for name in ours}
    page = copied.result("report/index.html").read_text()
    assert "demo/index.html" in page and "other/index.html" in page


def test_a_second_run_at_the_same_time_is_refused_with_the_name_of_the_first(copied: Clone):
    import os

    from seedlot.store import lock

    lock.acquire(copied.result(""))
    copied.result("figures/demo/heat_step/step_error.svg").unlink()
    said = copied.snakemake(ok=False)
    assert f"process {os.getpid()}" in said and "another run writes to this results root" in said
    lock.release(copied.result(""))
    copied.snakemake()
