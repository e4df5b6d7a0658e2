"""The last rule: fails when any item failed or any verdict was refused. It runs behind the report."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from seedlot.config.errors import SeedlotError
from seedlot.store.atomic import read_json, write_json
from seedlot.store.job import Job

SHOWN = 20


def failures(items: list[Path], verdicts: list[Path]) -> list[str]:
    """One line per failed item and per refused table."""
    lines = []
    for path in items:
        for row in pl.read_parquet(path).filter(pl.col("status") == "failed").iter_rows(named=True):
            lines.append(f"item {row['item']}: {row['reason']}  ({path})")
    for path in verdicts:
        for table, told in read_json(path)["tables"].items():
            if told["status"] != "pass":
                lines.append(f"table {table}: verdict {told['status']}  ({path})")
    return lines


def run(job: Job) -> None:
    """Write the gate file, or raise SeedlotError naming what failed."""
    lines = failures(job.paths("outcomes"), job.paths("verdicts"))
    if lines:
        more = [f"… and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        raise SeedlotError(
            f"{len(lines)} items or tables failed; every other result is kept\n    "
            + "\n    ".join(lines[:SHOWN] + more),
            where=str(job.path("report")),
            todo="mend the input or the manifest and run again: only what depends on it is redone",
        )
    write_json(
        job.output["gate"], {"items": len(job.paths("outcomes")), "verdicts": len(job.paths("verdicts"))}
    )
