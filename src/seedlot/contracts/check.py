"""One streaming pass over a shard counts how often each promise of its contract is broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa

from seedlot.config.errors import SeedlotError
from seedlot.contracts.model import Column, Contract, contract
from seedlot.store.job import Job
from seedlot.store.lot import SAMPLES, type_name
from seedlot.store.parquet import descents, group_rows, open_parquet, write_table

BATCH_ROWS = 2**18

# One row per shard and promise. `violations`: rows (for `schema`, differences) that break it; `samples`: keys
# of the first of them, each a JSON list of the key columns' values (for `schema`, the differences in words).
# Counts of nulls and the range are given per column, for number columns only; nothing measured in seconds
# (a volatile column) has a range, so that equal data give equal check tables.
CHECK_SCHEMA = pa.schema(
    [
        pa.field("table", pa.string(), nullable=False),
        pa.field("shard", pa.string(), nullable=False),
        pa.field("check", pa.string(), nullable=False),
        pa.field("subject", pa.string(), nullable=False),
        pa.field("contract", pa.string(), nullable=False),
        pa.field("rows", pa.int64(), nullable=False),
        pa.field("violations", pa.int64(), nullable=False),
        pa.field("nulls", pa.int64()),
        pa.field("min", pa.float64()),
        pa.field("max", pa.float64()),
        pa.field("samples", pa.list_(pa.string()), nullable=False),
    ]
)
CHECK_KEY = ("table", "shard", "check", "subject")


def run(job: Job) -> None:
    """Check the shards of one or several tables.

    params: `tables`, names of contracts. input: per table its file or files, under the table's name.
    output: `checks`, one check table (CHECK_SCHEMA). Broken promises are counted, not raised; SeedlotError
    means that a contract's rule is no valid expression or a file is no Parquet.
    """
    rows: list[dict[str, Any]] = []
    for name in job.params["tables"]:
        promised = contract(name)
        for path in job.paths(name):
            rows += check_file(promised, path)
    write_table(job.output["checks"], pa.Table.from_pylist(rows, CHECK_SCHEMA), CHECK_SCHEMA, CHECK_KEY)


def check_file(promised: Contract, path: Path) -> list[dict[str, Any]]:
    """The check-table rows of one shard, in bounded memory. A file of another schema gets only that row."""
    shard = {"table": promised.name, "shard": path.stem, "contract": promised.id}
    with open_parquet(path) as file:
        wrong = schema_differences(file.schema_arrow, promised.arrow_schema())
        total = file.metadata.num_rows
        first = _row(shard, "schema", "", total, len(wrong), samples=wrong)
        if wrong:
            return [first]
        tally = _Tally(promised)
        size = min(BATCH_ROWS, group_rows(promised.arrow_schema()))
        for batch in file.iter_batches(batch_size=size, use_threads=False):
            tally.add(pa.Table.from_batches([batch]))
    return [first, *tally.rows(shard, total)]


def schema_differences(seen: pa.Schema, wanted: pa.Schema) -> list[str]:
    """Differences in columns, their order, types and nullability, in words. Metadata is not compared."""
    words = [f"column '{n}' is missing" for n in wanted.names if n not in seen.names]
    words += [f"column '{n}' is not in the contract" for n in seen.names if n not in wanted.names]
    if words or seen.names != wanted.names:
        return words or [f"columns are in the order {', '.join(seen.names)}"]
    for have, want in zip(seen, wanted):
        if type_name(have.type) != type_name(want.type):
            words.append(f"column '{want.name}' is {have.type}, expected {want.type}")
        elif have.nullable != want.nullable:
            words.append(f"column '{want.name}' {'may' if have.nullable else 'may not'} be null")
    return words


def violations(promised: Contract) -> dict[tuple[str, str], pl.Expr]:
    """(check, subject) -> boolean expression, true for rows that break the promise.

    Checks: `nulls`, `range` (NaN breaks a range), `allowed`, `pattern` (whole text) per column, and `rule`
    per rule. A null breaks `nulls` only. Raises SeedlotError for a rule that does not parse, names an unknown
    column or is not true/false.
    """
    broken: dict[tuple[str, str], pl.Expr] = {}
    for column in promised.columns:
        for check, expression in _column_checks(column):
            broken[check, column.name] = expression.fill_null(False)
    empty = pl.from_arrow(promised.arrow_schema().empty_table())
    for rule in promised.checks:
        where = f"contract {promised.name}, check '{rule.name}'"
        try:
            expression = pl.sql_expr(rule.expr)
            kind = empty.select(expression.alias("rule")).schema["rule"]
        except pl.exceptions.PolarsError as error:
            raise SeedlotError(f"'{rule.expr}' is no valid rule: {error}", where=where) from None
        if kind != pl.Boolean:
            raise SeedlotError(f"'{rule.expr}' gives {kind}, not true or false", where=where)
        broken["rule", rule.name] = expression.not_().fill_null(False)
    return broken


def _column_checks(column: Column) -> Iterator[tuple[str, pl.Expr]]:
    value = pl.col(column.name)
    if not column.nullable:
        yield "nulls", value.is_null()
    if column.min is not None or column.max is not None:
        outside = pl.lit(False)
        if column.min is not None:
            outside = outside | (value < column.min)
        if column.max is not None:
            outside = outside | (value > column.max)
        yield "range", (outside | value.is_nan()) if column.type.startswith("float") else outside
    if column.allowed is not None:
        yield "allowed", value.is_in(column.allowed).not_()
    if column.pattern is not None:
        yield "pattern", value.str.contains(f"^(?:{column.pattern})$").not_()


class _Tally:
    """Running counts over the batches of one shard."""

    def __init__(self, promised: Contract):
        self.key = promised.key
        self.broken = violations(promised)
        self.counts = dict.fromkeys(self.broken, 0) | {("key_order", ""): 0}
        self.samples: dict[tuple[str, str], list[str]] = {name: [] for name in self.counts}
        self.stats = {c.name: [0, None, None] for c in promised.columns}
        self.ranged = [
            c.name for c in promised.columns if c.type.startswith(("int", "uint", "float")) and not c.volatile
        ]
        self.last: pa.Table | None = None

    def add(self, batch: pa.Table) -> None:
        if not batch.num_rows:
            return
        self._key_order(batch)
        frame = pl.from_arrow(batch)
        names = list(self.broken)
        exprs = [expr.sum().alias(str(i)) for i, expr in enumerate(self.broken.values())]
        counts = frame.select(exprs).row(0) if exprs else ()
        for name, count in zip(names, counts):
            self.counts[name] += count
            room = SAMPLES - len(self.samples[name])
            if count and room > 0:
                keys = frame.filter(self.broken[name]).select(self.key).head(room)
                self.samples[name] += [sample(row) for row in keys.rows()]
        for name, stat in self.stats.items():
            stat[0] += frame[name].null_count()
        if self.ranged:
            low = frame.select(pl.col(self.ranged).min()).row(0)
            high = frame.select(pl.col(self.ranged).max()).row(0)
            for name, least, most in zip(self.ranged, low, high):
                stat = self.stats[name]
                stat[1] = least if stat[1] is None or (least is not None and least < stat[1]) else stat[1]
                stat[2] = most if stat[2] is None or (most is not None and most > stat[2]) else stat[2]

    def _key_order(self, batch: pa.Table) -> None:
        keys = batch.select(self.key)
        window = keys if self.last is None else pa.concat_tables([self.last, keys])
        wrong = descents(window, self.key)
        self.counts["key_order", ""] += len(wrong)
        held = self.samples["key_order", ""]
        for at in wrong[: SAMPLES - len(held)]:
            held.append(sample(window.slice(int(at), 1).to_pylist()[0].values()))
        self.last = keys.slice(keys.num_rows - 1)

    def rows(self, shard: dict[str, Any], total: int) -> Iterator[dict[str, Any]]:
        for (check, subject), count in self.counts.items():
            yield _row(shard, check, subject, total, count, samples=self.samples[check, subject])
        for name, (nulls, least, most) in self.stats.items():
            yield _row(shard, "column", name, total, 0, nulls=nulls, low=least, high=most)


def sample(key: Any) -> str:
    """A key as it stands in check tables and verdicts: a JSON list."""
    return json.dumps(list(key), ensure_ascii=False, default=str)


def _row(
    shard: dict[str, Any],
    check: str,
    subject: str,
    rows: int,
    count: int,
    *,
    nulls: int | None = None,
    low: float | None = None,
    high: float | None = None,
    samples: list[str] | None = None,
) -> dict[str, Any]:
    return {
        **shard,
        "check": check,
        "subject": subject,
        "rows": rows,
        "violations": count,
        "nulls": nulls,
        "min": None if low is None else float(low),
        "max": None if high is None else float(high),
        "samples": samples or [],
    }
