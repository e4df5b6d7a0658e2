"""Two tables every curation writes: the raw records it did not keep, and what became of each item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from seedlot.config.errors import SeedlotError, unknown
from seedlot.store.parquet import write_table

TEXT_LIMIT = 200
STATUSES = ("ok", "rejected", "failed", "over_budget", "no_access")

REJECT_SCHEMA = pa.schema(
    [
        pa.field("item", pa.string(), nullable=False),
        pa.field("file", pa.string(), nullable=False),
        pa.field("line", pa.int64()),
        pa.field("record", pa.int64()),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
    ]
)
ITEM_SCHEMA = pa.schema(
    [
        pa.field("item", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("read", pa.int64(), nullable=False),
        pa.field("kept", pa.int64(), nullable=False),
        pa.field("rejected", pa.int64(), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
    ]
)


def write_rejects(path: Path | str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write reject rows and return their number.

    Each row has `item`, `file`, `reason` (a code), `text` (the offending record, cut to 200 characters
    and made printable here) and may have `line` and `record` (counted from 1). Rows are put in order of
    item, file, line, record, reason, text; the table has no key, as one line may be refused twice.
    """
    clean = [
        {name: row.get(name) for name in REJECT_SCHEMA.names} | {"text": printable(row.get("text") or "")}
        for row in rows
    ]
    clean.sort(
        key=lambda r: (r["item"], r["file"], r["line"] or 0, r["record"] or 0, r["reason"], r["text"]),
    )
    return write_table(path, pa.Table.from_pylist(clean, schema=REJECT_SCHEMA), REJECT_SCHEMA, key=())


def write_items(path: Path | str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write one row per item, sorted by item, and return their number.

    Each row has `item`, `status` (one of STATUSES) and, unless the item is ok, a `reason`; the counts
    `read`, `kept`, `rejected` and the `seconds` spent default to 0. Raises SeedlotError for an unknown
    status, an item listed twice, a missing reason, and counts of an ok item with kept + rejected != read.
    """
    defaults = {"reason": "", "read": 0, "kept": 0, "rejected": 0, "seconds": 0.0}
    clean = []
    for row in rows:
        full = {name: {**defaults, **row}[name] for name in ITEM_SCHEMA.names}
        if full["status"] not in STATUSES:
            raise unknown("status", str(full["status"]), STATUSES, where=f"item {full['item']}")
        if full["status"] == "ok" and full["kept"] + full["rejected"] != full["read"]:
            raise SeedlotError(
                f"kept {full['kept']} + rejected {full['rejected']} is not read {full['read']}",
                where=f"item {full['item']}",
            )
        if full["status"] != "ok" and not full["reason"]:
            raise SeedlotError(f"status '{full['status']}' without a reason", where=f"item {full['item']}")
        full["reason"] = printable(full["reason"])
        clean.append(full)
    return write_table(path, pa.Table.from_pylist(clean, schema=ITEM_SCHEMA), ITEM_SCHEMA, key=("item",))


def printable(text: str) -> str:
    """`text` with control characters and lone surrogates shown as escapes, cut to TEXT_LIMIT characters."""
    safe = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:TEXT_LIMIT]
    )
    return safe if len(safe) <= TEXT_LIMIT and len(text) <= TEXT_LIMIT else safe[: TEXT_LIMIT - 1] + "…"
