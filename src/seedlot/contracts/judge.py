"""One job per source or study: judge the check tables of all its tables, write verdict and page."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from seedlot.contracts.accept import read_expected
from seedlot.contracts.docs import page
from seedlot.contracts.measure import Facts, count_items, measure_table
from seedlot.contracts.model import Contract, contract
from seedlot.contracts.suite import Measure, judge
from seedlot.store.atomic import remove, write_json, write_text
from seedlot.store.job import Job
from seedlot.store.parquet import read_table

PART_SUFFIXES = (".parquet", ".zarr", ".json")
VERDICT = 1  # raised by hand when the verdict's layout changes
log = logging.getLogger(__name__)


def run(job: Job) -> None:
    """Judge the tables of one subject (a source, join or study).

    params: `subject`, `run`, `tables` (contract names). input: `checks` (check tables); per judged and per
    referenced table its shards, under the table's name; optionally `outcomes` (items tables) and `expected`
    (the TSV of accepted counts, see `contracts.accept`). output: `verdict` (JSON), optionally `docs` (one HTML page).
    A broken promise is a verdict `fail`, not an error. The verdict holds no times: equal lots, contracts and
    code give equal bytes. Shards left in a table's own folder by another bucket count are deleted and named.
    """
    names = list(job.params["tables"])
    files = {
        name: job.paths(name)
        for name in job.input
        if name not in ("checks", "outcomes", "rejects", "expected")
    }
    for name in names:
        drop_stale(name, files[name])
    for name in {"checks", "outcomes", "rejects"} & set(job.input):
        drop_stale(job.params["subject"], job.paths(name))
    checks = pl.from_arrow(read_table(job.paths("checks")))
    items = (
        count_items(pl.from_arrow(read_table(job.paths("outcomes")))) if job.input.get("outcomes") else None
    )
    expected = read_expected(job.path("expected")) if job.input.get("expected") else {}
    promised = {name: contract(name) for name in names}
    measured = {
        name: measure_table(promised[name], checks, files[name], files, items, expected.get(name))
        for name in names
    }
    passed = judge({name: measures for name, (measures, _) in measured.items()})
    tables = {name: _entry(promised[name], *measured[name], passed[name]) for name in names}
    verdict = {
        "format": VERDICT,
        "subject": job.params["subject"],
        "run": job.params["run"],
        "status": "pass" if all(t["status"] == "pass" for t in tables.values()) else "fail",
        "items": None if items is None else asdict(items),
        "tables": tables,
    }
    for name, entry in tables.items():
        log.info("%s: %s, %s rows, %d checks", name, entry["status"], entry["rows"], len(entry["checks"]))
    write_json(job.output["verdict"], verdict)
    if "docs" in job.output:
        write_text(job.output["docs"], page(verdict))


def drop_stale(owner: str, paths: Sequence[Path]) -> list[str]:
    """Delete Parquet files and Zarr stores beside the parts `paths` that are none of them; return and log their names.

    Only in a folder named after `owner` (a table), or in one below it (a subject), so that nothing else can be
    there. A part's files share a stem (b000.json, b000.zarr). Without this a plain glob over a table would read
    rows of an earlier bucket count as well.
    """
    folders = {p.parent for p in paths}
    if len(folders) != 1 or owner not in ((folder := folders.pop()).name, folder.parent.name):
        return []
    wanted = {p.stem for p in paths}
    stale = sorted(p for p in folder.iterdir() if p.suffix in PART_SUFFIXES and p.stem not in wanted)
    for path in stale:
        remove(path)
        log.warning("deleted %s: no part of this run's %s", path, owner)
    return [p.name for p in stale]


def _entry(promised: Contract, measures: list[Measure], facts: Facts, passed: list[bool]) -> dict[str, Any]:
    """What the verdict says about one table."""
    checks = [
        {
            "check": m.check,
            "subject": m.subject,
            "status": "pass" if good else "fail",
            "seen": m.seen,
            "expected": m.expected,
            "words": m.words,
            "samples": list(m.samples),
            "todo": m.todo,
        }
        for m, good in zip(measures, passed, strict=True)
    ]
    return {
        "contract": promised.id,
        "title": promised.title,
        "key": promised.key,
        "lot": facts.lot,
        "rows": facts.rows,
        "status": "pass" if all(passed) else "fail",
        "failed": [c for c in checks if c["status"] == "fail"],
        "checks": checks,
        "columns": facts.columns,
    }
