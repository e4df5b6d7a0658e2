"""From check tables, whole-table passes, items and accepted counts to the measures of one table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from seedlot.config.errors import SeedlotError
from seedlot.contracts import across
from seedlot.contracts.accept import Expected
from seedlot.contracts.check import sample
from seedlot.contracts.model import Contract
from seedlot.contracts.suite import Measure
from seedlot.store.lot import SAMPLES
from seedlot.store.rejects import STATUSES

WORDS = {
    "schema": "differences between file and contract",
    "key_order": "rows out of key order",
    "nulls": "nulls in a column that has none",
    "range": "values outside the range",
    "allowed": "values outside the set",
    "pattern": "values that do not match the pattern",
    "rule": "share of rows that break the rule",
}


@dataclass(frozen=True)
class Facts:
    """What is known about a table: lot (None when it has none), rows, and per column nulls, min, max."""

    lot: str | None
    rows: int | None
    columns: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Items:
    """Sums over the items tables of a source: items per status, and raw records."""

    total: int = 0
    status: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATUSES, 0))
    read: int = 0
    kept: int = 0
    rejected: int = 0


def count_items(frame: pl.DataFrame) -> Items:
    """Sum an items table (`store.rejects.ITEM_SCHEMA`)."""
    seen = dict(frame.group_by("status").len().rows())
    read, kept, rejected = frame.select(pl.col("read", "kept", "rejected").sum()).row(0)
    return Items(frame.height, {s: seen.get(s, 0) for s in STATUSES}, read, kept, rejected)


def measure_table(
    promised: Contract,
    checks: pl.DataFrame,
    paths: Sequence[Path],
    files: Mapping[str, Sequence[Path]],
    items: Items | None,
    expected: Expected | None,
) -> tuple[list[Measure], Facts]:
    """All measures of one table, in a fixed order, and its facts.

    checks: rows of check tables, this table's are picked. paths: the table's shards; files: shards of every
    table that references may point to. Raises SeedlotError when check tables and shards do not belong together.
    """
    mine = checks.filter(pl.col("table") == promised.name)
    _demand_same_shards(promised, mine, paths)
    measures = [_counted(promised, *row) for row in _totals(mine)]
    rows: int | None = None
    lot: str | None = None
    if all(m.seen == 0 for m in measures if m.check in ("schema", "key_order")):
        found = across.scan(promised, paths)
        rows, lot = found.rows, found.lot
        if rows != mine.filter(pl.col("check") == "schema")["rows"].sum():
            raise SeedlotError(
                f"'{promised.name}' has changed since it was checked", todo="run its checks again"
            )
        measures.append(_unique(found))
        measures += [_referenced(r, across.unmet(r, paths, files)) for r in promised.references]
    if items is not None:
        measures += [_capped(limit, ceiling, items) for limit, ceiling in sorted(promised.limits.items())]
    if expected is not None and rows is not None:
        measures += _accepted(expected, rows, lot)
    return measures, Facts(lot, rows, _columns(promised, mine))


def _demand_same_shards(promised: Contract, mine: pl.DataFrame, paths: Sequence[Path]) -> None:
    given, checked = sorted(p.stem for p in paths), sorted(set(mine["shard"]))
    if not given or len(set(given)) != len(given):
        raise SeedlotError(
            f"table '{promised.name}' has shards {given}; expected at least one, each name once"
        )
    if given != checked:
        odd = sorted(set(given) ^ set(checked))
        raise SeedlotError(
            f"shards and check tables of '{promised.name}' differ in {', '.join(odd[:5])}",
            todo="run the checks of every shard again",
        )
    other = sorted(set(mine["contract"]) - {promised.id})
    if other:
        raise SeedlotError(
            f"checked under {', '.join(other)}, judged under {promised.id}", todo="check again"
        )


def _totals(mine: pl.DataFrame) -> list[tuple[str, str, int, int, tuple[str, ...]]]:
    """(check, subject, rows, violations, first samples) over all shards, in a fixed order."""
    grouped = (
        mine.filter(pl.col("check") != "column")
        .group_by("check", "subject")
        .agg(
            pl.col("rows").sum(),
            pl.col("violations").sum(),
            pl.col("samples").list.explode(empty_as_null=False),
        )
        .sort("check", "subject")
    )
    return [(c, s, rows, bad, _first(c, keys)) for c, s, rows, bad, keys in grouped.iter_rows()]


def _first(check: str, keys: list[str]) -> tuple[str, ...]:
    """The first samples in key order: each shard gives its own first, so these are the table's."""
    ordered = sorted(set(keys)) if check == "schema" else sorted(set(keys), key=json.loads)
    return tuple(ordered[:SAMPLES])


