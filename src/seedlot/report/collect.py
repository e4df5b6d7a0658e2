"""What the report shows of one run, gathered from result files; nothing here knows a study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from seedlot.report.lock import amended, read_lock
from seedlot.store.atomic import read_json
from seedlot.store.lineage import Sidecars

WORDS = {"not_testable": "not testable at this scale"}


def ledger(files: Iterable[Path]) -> list[dict[str, Any]]:
    """Every claim row of the ledgers, with the words that the page prints."""
    rows, locked = [], read_lock()
    for path in files:
        for row in pl.read_parquet(path).iter_rows(named=True):
            effect = "" if row["value"] is None else f"{row['value']:.4g}"
            if row.get("ci_low") is not None:
                effect += f" [{row['ci_low']:.3g}, {row['ci_high']:.3g}]"
            rows.append(
                row
                | {
                    "word": WORDS.get(row["verdict"], row["verdict"]),
                    "effect": effect,
                    "mde_text": "" if row.get("mde") is None else f"{row['mde']:.2g}",
                    "amended": amended(row, locked),
                    "file": path,
                }
            )
    return rows


def outcomes(subject: str, files: Iterable[Path]) -> list[dict[str, Any]]:
    """Items that are not ok: subject, item, status, reason."""
    rows = []
    for path in files:
        bad = pl.read_parquet(path).filter(pl.col("status") != "ok").select("item", "status", "reason")
        rows += [{"subject": subject, **row} for row in bad.iter_rows(named=True)]
    return rows


def rejects(files: Iterable[Path]) -> list[dict[str, Any]]:
    """Reject reasons with their counts, the commonest first, one example each."""
    frames = [pl.read_parquet(path) for path in files]
    if not frames:
        return []
    counted = pl.concat(frames).group_by("reason").agg(
        pl.len().alias("rows"), pl.col("item").n_unique().alias("items"), pl.col("item").first().alias("example"),
        pl.col("line").first(), pl.col("text").first(),
    )  # fmt: skip
    return list(counted.sort(["rows", "reason"], descending=[True, False]).iter_rows(named=True))


def tables(verdict: Path) -> list[dict[str, Any]]:
    """Per judged table: name, rows, lot, contract, status, failed checks."""
    told = read_json(verdict)["tables"]
    out = []
    for name, entry in sorted(told.items()):
        failed = [check for check in entry["checks"] if check["status"] != "pass"]
        out.append({"table": name, **entry, "failed": failed, "page": verdict.with_suffix(".html")})
    return out


def arrays(manifests: Iterable[Path]) -> list[dict[str, Any]]:
    """Per array dataset: name, length of the first axis over all shards, lot of each shard, where it is described."""
    shards: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in manifests:
        shards[path.parent.name].append({**read_json(path), "file": path})
    return [
        {
            "table": name,
            "rows": sum(s["shape"][0] for s in parts),
            "lots": [s["lot"] for s in parts],
            "file": parts[0]["file"],
        }
        for name, parts in sorted(shards.items())
    ]


def times(root: Path, run: str) -> list[dict[str, Any]]:
    """Per rule of a run: jobs, total and longest seconds, from the lineage records; the longest total first."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for record in Sidecars.scan(root).all():
        if any(f"/{run}/" in name for name in record["outputs"]):
            seconds[record["rule"]].append(record["seconds"])
    rows = [
        {"rule": rule, "jobs": len(values), "total": sum(values), "longest": max(values)}
        for rule, values in seconds.items()
    ]
    return sorted(rows, key=lambda row: -row["total"])


def gather(root: Path, run: str, inventory: Mapping[str, Any]) -> dict[str, Any]:
    """All that the page of one run shows. Paths are below `root` or relative to the working folder."""
    subjects = inventory["subjects"]
    ledgers = [Path(p) for study in inventory["studies"].values() for p in study["ledgers"]]
    return {
        "run": run,
        "claims": ledger(ledgers),
        "studies": {
            name: {title: Path(svg) for title, svg in study["figures"].items()}
            for name, study in inventory["studies"].items()
        },
        "arrays": arrays(Path(p) for p in inventory["arrays"]),
        "tables": [row for s in subjects.values() for row in tables(Path(s["verdict"]))],
        "outcomes": [row for name, s in subjects.items() for row in outcomes(name, map(Path, s["outcomes"]))],
        "rejects": rejects(Path(p) for s in subjects.values() for p in s["rejects"]),
        "times": times(root, run),
    }
