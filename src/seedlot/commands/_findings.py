"""What `seedlot audit` finds: every file of a results root against the lineage record that names it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedlot.catalog.receipts import read_receipt
from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.store.atomic import read_json

JUDGE = "seedlot.contracts.judge:run"
GATE = "final_gate"
# Kinds that mean broken bytes; the others are 'unfinished', 'unlisted', 'orphan record', 'orphan marker'.
BROKEN = ("missing", "changed", "raw missing", "raw changed", "store missing", "store changed")


@dataclass(frozen=True)
class Finding:
    """One thing that is not as recorded. record: the lineage record, {} where there is none."""

    kind: str
    path: Path
    rule: str
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Names the job: its first output."""
        return min(self.record["outputs"]) if self.record else str(self.path)


def run_of(name: str) -> str:
    """The run that a path of lineage belongs to, '' for raw files, which all runs share."""
    parts = name.removeprefix("root:").split("/")
    owned = name.startswith("root:") and parts[0] in ("datasets", "studies", "figures", "report")
    return parts[1] if owned and len(parts) > 2 else ""


def inspect(
    root: Path, *, quick: bool = False, on_bytes: Callable[[float], None] = lambda count: None
) -> tuple[list[Finding], int]:
    """(findings sorted by kind and path, number of files checked) over all lineage records of a root.

    Every digest and every lot of a Zarr store is recomputed, or with `quick` only existence and size are
    looked at. on_bytes is told the bytes that were read.
    """
    records = lineage.Sidecars.scan(root).all()
    jobs = [(record, name) for record in records for name in record["outputs"]]
    broken: list[Finding] = []
    checked = 0
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:  # hashing releases the interpreter lock
        for found, count in pool.map(lambda job: _output(*job, root, quick, on_bytes), jobs):
            broken += found
            checked += count
    findings = _orphans(broken, records)
    findings += unfinished(root, records)
    findings += unlisted(root, records)
    return sorted(findings, key=lambda f: (f.kind, str(f.path))), checked


def bytes_to_read(root: Path) -> int:
    """Bytes that `inspect` will read, without those of Zarr stores."""
    total = 0
    for record in lineage.Sidecars.scan(root).all():
        total += sum(told["bytes"] for told in record["outputs"].values())
        for name in record["outputs"]:
            path = lineage.absolute(name, root)
            if path.parent.name == "receipts" and path.is_file():
                total += sum(row.bytes or 0 for row in _rows(path) or ())
    return total


def _output(
    record: dict, name: str, root: Path, quick: bool, on_bytes: Callable[[float], None]
) -> tuple[list[Finding], int]:
    path, told = lineage.absolute(name, root), record["outputs"][name]
    word = _compare(path, told["bytes"], told["sha256"], quick)
    on_bytes(told["bytes"])
    if word:
        return [Finding(word, path, record["rule"], record)], 1
    if path.parent.name == "receipts":
        return _raw(path, root, record, quick, on_bytes)
    if path.suffix == ".json" and (word := _store(path, quick)):
        return [Finding(word, path, record["rule"], record)], 1
    return [], 1


def _compare(path: Path, size: int | None, sha256: str, quick: bool) -> str:
    """'' when a file is what was recorded, else 'missing' or 'changed'."""
    if not path.is_file():
        return "missing"
    if path.stat().st_size != size or (not quick and lineage.file_sha256(path) != sha256):
        return "changed"
    return ""


def _rows(receipt: Path) -> list | None:
    """The rows of a receipt that name a file, None when the receipt was damaged."""
    try:
        return [row for row in read_receipt(receipt) if row.status == "ok"]
    except SeedlotError:
        return None


def _raw(
    receipt: Path, root: Path, record: dict, quick: bool, on_bytes: Callable[[float], None]
) -> tuple[list[Finding], int]:
    rows = _rows(receipt)
    if rows is None:
        return [Finding("changed", receipt, record["rule"], record)], 1
    found = []
    for path, row in {root / row.path: row for row in rows}.items():
        word = _compare(path, row.bytes, row.sha256, quick)
        on_bytes(row.bytes or 0)
        if word:
            found.append(Finding(f"raw {word}", path, record["rule"], record))
    return found, 1 + len(rows)


