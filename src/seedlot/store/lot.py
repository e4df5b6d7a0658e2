"""Lots: a digest of what a dataset says, whatever file layout says it.

A lot is SHA-256 over a canonical byte form. For a table: the contract's `name@version`, the key, the
number of rows, and per column its name, type and the digests of its value streams, with all rows of all
shards in ascending key order. Each stream is an injective encoding of the column given its type, so two
tables with one lot hold the same rows unless SHA-256 itself collides; no weaker sum or xor of row
digests is involved. How rows are cut into files, row groups and batches, and how values are compressed
or dictionary encoded, does not enter. Rows come in key order from a merge of the sorted shards, in
bounded memory; keys must therefore be unique over the whole table.

Conventions: any NaN equals any other NaN, -0.0 equals 0.0, a null differs from every value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seedlot.config.errors import SeedlotError
from seedlot.store.parquet import conform, descents, first_not_ascending, group_rows, open_parquet, repeats

LOT = 1  # raised by hand when the canonical form changes
WINDOW_ROWS = 2**18
SLAB_BYTES = 64 * 2**20
SAMPLES = 5


@dataclass(frozen=True)
class Scan:
    """What one pass over all shards of a table saw; `lot` is None when a key occurs twice.

    rows: rows in all shards. duplicates: rows whose key equals that of the row before in key order.
    samples: up to SAMPLES such keys, each a list of values in the order of the key columns.
    """

    lot: str | None
    rows: int
    duplicates: int
    samples: list[list]


def table_lot(
    paths: Sequence[Path | str],
    contract_id: str,
    schema: pa.Schema,
    key: Sequence[str],
    volatile: Sequence[str] = (),
) -> str:
    """The lot of a table given as its shard files, in any order; `volatile` columns are left out.

    Returns 64 hexadecimal digits. Raises SeedlotError when a key occurs twice (in one or two shards), a
    shard is not sorted, or a file does not fit `schema`.
    """
    scan = scan_table(paths, contract_id, schema, key, volatile)
    if scan.lot is None:
        raise SeedlotError(
            f"no lot: {scan.duplicates} duplicate keys, e.g. {dict(zip(key, scan.samples[0]))}",
            where=contract_id,
            todo="find which shards hold the row twice; an item belongs to one shard",
        )
    return scan.lot


def scan_table(
    paths: Sequence[Path | str],
    contract_id: str,
    schema: pa.Schema,
    key: Sequence[str],
    volatile: Sequence[str] = (),
) -> Scan:
    """One pass over all shards for the lot, the row count and repeated keys. See `table_lot`."""
    fields = [f for f in schema if f.name not in volatile]
    streams = [_Stream(f.type) for f in fields]
    rows = duplicates = 0
    samples: list[list] = []
    last: pa.Table | None = None
    for window in merged(paths, schema, key):
        keys = window.select(list(key))
        joined = keys if last is None else pa.concat_tables([last, keys])
        again = repeats(joined, key)
        duplicates += len(again)
        for at in again[: SAMPLES - len(samples)]:
            samples.append(list(joined.slice(int(at), 1).to_pylist()[0].values()))
        last = keys.slice(keys.num_rows - 1)
        rows += window.num_rows
        for field, stream in zip(fields, streams):
            for chunk in window.column(field.name).chunks:
                stream.update(chunk)
    columns = [[f.name, type_name(f.type), s.digest()] for f, s in zip(fields, streams)]
    lot = _digest(["table", LOT, contract_id, list(key), rows, columns])
    return Scan(None if duplicates else lot, rows, duplicates, samples)


def merged(
    paths: Sequence[Path | str], schema: pa.Schema, key: Sequence[str], window_rows: int | None = None
) -> Iterator[pa.Table]:
    """All rows of several sorted shards in ascending key order, as tables of about `window_rows` rows.

    By default that is WINDOW_ROWS, or fewer for wide rows (`parquet.group_rows`). Memory is bounded by
    `window_rows` plus one batch per shard. Equal keys stay beside each other.
    Raises SeedlotError for a shard whose own rows are out of order or that does not fit `schema`.
    """
    window_rows = window_rows or min(WINDOW_ROWS, group_rows(schema))
    share = max(1024, window_rows // max(1, len(paths)))
    shards = [_Shard(Path(p), schema, key, share) for p in sorted(map(Path, paths))]
    try:
        open_shards = [s for s in shards if s.fill()]
        while open_shards:
            frontier = _least([s.last_key() for s in open_shards if not s.done])
            pieces = [s.take_upto(frontier) for s in open_shards]
            window = pa.concat_tables([p for p in pieces if p.num_rows])
            yield _in_order(window, key)
            open_shards = [s for s in open_shards if s.fill()]
    finally:
        for shard in shards:
            shard.close()


class _Shard:
    """One sorted file of a merge: the rows read and not yet handed out."""

    def __init__(self, path: Path, schema: pa.Schema, key: Sequence[str], rows: int):
        self.path, self.schema, self.key = path, schema, list(key)
        self.file = open_parquet(path)
        self.batches = self.file.iter_batches(batch_size=rows, use_threads=False)
        self.held: pa.Table | None = None
        self.last: pa.Table | None = None
        self.done = False

    def fill(self) -> bool:
        """Read on when nothing is held; whether rows are held afterwards."""
        while (self.held is None or not self.held.num_rows) and not self.done:
            batch = next(self.batches, None)
            if batch is None:
                self.done = True
                break
            table = conform(pa.Table.from_batches([batch]), self.schema, self.path)
            self._demand_order(table)
            self.held = table
        return self.held is not None and self.held.num_rows > 0

    def _demand_order(self, table: pa.Table) -> None:
        keys = table.select(self.key)
        window = keys if self.last is None else pa.concat_tables([self.last, keys])
        wrong = descents(window, self.key)
        if len(wrong):
            seen = window.slice(int(wrong[0]) - 1, 2).to_pylist()
            raise SeedlotError(
                f"rows out of key order: {seen}", where=str(self.path), todo="rebuild the file"
            )
        self.last = keys.slice(max(keys.num_rows - 1, 0))

    def last_key(self) -> tuple:
        return tuple(self.held.select(self.key).slice(self.held.num_rows - 1).to_pylist()[0].values())

    def take_upto(self, frontier: tuple | None) -> pa.Table:
        """Hand out the held rows whose key is at most `frontier` (all of them for None)."""
        table = self.held
        count = table.num_rows if frontier is None else _count_upto(table, self.key, frontier)
        self.held = table.slice(count)
        return table.slice(0, count)

    def close(self) -> None:
        self.file.close()


def _least(keys: list[tuple]) -> tuple | None:
    """The smallest key; text compares by UTF-8 bytes, which is the order of code points."""
    return min(keys, default=None)


def _count_upto(table: pa.Table, key: Sequence[str], frontier: tuple) -> int:
    """Rows of a sorted table whose key is at most `frontier`, by bisection."""
    low, high = 0, table.num_rows
    columns = [table.column(k) for k in key]
    while low < high:
        middle = (low + high) // 2
        if tuple(c[middle].as_py() for c in columns) <= frontier:
            low = middle + 1
        else:
            high = middle
    return low


def _in_order(window: pa.Table, key: Sequence[str]) -> pa.Table:
    """The rows of concatenated sorted pieces in key order.

    Items live in one shard each, so ordering by the first key column alone, stably, is mostly enough; that
    order is checked and the full sort runs only when it is not.
    """
    if first_not_ascending(window, key) is None:
        return window
    first = pc.rank(window.column(key[0]), sort_keys="ascending", tiebreaker="dense").to_numpy()
    window = window.take(np.argsort(first, kind="stable"))
    if first_not_ascending(window, key) is None:
        return window
    return window.sort_by([(k, "ascending") for k in key])


class _Stream:
    """Running digests of one column: values, lengths and null positions, each independent of batches.

    Fixed-width values go in as little-endian bytes with nulls as zero; text as its bytes and, apart, its
    lengths; lists as lengths and the stream of their elements. Null positions are row numbers.
    """

    def __init__(self, kind: pa.DataType):
        self.kind = kind
        self.rows = 0
        self.values, self.lengths, self.nulls = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
        self.inner = _Stream(kind.value_type) if pa.types.is_list(kind) else None

    def update(self, chunk: pa.Array) -> None:
        if chunk.null_count:
            missing = np.flatnonzero(chunk.is_null().to_numpy(zero_copy_only=False)) + self.rows
            self.nulls.update(missing.astype("<i8").tobytes())
        self.rows += len(chunk)
        if self.inner is not None:
            self.lengths.update(_lengths(pc.list_value_length(chunk)))
            self.inner.update(chunk.flatten())
        elif pa.types.is_string(self.kind):
            chunk = chunk.fill_null("") if chunk.null_count else chunk
            self.lengths.update(_lengths(pc.binary_length(chunk)))
            self.values.update(_text_bytes(chunk))
        else:
            self.values.update(_fixed_bytes(chunk))

    def digest(self) -> list:
        inner = self.inner.digest() if self.inner is not None else None
        return [self.rows, self.values.hexdigest(), self.lengths.hexdigest(), self.nulls.hexdigest(), inner]


def _lengths(lengths: pa.Array) -> bytes:
    return pc.fill_null(lengths, 0).to_numpy(zero_copy_only=False).astype("<i8").tobytes()


def _text_bytes(chunk: pa.Array) -> memoryview:
    """The concatenated bytes of a string array without nulls, wherever its slice starts."""
    _, offsets, data = chunk.buffers()
    if not len(chunk) or data is None:
        return memoryview(b"")
    bounds = np.frombuffer(offsets, dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    return memoryview(data)[int(bounds[0]) : int(bounds[-1])]


def _fixed_bytes(chunk: pa.Array) -> bytes:
    if pa.types.is_date32(chunk.type):
        chunk = chunk.cast(pa.int32())
    if pa.types.is_boolean(chunk.type):
        chunk = chunk.cast(pa.uint8())
    if chunk.null_count:
        chunk = chunk.fill_null(0)
    return canonical_bytes(chunk.to_numpy(zero_copy_only=False))


def canonical_bytes(values: np.ndarray) -> bytes:
    """Little-endian bytes in C order; every NaN the one quiet NaN, -0.0 as 0.0."""
    if values.dtype.kind in "fc":
        values = np.atleast_1d(values) + values.dtype.type(
            0
        )  # -0.0 + 0.0 is 0.0; a copy, so the caller's array stays
        parts = values.view(values.real.dtype)
        parts[np.isnan(parts)] = np.nan
    return np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()


def type_name(kind: pa.DataType) -> str:
    """Arrow's name of a type, without the arbitrary inner field names of lists."""
    return f"list<{type_name(kind.value_type)}>" if pa.types.is_list(kind) else str(kind)