def _counted(
    promised: Contract, check: str, subject: str, rows: int, bad: int, samples: tuple[str, ...]
) -> Measure:
    if check in ("schema", "key_order"):
        todo = "the file was not written by this version under this contract: rebuild the named shards"
        return Measure(check, subject, WORDS[check], bad, todo, samples=samples)
    todo = (
        f"look up the sample keys ({', '.join(promised.key)}) in {promised.name}: correct the reader, make such "
        "records rejects, or change the contract and raise its version"
    )
    if check != "rule":
        return Measure(check, subject, WORDS[check], bad, todo, samples=samples)
    (rule,) = [r for r in promised.checks if r.name == subject]
    words = f"{WORDS['rule']} {rule.expr} ({bad} of {rows})"
    return Measure(
        check, subject, words, bad / rows if rows else 0.0, todo, high=rule.tolerance, samples=samples
    )


def _unique(found: across.Scan) -> Measure:
    todo = "an item belongs to one shard: find the two that hold the key, rebuild them"
    samples = tuple(sample(key) for key in found.samples)
    return Measure(
        "key_unique", "", "rows whose key occurred before", found.duplicates, todo, samples=samples
    )


def _referenced(reference: across.Reference, broken: across.Broken) -> Measure:
    subject = f"{', '.join(reference.columns)} -> {reference.table}"
    todo = f"the samples have no row in {reference.table}: rebuild whichever of the two is older"
    words = f"combinations without a row in {reference.table} ({', '.join(reference.to)})"
    return Measure("reference", subject, words, broken.count, todo, samples=tuple(broken.samples))


def _capped(limit: str, ceiling: float, items: Items) -> Measure:
    kind = limit.removeprefix("max_").removesuffix("_share")
    if kind == "reject":
        part, whole, of = items.rejected, items.read, "raw records rejected"
        todo = "read the rejects tables by reason: correct the reader, or raise the limit in the contract"
    else:
        part, whole, of = items.status[kind], items.total, f"items {kind}"
        todo = f"read the reasons of items with status {kind}: mend them, or raise the limit in the contract"
    words = f"share of {of} ({part} of {whole})"
    return Measure("limit", limit, words, part / whole if whole else 0.0, todo, high=ceiling)


def _accepted(expected: Expected, rows: int, lot: str | None) -> list[Measure]:
    todo = "if the change is meant, record it with a reason: seedlot accept"
    words = f"rows, accepted {expected.date}: {expected.reason}"
    measures = [Measure("expected", "rows", words, rows, todo, low=expected.rows, high=expected.rows)]
    if expected.lot is not None:
        measures.append(Measure("expected", "lot", "content hash", lot or "none", todo, equals=expected.lot))
    return measures


def _columns(promised: Contract, mine: pl.DataFrame) -> dict[str, dict[str, Any]]:
    stats = (
        mine.filter(pl.col("check") == "column")
        .group_by("subject")
        .agg(pl.col("nulls").sum(), pl.col("min").min(), pl.col("max").max())
    )
    found = {
        name: {"nulls": n, "min": _finite(low), "max": _finite(high)} for name, n, low, high in stats.rows()
    }
    return {c.name: found[c.name] for c in promised.columns if c.name in found}


def _finite(value: float | None) -> float | str | None:
    """A number as JSON can hold it: infinities and NaN become words."""
    return value if value is None or abs(value) < float("inf") else str(value)
