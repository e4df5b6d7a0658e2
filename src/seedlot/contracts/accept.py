"""Committed row counts per run, and the one way to change them: with a reason."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seedlot.config.errors import SeedlotError, unknown
from seedlot.store.atomic import read_json, write_text

COLUMNS = ("table", "rows", "lot", "reason", "date")


@dataclass(frozen=True)
class Expected:
    """What a table must hold: rows, and the lot too where one was recorded. date: YYYY-MM-DD."""

    table: str
    rows: int
    lot: str | None
    reason: str
    date: str


def read_expected(path: Path | str) -> dict[str, Expected]:
    """Table name -> what was accepted, from a TSV with the columns COLUMNS; empty when there is no file.

    Raises SeedlotError with the line for another header, a bad count, lot or date, a missing reason, and
    tables listed twice or out of order.
    """
    path = Path(path)
    if not path.exists():
        return {}
    found: dict[str, Expected] = {}
    reader = csv.DictReader(
        io.StringIO(path.read_text(encoding="utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise SeedlotError(f"header is {reader.fieldnames}, expected {list(COLUMNS)}", where=str(path))
    for number, row in enumerate(reader, start=2):
        where = f"{path}, line {number}"
        values = [row[c] for c in COLUMNS]
        if None in row or None in values:
            raise SeedlotError(f"a row has {len(COLUMNS)} fields separated by tabs", where=where)
        if not re.fullmatch(r"\d+", row["rows"]):
            raise SeedlotError(f"rows is '{row['rows']}', expected a whole number", where=where)
        if not re.fullmatch(r"([0-9a-f]{64})?", row["lot"]):
            raise SeedlotError(
                f"lot is '{row['lot']}', expected 64 hexadecimal digits or nothing", where=where
            )
        if found and row["table"] <= max(found):
            raise SeedlotError(f"table '{row['table']}' is listed twice or out of order", where=where)
        _demand_reason_and_date(row["reason"], row["date"], where)
        found[row["table"]] = Expected(
            row["table"], int(row["rows"]), row["lot"] or None, row["reason"], row["date"]
        )
    return found


def accept(
    path: Path | str, table: str, rows: int, *, reason: str, date: str, lot: str | None = None
) -> Expected:
    """Record in `path` that `table` has `rows` rows from now on, and return the new entry.

    date: YYYY-MM-DD, given by the caller. Without `lot` any content of that size is accepted. Raises
    SeedlotError for a reason that is empty or not one line.
    """
    _demand_reason_and_date(reason, date, str(path))
    if rows < 0:
        raise SeedlotError(f"rows is {rows}, expected a whole number", where=str(path))
    known = read_expected(path)
    known[table] = Expected(table, rows, lot, reason.strip(), date)
    lines = ["\t".join(COLUMNS)]
    lines += [
        "\t".join([e.table, str(e.rows), e.lot or "", e.reason, e.date]) for _, e in sorted(known.items())
    ]
    write_text(path, "\n".join(lines) + "\n")
    return known[table]


def accept_verdict(
    verdict: Path | str,
    path: Path | str,
    *,
    reason: str,
    date: str,
    tables: Sequence[str] | None = None,
    with_lots: bool = False,
) -> list[Expected]:
    """Record the counts that a verdict saw, for `tables` or all it judged whose count or lot differs.

    with_lots also pins the content. Returns the entries that changed, oldest table name first. Raises
    SeedlotError for a table that the verdict does not have, or whose rows could not be counted.
    """
    judged = read_json(verdict)["tables"]
    known = read_expected(path)
    changed = []
    for table in sorted(judged if tables is None else tables):
        if table not in judged:
            raise unknown("table", table, judged, where=str(verdict))
        seen = judged[table]
        if seen["rows"] is None or (with_lots and seen["lot"] is None):
            raise SeedlotError(f"'{table}' could not be counted", where=str(verdict), todo="repair it first")
        if _differs(known.get(table), seen, with_lots):
            lot = seen["lot"] if with_lots else None
            changed.append(accept(path, table, seen["rows"], reason=reason, date=date, lot=lot))
    return changed


def _differs(old: Expected | None, seen: Mapping, with_lots: bool) -> bool:
    if old is None or old.rows != seen["rows"]:
        return True
    return old.lot != seen["lot"] and (with_lots or old.lot is not None)


def _demand_reason_and_date(reason: str, date: str, where: str) -> None:
    if not reason.strip() or not reason.isprintable():
        raise SeedlotError("a reason is one line of text", where=where, todo="say why the count is right now")
    try:
        dt.date.fromisoformat(date)
    except ValueError:
        raise SeedlotError(f"date is '{date}', expected YYYY-MM-DD", where=where) from None