def zarr_lot(path: Path | str, contract_id: str) -> str:
    """The lot of a Zarr v3 group: attributes of groups and arrays, shapes, types, dimension names, values.

    Chunks, shards, codecs and fill values do not enter. Values are read in slabs along the first axis, in
    bounded memory. Raises SeedlotError when `path` is no Zarr group or holds values other than numbers.
    """
    import zarr

    try:
        root = zarr.open_group(Path(path), mode="r", zarr_format=3)
    except (FileNotFoundError, ValueError) as error:
        raise SeedlotError(f"not a Zarr v3 group: {error}", where=str(path), todo="rebuild it") from None
    members = dict(root.members(max_depth=None))
    parts: list = [["", dict(root.attrs)]]
    for name in sorted(members):
        node = members[name]
        part: list = [name, dict(node.attrs)]
        if isinstance(node, zarr.Array):
            if node.dtype.kind not in "biufc":
                raise SeedlotError(
                    f"array '{name}' holds {node.dtype}", where=str(path), todo="store numbers only"
                )
            part += [list(node.shape), node.dtype.newbyteorder("<").str, node.metadata.dimension_names]
            part.append(_array_digest(node))
        parts.append(part)
    return _digest(["zarr", LOT, contract_id, parts])


def _array_digest(array) -> str:
    digest = hashlib.sha256()
    if array.ndim == 0:
        digest.update(canonical_bytes(np.asarray(array[()])))
        return digest.hexdigest()
    row = max(1, int(np.prod(array.shape[1:], dtype=np.int64)) * array.dtype.itemsize)
    rows = max(1, SLAB_BYTES // row)
    if rows > array.chunks[0]:
        rows -= rows % array.chunks[0]
    for start in range(0, array.shape[0], rows):
        digest.update(canonical_bytes(np.asarray(array[start : start + rows])))
    return digest.hexdigest()


def _digest(value: list) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
