"""The first measurement of each claim, committed: what a later edit of a claim's text is held against."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from seedlot.catalog.tsv import read_tsv, write_tsv
from seedlot.config.errors import SeedlotError

LOCK = Path("resources/claims.lock.tsv")


@dataclass(frozen=True)
class Locked:
    """A claim as it was first measured. value: shortest decimal text of the number. commit: '' outside git."""

    study: str
    claim: str
    text_digest: str
    commit: str
    value: str
    unit: str
    evidence: str
    run: str
    date: str
    reason: str


def read_lock(path: Path = LOCK) -> dict[tuple[str, str], Locked]:
    """(study, claim) -> its first measurement; {} when nothing was accepted yet.

    Raises SeedlotError with file:line for a damaged row, and for claims listed twice or out of order.
    """
    found: dict[tuple[str, str], Locked] = {}
    if not path.exists():
        return found
    names = [item.name for item in fields(Locked)]
    for number, cells in read_tsv(path, names):
        row = Locked(**{name: cells[name] for name in names})
        where = f"{path}:{number}"
        if not re.fullmatch(r"[0-9a-f]{64}", row.text_digest):
            raise SeedlotError("text_digest: expected 64 hexadecimal digits", where=where)
        try:
            float(row.value)
            dt.date.fromisoformat(row.date)
        except ValueError as error:
            raise SeedlotError(str(error), where=where) from None
        if found and (row.study, row.claim) <= max(found):
            raise SeedlotError(
                f"claim '{row.study} {row.claim}' is listed twice or out of order", where=where
            )
        found[row.study, row.claim] = row
    return found


def write_lock(path: Path, rows: Iterable[Locked]) -> None:
    """Write the lock sorted by study and claim."""
    cells = sorted(astuple(row) for row in rows)
    write_tsv(path, [item.name for item in fields(Locked)], cells)


def amended(row: Mapping[str, Any], lock: Mapping[tuple[str, str], Locked]) -> str:
    """'' when a ledger row's text is the one first measured or was never accepted, else a phrase with both values."""
    first = lock.get((row["study"], row["claim"]))
    if first is None or first.text_digest == row["text_digest"]:
        return ""
    now = "not measured" if row["value"] is None else f"{row['value']:.4g} {row['unit']}"
    commit = f", commit {first.commit}" if first.commit else ""
    was = f"{float(first.value):.4g} {first.unit} (run {first.run}, {first.evidence} evidence, {first.date}{commit})"
    return f"the text was edited after its first measurement: then {was}, now {now}"
