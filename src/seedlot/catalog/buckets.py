"""Shards: which items are worked on together. A new item never moves another one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

from seedlot.catalog.manifest import Row
from seedlot.config.errors import SeedlotError


def bucket_of(item: str, buckets: int) -> int:
    """0 … buckets-1, a function of the item's name alone, the same on every machine and Python."""
    if buckets < 1:
        raise SeedlotError(f"the number of buckets must be 1 or more, saw {buckets}")
    return int.from_bytes(hashlib.sha256(item.encode()).digest()[:8], "big") % buckets


def size_of(row: Row) -> int:
    """Bytes of the item as far as the manifest tells: 0 when unknown or when only its container is known."""
    return 0 if row.origin == "upstream" and row.container else (row.bytes or 0)


def shard_of(row: Row, buckets: int, cap: int | None, size: Callable[[Row], int] = size_of) -> str:
    """`b000` … for a bucket, `i_<item>` for an item above `cap` bytes, which is its own shard."""
    if cap is not None and size(row) > cap:
        return f"i_{row.item}"
    width = max(3, len(str(buckets - 1)))
    return f"b{bucket_of(row.item, buckets):0{width}d}"


def shards(
    rows: Iterable[Row], buckets: int, cap: int | None = None, size: Callable[[Row], int] = size_of
) -> dict[str, list[Row]]:
    """Shard name -> its rows sorted by item, names sorted; a bucket without items has no entry."""
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.item):
        found.setdefault(shard_of(row, buckets, cap, size), []).append(row)
    return dict(sorted(found.items()))
