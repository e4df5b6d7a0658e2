"""What only the whole table can show: keys unique over all shards, references met, the lot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from seedlot.config.errors import SeedlotError
from seedlot.contracts.check import sample
from seedlot.contracts.model import Contract, Reference
from seedlot.store.lot import SAMPLES, Scan, scan_table
from seedlot.store.parquet import read_table


@dataclass(frozen=True)
class Broken:
    """How many rows or keys break a promise, and up to SAMPLES of them as JSON lists."""

    count: int
    samples: list[str]


def scan(promised: Contract, paths: Sequence[Path]) -> Scan:
    """Lot, rows and repeated keys of a whole table, from one merge of its shards."""
    return scan_table(paths, promised.id, promised.arrow_schema(), promised.key, promised.volatile)


def unmet(reference: Reference, paths: Sequence[Path], files: Mapping[str, Sequence[Path]]) -> Broken:
    """Combinations of the reference's columns in `paths` that its table does not have.

    files: table name -> shard files; the referenced table must be among them. A combination with a null is
    left alone. Shards of one name are tried on each other first, as items stay in their shard; only what is
    not found there is looked up in the others, so memory is bounded by two shards.
    """
    if reference.table not in files:
        raise SeedlotError(
            f"reference to '{reference.table}' cannot be checked without its files",
            todo=f"add {reference.table} to the inputs of the rule that judges",
        )
    count, samples = 0, []
    for path in sorted(paths):
        frame = pl.from_arrow(read_table(path, reference.columns))
        missing = frame.unique().drop_nulls().rename(dict(zip(reference.columns, reference.to)))
        for target in sorted(files[reference.table], key=lambda p: (p.stem != path.stem, p)):
            if not missing.height:
                break
            known = pl.from_arrow(read_table(target, reference.to)).unique()
            missing = missing.join(known, on=reference.to, how="anti")
        count += missing.height
        samples += missing.sort(reference.to).head(SAMPLES).rows()
    return Broken(count, [sample(row) for row in sorted(set(samples))[:SAMPLES]])