def store_of(manifest: Path) -> Path | None:
    """The Zarr store that a JSON output describes, None when it describes none."""
    told = read_json(manifest)
    named = isinstance(told, dict) and {"store", "lot", "contract"} <= set(told)
    return manifest.parent / told["store"] if named else None


def _store(manifest: Path, quick: bool) -> str:
    """'' when the file names no Zarr store or one whose content has the recorded lot."""
    store = store_of(manifest)
    if store is None:
        return ""
    if not store.is_dir():
        return "store missing"
    if quick:
        return ""
    from seedlot.store.lot import zarr_lot

    told = read_json(manifest)
    try:
        same = zarr_lot(store, told["contract"]) == told["lot"]
    except (
        Exception
    ):  # a damaged store fails in as many ways as zarr has codecs; each means: not what was written
        same = False
    return "" if same else "store changed"


def _orphans(broken: list[Finding], records: list[dict]) -> list[Finding]:
    """Turn findings of records that no rule stands for any more into 'orphan record', one per record.

    Three ways: the judge deleted the shard of a former bucket count; the receipt of a former manifest lost its
    raw files and no job reads it; the job worked on an output of an orphan.
    """
    shards = _judged_shards(records)
    read = {name for record in records for name in record["inputs"]}
    dead: dict[str, Finding] = {}
    for finding in broken:
        names = list(finding.record["outputs"])
        if (finding.kind == "missing" and any(_dropped(n, finding, shards) for n in names)) or (
            finding.kind.startswith("raw") and not read & set(names)
        ):
            dead[finding.key] = finding
    while True:
        lost = {name for finding in dead.values() for name in finding.record["outputs"]}
        more = {f.key: f for f in broken if f.key not in dead and lost & set(f.record["inputs"])}
        if not more:
            break
        dead |= more
    alive = [f for f in broken if f.key not in dead]
    return alive + [Finding("orphan record", f.path, f.rule, f.record) for f in dead.values()]


def _judged_shards(records: list[dict]) -> dict[str, dict[str, int]]:
    """Folder of a table -> shards that its newest judge listed; the key '' holds the time of that verdict (ns)."""
    found: dict[str, dict[str, int]] = {}
    for record in records:
        if record["entry"] != JUDGE:
            continue
        time = max(told["mtime_ns"] for told in record["outputs"].values())
        for name in record["inputs"]:
            folder = name.rpartition("/")[0]
            if name.startswith("root:datasets/") and "/_work/" not in name:
                shards = found.setdefault(folder, {"": time})
                shards[""] = max(shards[""], time)
                shards[name] = time
    return found


def _dropped(name: str, finding: Finding, shards: Mapping[str, Mapping[str, int]]) -> bool:
    """True for a shard written before the verdict on its table, which does not list it."""
    judged = shards.get(name.rpartition("/")[0])
    return (
        judged is not None and name not in judged and finding.record["outputs"][name]["mtime_ns"] < judged[""]
    )


def unfinished(root: Path, records: list[dict]) -> list[Finding]:
    """Jobs that began and did not end well: 'unfinished' outputs without a record, and 'orphan marker'.

    A marker is an orphan when its run passed the final gate later: that run asked for all it declares, so no
    rule declares these outputs any more.
    """
    listed = {name for record in records for name in record["outputs"]}
    passed: dict[str, int] = {}
    for record in records:
        if record["rule"] == GATE:
            run = run_of(min(record["outputs"]))
            passed[run] = max(told["mtime_ns"] for told in record["outputs"].values())
    found = []
    for marker in sorted((root / lineage.FOLDER / lineage.PENDING).glob("*.json")):
        names = [n for n in marker.read_text(encoding="utf-8").split("\n") if n and n not in listed]
        if names and marker.stat().st_mtime_ns < passed.get(run_of(names[0]), 0):
            found.append(Finding("orphan marker", marker, ""))
        else:
            found += [Finding("unfinished", lineage.absolute(name, root), "") for name in names]
    return found


def unlisted(root: Path, records: list[dict]) -> list[Finding]:
    """Parquet files in the folder of a published table that no record names: a glob would read them."""
    listed = {lineage.absolute(name, root) for record in records for name in record["outputs"]}
    return [Finding("unlisted", path, "") for path in _published(root) if path not in listed]


def _published(root: Path) -> Iterator[Path]:
    yield from sorted(p for p in root.glob("datasets/*/[!_]*/*.parquet"))
