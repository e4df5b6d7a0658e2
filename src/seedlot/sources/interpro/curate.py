"""protein2ipr.dat -> core_interpro__matches: streamed in batches, coordinates to 0-based half-open."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from seedlot.catalog.manifest import Row
from seedlot.catalog.receipts import fetched
from seedlot.contracts.model import contract
from seedlot.store.job import Job
from seedlot.store.parquet import write_table
from seedlot.store.rejects import write_items, write_rejects

ENTRY = re.compile(r"IPR[0-9]{6}\Z")


def opened(path: Path):
    """The file as binary lines, decompressed when its name ends in .gz."""
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def count(path: Path) -> int:
    """Rows of the file: lines that are not blank."""
    with opened(path) as handle:
        return sum(bool(line.strip()) for line in handle)


def parse(line: str) -> tuple[dict[str, Any] | None, str]:
    """(row, '') of one line, or (None, reason code)."""
    cells = line.split("\t")
    if len(cells) != 6:
        return None, "columns_not_6"
    uid, entry, name, signature, start, end = cells
    if not ENTRY.match(entry):
        return None, "entry_id"
    if not (start.isascii() and start.isdigit() and end.isascii() and end.isdigit()):
        return None, "position_not_integer"
    if not 1 <= int(start) <= int(end) < 2**31:
        return None, "start_after_end"
    row = {"uid": uid, "interpro_id": entry, "name": name, "signature": signature}
    return row | {"start0": int(start) - 1, "end0": int(end)}, ""


def groups(path: Path, rejects: list[dict[str, Any]], item: str) -> Iterator[list[dict[str, Any]]]:
    """Rows of one accession at a time, in file order; a repeated row and an accession out of order are rejects."""
    group: dict[tuple, dict[str, Any]] = {}
    current = ""
    with opened(path) as handle:
        for number, raw in enumerate(handle, 1):
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if not line.strip():
                continue
            row, reason = parse(line)
            if row and row["uid"] < current:
                row, reason = None, "accession_out_of_order"
            if row and row["uid"] > current:
                if group:
                    yield [group[key] for key in sorted(group)]
                group, current = {}, row["uid"]
            if row:
                key = (row["interpro_id"], row["signature"], row["start0"], row["end0"])
                if key in group:
                    row, reason = None, "row_repeated"
                else:
                    group[key] = row
            if not row:
                rejects.append(
                    {"item": item, "file": path.name, "line": number, "reason": reason, "text": line}
                )
    if group:
        yield [group[key] for key in sorted(group)]


def batches(job: Job, rejects: list, items: list) -> Iterator[pa.RecordBatch]:
    """Record batches in key order over the files of one shard, which must not share accessions."""
    schema = contract("core_interpro__matches").arrow_schema()
    rows = {r["item"]: Row.from_dict(r) for r in job.params["rows"]}
    for receipt in fetched(job.paths("receipts"), items):
        path = job.root / receipt.path
        evidence = "simulated" if rows[receipt.item].origin == "simulated" else "real"
        before, kept, held = len(rejects), 0, []
        for group in groups(path, rejects, receipt.item):
            held += [row | {"evidence": evidence} for row in group]
            if len(held) >= job.params["batch_rows"]:
                kept += len(held)
                yield pa.RecordBatch.from_pylist(held, schema=schema)
                held = []
        if held:
            kept += len(held)
            yield pa.RecordBatch.from_pylist(held, schema=schema)
        counts = {"read": count(path), "kept": kept, "rejected": len(rejects) - before}
        items.append({"item": receipt.item, "status": "ok", **counts})


def run(job: Job) -> None:
    """Curate the match files of one shard; memory is bounded by `batch_rows`."""
    rejects: list[dict[str, Any]] = []
    items: list[dict[str, Any]] = []
    made = contract("core_interpro__matches")
    write_table(job.output["matches"], batches(job, rejects, items), made.arrow_schema(), made.key)
    write_items(job.output["outcomes"], items)
    write_rejects(job.output["rejects"], rejects)
