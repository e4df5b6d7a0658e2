"""The one Parquet writer: exact schema, sorted unique key, bytes that are a function of the rows alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from seedlot.config.errors import SeedlotError
from seedlot.store.atomic import atomic_path

# Raised by hand whenever the same rows would give other bytes under the same library versions.
FORMAT = 1
GROUP_BYTES = 128 * 2**20
GROUP_ROWS = 2**20
ZSTD_LEVEL = 3
READ_BUFFER = 2**20
# Assumed bytes of one value whose width the schema does not fix; real widths are checked per group.
STRING_WIDTH = 64
LIST_WIDTH = 512


def write_table(
    path: Path | str,
    data: pa.Table | Iterable[pa.RecordBatch],
    schema: pa.Schema,
    key: Sequence[str],
) -> int:
    """Write rows to `path` with exactly `schema`, in ascending order of `key`, and return their number.

    A Table is sorted here. A stream of record batches must already be in strictly ascending key order
    and is written in bounded memory. Text sorts by its UTF-8 bytes. With an empty `key` the rows keep
    the order they come in. Columns may come in any order and in any Arrow encoding of the same type
    (large, view or dictionary strings); other differences from `schema` are refused. The bytes depend on
    the rows, the schema with its metadata, FORMAT and the pyarrow version: not on threads, batches or time.
    Raises SeedlotError for missing, surplus or mistyped columns, nulls in a non-null column or in the
    key, duplicate keys, and a stream out of order.
    """
    path = Path(path)
    schema = schema.with_metadata({**(schema.metadata or {}), b"seedlot.format": str(FORMAT).encode()})
    if isinstance(data, pa.Table):
        batches: Iterable[pa.Table] = [_sorted(conform(data, schema, path), key)]
    else:
        batches = (conform(pa.Table.from_batches([batch]), schema, path) for batch in data)
    rows = 0
    with atomic_path(path) as part, _writer(part, schema, key) as writer:
        for group in _groups(_checked(batches, schema, key, path), schema):
            writer.write_table(group, row_group_size=max(group.num_rows, 1))
            rows += group.num_rows
    return rows


def read_table(paths: Path | str | Sequence[Path | str], columns: Sequence[str] | None = None) -> pa.Table:
    """Read one file, or several of one table, in the order given; `columns` selects and orders columns.

    Raises SeedlotError for a file that is missing or is not Parquet, an absent column, and files whose
    schemas differ.
    """
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    if not files:
        raise SeedlotError("no files to read", todo="name at least one Parquet file")
    tables = []
    for file in files:
        with open_parquet(file) as reader:
            absent = [c for c in columns or [] if c not in reader.schema_arrow.names]
            if absent:
                raise SeedlotError(
                    f"no column {', '.join(absent)}; it has {reader.schema_arrow.names}", where=str(file)
                )
            table = reader.read(columns=None if columns is None else list(columns), use_threads=False)
        tables.append(table if columns is None else table.select(list(columns)))
        if not table.schema.equals(tables[0].schema) and columns is None:
            raise SeedlotError(
                f"schema differs from that of {files[0]}", where=str(file), todo="rebuild both"
            )
    return pa.concat_tables(tables)


def open_parquet(path: Path | str) -> pq.ParquetFile:
    """Open a Parquet file for reading in pieces, without holding whole column chunks in memory.

    Raises SeedlotError when it is missing or is something else.
    """
    try:
        return pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BUFFER)
    except FileNotFoundError:
        raise SeedlotError(
            "file does not exist", where=str(path), todo="run the rule that makes it"
        ) from None
    except pa.ArrowInvalid as error:
        raise SeedlotError(
            f"not a readable Parquet file: {error}", where=str(path), todo="rebuild it"
        ) from None


def group_rows(schema: pa.Schema) -> int:
    """Rows of a full row group: as many as fit GROUP_BYTES by the schema's widths, at most GROUP_ROWS."""
    return max(1, min(GROUP_ROWS, GROUP_BYTES // max(1, sum(_width(f.type) for f in schema))))


def _width(kind: pa.DataType) -> int:
    if pa.types.is_boolean(kind):
        return 1
    if pa.types.is_primitive(kind):
        return kind.bit_width // 8
    return LIST_WIDTH if pa.types.is_list(kind) else STRING_WIDTH


def _writer(part: Path, schema: pa.Schema, key: Sequence[str]) -> pq.ParquetWriter:
    text = [f.name for f in schema if pa.types.is_string(f.type)]
    order = pq.SortingColumn.from_ordering(schema, [(k, "ascending") for k in key]) if key else None
    return pq.ParquetWriter(
        part,
        schema,
        version="2.6",
        compression="zstd",
        compression_level=ZSTD_LEVEL,
        use_dictionary=text or False,
        write_statistics=True,
        sorting_columns=order,
        store_schema=True,
    )


def conform(table: pa.Table, schema: pa.Schema, path: Path) -> pa.Table:
    """The table with exactly the columns, order, types and metadata of `schema`, or a SeedlotError."""
    problems = []
    for name in sorted(set(schema.names) - set(table.column_names)):
        problems.append(f"column '{name}' is missing")
    for name in sorted(set(table.column_names) - set(schema.names)):
        problems.append(f"column '{name}' is not in the contract")
    if len(set(table.column_names)) != len(table.column_names):
        problems.append("a column name occurs twice")
    columns = []
    for field in () if problems else schema:
        column = table.column(field.name)
        if not _same_meaning(column.type, field.type):
            problems.append(f"column '{field.name}' is {column.type}, expected {field.type}")
            continue
        column = column if column.type == field.type else _recode(column, field.type)
        if not field.nullable and column.null_count:
            row = pc.index(pc.is_null(column), True).as_py()
            problems.append(
                f"column '{field.name}' has {column.null_count} nulls (first at row {row}), none allowed"
            )
        columns.append(column)
    if problems:
        raise SeedlotError("rows do not fit the schema: " + "; ".join(problems), where=str(path))
    return pa.table(columns, schema=schema)


def _same_meaning(seen: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether `seen` differs from `wanted` at most in how Arrow lays it out in memory."""
    if pa.types.is_dictionary(seen):
        return _same_meaning(seen.value_type, wanted)
    if pa.types.is_null(seen):
        return True
    if pa.types.is_string(wanted):
        return pa.types.is_string(seen) or pa.types.is_large_string(seen) or pa.types.is_string_view(seen)
    if pa.types.is_list(wanted):
        listed = pa.types.is_list(seen) or pa.types.is_large_list(seen) or pa.types.is_fixed_size_list(seen)
        return listed and _same_meaning(seen.value_type, wanted.value_type)
    return seen == wanted


def _recode(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(wanted)


def _sorted(table: pa.Table, key: Sequence[str]) -> pa.Table:
    if not key or first_not_ascending(table, key) is None:
        return table
    return table.sort_by([(k, "ascending") for k in key])


def _checked(
    batches: Iterable[pa.Table], schema: pa.Schema, key: Sequence[str], path: Path
) -> Iterator[pa.Table]:
    """Pass batches on after checking the key: no nulls, and strictly ascending across batches."""
    for name in key:
        if name not in schema.names:
            raise SeedlotError(f"key column '{name}' is not in the schema", where=str(path))
    last: pa.Table | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        for name in key:
            if batch.column(name).null_count:
                raise SeedlotError(f"key column '{name}' has nulls", where=str(path))
        if key:
            keys = batch.select(list(key))
            window = keys if last is None else pa.concat_tables([last, keys])
            at = first_not_ascending(window, key)
            if at is not None:
                raise _order_error(window, key, at, path)
            last = keys.slice(keys.num_rows - 1)
        yield batch


def _order_error(window: pa.Table, key: Sequence[str], at: int, path: Path) -> SeedlotError:
    one, two = (window.select(list(key)).slice(at + i, 1).to_pylist()[0] for i in (0, 1))
    if one == two:
        return SeedlotError(
            f"duplicate key {one}", where=str(path), todo="keep one of the rows, reject the others"
        )
    return SeedlotError(
        f"rows out of key order: {two} after {one}", where=str(path), todo="sort the stream first"
    )


def first_not_ascending(table: pa.Table, key: Sequence[str]) -> int | None:
    """Index of the first row whose successor's key is not strictly larger, or None."""
    at = pc.index(_ascends(table, key), False).as_py() if table.num_rows > 1 else -1
    return None if at < 0 else at


def repeats(table: pa.Table, key: Sequence[str]) -> np.ndarray:
    """Positions of rows whose key equals that of the row before. int64."""
    same = np.ones(max(table.num_rows - 1, 0), dtype=bool)
    for name in key:
        column = table.column(name)
        same &= pc.equal(column.slice(0, len(same)), column.slice(1)).to_numpy()
    return np.flatnonzero(same) + 1


def descents(table: pa.Table, key: Sequence[str]) -> np.ndarray:
    """Positions of rows whose key is smaller than that of the row before. int64."""
    if table.num_rows < 2:
        return np.empty(0, dtype=np.int64)
    return np.setdiff1d(np.flatnonzero(~_ascends(table, key).to_numpy()) + 1, repeats(table, key))


def _ascends(table: pa.Table, key: Sequence[str]) -> pa.ChunkedArray:
    """For each row but the last, whether the next row's key is strictly larger."""
    ascends = None
    for name in reversed(key):
        column = table.column(name)
        left, right = column.slice(0, len(column) - 1), column.slice(1)
        less = pc.less(left, right)
        ascends = less if ascends is None else pc.or_(less, pc.and_(pc.equal(left, right), ascends))
    return ascends


def _groups(batches: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """Cut the row sequence into row groups at places that depend on the rows only, not on the batches."""
    limit = group_rows(schema)
    held: list[pa.Table] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        while rows >= limit:
            table = pa.concat_tables(held)
            yield from _bounded(table.slice(0, limit))
            held, rows = [table.slice(limit)], rows - limit
    if rows:
        yield from _bounded(pa.concat_tables(held))


def _bounded(table: pa.Table) -> Iterator[pa.Table]:
    """Halve a group until its values fit GROUP_BYTES; each piece is one contiguous chunk."""
    if table.num_rows > 1 and sum(_value_bytes(c) for c in table.columns) > GROUP_BYTES:
        half = table.num_rows // 2
        yield from _bounded(table.slice(0, half))
        yield from _bounded(table.slice(half))
    else:
        yield table.combine_chunks()


def _value_bytes(column: pa.ChunkedArray) -> int:
    if pa.types.is_list(column.type):
        inner = pa.chunked_array([chunk.flatten() for chunk in column.chunks], type=column.type.value_type)
        return 4 * len(column) + _value_bytes(inner)
    if pa.types.is_string(column.type) or pa.types.is_binary(column.type):
        return 4 * len(column) + (pc.sum(pc.binary_length(column)).as_py() or 0)
    return _width(column.type) * len(column)
