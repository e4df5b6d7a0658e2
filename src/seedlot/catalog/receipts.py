"""Receipts: what a fetch brought for each item, or why it brought nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from seedlot.catalog.manifest import Row, row_digest
from seedlot.catalog.tsv import read_tsv, write_tsv
from seedlot.config.errors import SeedlotError, unknown

STATUSES = ("failed", "missing", "no_access", "ok")


@dataclass(frozen=True)
class Receipt:
    """One item of a receipt. path: relative to the root, '' unless status is ok. bytes, sha256: of that file."""

    item: str
    path: str
    bytes: int | None
    sha256: str
    url: str
    status: str
    reason: str

    @property
    def item_status(self) -> str:
        """The status of an item whose file did not come: no_access, or failed for every other cause."""
        return "no_access" if self.status == "no_access" else "failed"


def receipt_path(root: Path, source: str, rows: Sequence[Row]) -> Path:
    """`raw/<source>/<origin>/receipts/<digest of the rows>.tsv`; the rows share their origin, not their release."""
    origins = {row.origin for row in rows}
    if len(origins) != 1:
        raise SeedlotError(f"a receipt belongs to one origin, saw {sorted(origins)}")
    return Path(root) / "raw" / source / origins.pop() / "receipts" / f"{row_digest(rows)}.tsv"


def write_receipt(path: Path, receipts: Iterable[Receipt]) -> None:
    """Write a receipt whole, sorted by item."""
    header = [item.name for item in fields(Receipt)]
    rows = [["" if cell is None else str(cell) for cell in astuple(one)] for one in receipts]
    write_tsv(path, header, sorted(rows))


def read_receipt(path: Path) -> list[Receipt]:
    """The rows of a receipt, sorted by item. Raises SeedlotError with file:line when it was damaged."""
    found = []
    for number, cells in read_tsv(path, [item.name for item in fields(Receipt)]):
        if cells["status"] not in STATUSES:
            raise unknown("status", cells["status"], STATUSES, where=f"{path}:{number}")
        size = cells["bytes"]
        if size and not size.isdigit():
            raise SeedlotError(f"bytes: expected a whole number, saw '{size}'", where=f"{path}:{number}")
        found.append(Receipt(**(cells | {"bytes": int(size) if size else None})))
    return found


def fetched(paths: Iterable[Path], items: list[dict]) -> Iterator[Receipt]:
    """The receipts whose file is there, in order; every other one becomes a row of `items` with its reason."""
    for receipt in (one for path in paths for one in read_receipt(path)):
        if receipt.status == "ok":
            yield receipt
        else:
            items.append({"item": receipt.item, "status": receipt.item_status, "reason": receipt.reason})
