"""The receipt of simulated raw files: the caller says how one row's file is written, the rest is here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from seedlot.catalog.files import write_whole
from seedlot.catalog.manifest import Row, raw_path
from seedlot.catalog.receipts import Receipt, write_receipt
from seedlot.config.errors import SeedlotError


def simulate(rows: list[Row], root: Path, source: str, receipt: Path, make: Callable[[Row], bytes]) -> None:
    """Write `make(row)` as the raw file of each simulated row, whole, and the receipt of all rows.

    Raises SeedlotError when a row gives a digest that the bytes do not have.
    """
    found = []
    for row in rows:
        data = make(row)
        digest = hashlib.sha256(data).hexdigest()
        if row.sha256 and row.sha256 != digest:
            raise SeedlotError(
                f"simulated bytes of '{row.item}' have sha256 {digest}, the manifest says {row.sha256}",
                todo="the simulator changed: correct the manifest and say why",
            )
        path = raw_path(root, source, row)
        write_whole(path, data)
        found.append(
            Receipt(row.item, path.relative_to(root).as_posix(), len(data), digest, row.url, "ok", "")
        )
    write_receipt(receipt, found)
