"""Store: what sorted, byte-identical tables with lots cost beside a plain Parquet write; processes over networks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.benchmarks import inputs
from tests.benchmarks.model import Contender, Measure, Row, Samples, ratios

TABLE = "core_networks__edges"


def _links(size: int) -> pa.Table:
    """A table of the links of 40 networks, sorted by its key."""
    from seedlot.contracts.model import contract

    each = size // 40
    n, src, dst = inputs.erdos_renyi(max(each // 5, 200), each)
    order = np.lexsort((dst, src))
    net = np.repeat([f"network{k:03}" for k in range(40)], each)
    columns = [net, np.tile(src[order], 40).astype(np.int32), np.tile(dst[order], 40).astype(np.int32)]
    return pa.table(columns, names=["net_id", "src", "dst"]).cast(contract(TABLE).arrow_schema())


def store(kind: str) -> Contender:
    """Write the table: `seedlot` (sorted, checked, fsync, lot), `no lot`, or `pyarrow` (zstd, defaults)."""

    def make(folder: Path, size: int) -> Callable[[], int]:
        import pyarrow.parquet as pq

        from seedlot.contracts.model import contract
        from seedlot.store.lot import table_lot
        from seedlot.store.parquet import write_table

        promise, table = contract(TABLE), _links(size)
        path, schema = folder / f"{kind.replace(' ', '_')}.parquet", promise.arrow_schema()

        def once() -> int:
            if kind == "pyarrow":
                pq.write_table(table, path, compression="zstd")
            else:
                write_table(path, table, schema, promise.key)
            if kind == "seedlot":
                table_lot([path], promise.id, schema, promise.key)
            return table.num_rows

        return once

    about = {
        "seedlot": "write_table and table_lot: order checked, fsync, content hash read back from the file",
        "no lot": "write_table alone",
        "pyarrow": "pyarrow.parquet.write_table, zstd",
    }
    return Contender(make, about[kind])


def processes(threads: int) -> Contender:
    """The dismantling job over a shard of equal networks in one or two processes."""

    def make(folder: Path, size: int) -> Callable[[], int]:
        from seedlot.store.job import Job
        from seedlot.studies.lgd_na import dismantle

        inside = {name: folder / f"{name}.parquet" for name in ("nets", "nodes", "edges")}
        names = ("runs", "curves", "timings", "outcomes")
        out = {name: folder / f"{threads}-{name}.parquet" for name in names}
        params = {"method": "nbc", "modes": ["dynamic"], "reinserts": ["none"], "stop": 0.1}
        params |= {"ties": "exact", "seed": 0, "budget_s": 1e6}

        def once() -> int:
            dismantle.run(Job("bench", inside, out, params, threads=threads, tmpdir=folder))
            return size

        return once

    return Contender(make, f"dismantle job, exact dynamic betweenness, {threads} process(es)")


def write_shard(folder: Path, size: int) -> None:
    """nets, nodes and edges of `size` random networks."""
    from seedlot.store.parquet import write_table

    n, src, dst = inputs.barabasi_albert(300, 900)
    order = np.lexsort((dst, src))
    src, dst = np.minimum(src, dst)[order], np.maximum(src, dst)[order]
    order = np.lexsort((dst, src))
    ids = [f"net{k:02}" for k in range(size)]
    tables = {
        "nets": pa.table({"net_id": ids, "n": [n] * size, "m": [len(src)] * size}),
        "nodes": pa.table(
            {
                "net_id": np.repeat(ids, n),
                "node": np.tile(np.arange(n), size),
                "label": [str(i) for i in range(n)] * size,
            }
        ),
        "edges": pa.table(
            {
                "net_id": np.repeat(ids, len(src)),
                "src": np.tile(src[order], size),
                "dst": np.tile(dst[order], size),
            }
        ),
    }
    key = {"nets": ["net_id"], "nodes": ["net_id", "node"], "edges": ["net_id", "src", "dst"]}
    for name, table in tables.items():
        write_table(folder / f"{name}.parquet", table, table.schema, key[name])


def _speed_up(samples: Samples) -> list[Measure]:
    one, two = samples["1 process"], samples["2 processes"]
    return [
        Measure("1 process / 2 processes, wall", [a.wall / b.wall for a, b in zip(one, two)], 1.6, by="wall"),
        Measure("1 process", [a.wall for a in one], at_least=False, unit="s", by="wall"),
        Measure("2 processes", [b.wall for b in two], at_least=False, unit="s", by="wall"),
    ]


ROWS = [
    Row(
        name="table_write",
        title="Table of {size:,} links: written with checks and lot, against a plain Parquet write",
        contenders={kind: store(kind) for kind in ("seedlot", "no lot", "pyarrow")},
        summarise=ratios({"no lot": None, "pyarrow": None}),
        sizes=(2_000_000, 200_000),
        note="Below 1: what order checks, durable renames and the content hash cost.",
    ),
    Row(
        name="thread_scaling",
        title="A shard of {size} networks (300 nodes) dismantled by 1 and by 2 processes",
        contenders={"1 process": processes(1), "2 processes": processes(2)},
        summarise=_speed_up,
        prepare=write_shard,
        sizes=(48, 4),
        threads=2,
        note="The only row on wall time: on a loaded machine it says nothing. Starting two processes takes about 1.5 s.",
    ),
]
