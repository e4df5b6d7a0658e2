"""Raw network files of one shard -> links as stated, the simple graph, and what became of each item.

One network is held at a time. Tables are spooled to scratch space while the items are worked through and then
written in item order, so memory is bounded by the largest network of the shard.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seedlot.catalog.manifest import Row
from seedlot.catalog.receipts import Receipt, read_receipt
from seedlot.catalog.tsv import read_tsv
from seedlot.config.errors import SeedlotError
from seedlot.contracts.model import contract
from seedlot.formats.graphs.model import RawGraph
from seedlot.formats.graphs.registry import read_graph
from seedlot.sources.networks.shape import fingerprint
from seedlot.sources.networks.simplify import SimpleGraph, certify, simplify
from seedlot.sources.networks.triangles import mean_clustering
from seedlot.store.job import Job
from seedlot.store.parquet import write_table
from seedlot.store.rejects import write_items, write_rejects

TABLES = {
    "nets": "core_networks__nets",
    "nodes": "core_networks__nodes",
    "edges": "core_networks__edges",
    "links": "raw_networks__links",
    "truth": "sim_networks__truth",
}
MIN_NODES, MIN_LINKS = 3, 2
BATCH_ROWS = 500_000
TRUTH_ENDING = ".truth.tsv"
log = logging.getLogger("seedlot")


def run(job: Job) -> None:
    """Curate the items of one shard.

    input: receipts. params: rows (manifest rows as dicts). output: nets, nodes, edges, links, truth,
    outcomes (one row per item), rejects. An item that cannot be read or is too small is a row of `outcomes`,
    never an exception.
    """
    receipts = {one.item: one for path in job.paths("receipts") for one in read_receipt(path)}
    rows = sorted((Row.from_dict(values) for values in job.params["rows"]), key=lambda row: row.item)
    items: list[dict[str, Any]] = []
    rejects: list[dict[str, Any]] = []
    job.tmpdir.mkdir(parents=True, exist_ok=True)
    # Scratch space is often one folder for all runs on a machine, so a name made of the shard's would collide.
    with tempfile.TemporaryDirectory(prefix="networks-", dir=job.tmpdir) as scratch:
        spools = {name: _Spool(Path(scratch), job.output[name], table) for name, table in TABLES.items()}
        try:
            for row in rows:
                started = time.perf_counter()
                if row.item not in receipts:
                    raise SeedlotError(
                        f"no receipt lists item '{row.item}'", todo="rerun the fetch of its release"
                    )
                items.append(_curate(row, receipts[row.item], job.root, spools, rejects))
                items[-1]["seconds"] = time.perf_counter() - started
                log.info("%(item)s: %(status)s %(reason)s", items[-1])
            for spool in spools.values():
                spool.publish()
        finally:
            for spool in spools.values():
                spool.stream.close()
    write_items(job.output["outcomes"], items)
    write_rejects(job.output["rejects"], rejects)


def _curate(
    row: Row, receipt: Receipt, root: Path, spools: Mapping[str, _Spool], rejects: list[dict[str, Any]]
) -> dict[str, Any]:
    """Read, simplify and spool one item; return its row of the items table."""
    if receipt.status != "ok":
        return {"item": row.item, "status": receipt.item_status, "reason": f"not fetched: {receipt.reason}"}
    path = root / receipt.path
    counts: dict[str, int] = {}
    try:
        raw = read_graph(path, row.extra["format"], row.reader_args)
        refused = [vars(one) | {"item": row.item, "file": receipt.path} for one in raw.rejects]
        counts = {"read": raw.read, "kept": raw.kept, "rejected": len(refused)}
        rejects.extend(refused)
        graph = simplify(raw)
        if graph.n < MIN_NODES or graph.m < MIN_LINKS:
            raise SeedlotError(
                f"too small: largest component has {graph.n} nodes and {graph.m} links, "
                f"at least {MIN_NODES} and {MIN_LINKS} are needed"
            )
        certify(graph)
        tables = {
            "nets": iter([_net_batch(row, receipt, raw, graph)]),
            "nodes": _node_batches(row.item, graph),
            "edges": _edge_batches(row.item, graph),
            "links": _link_batches(row.item, raw),
            "truth": _truth_batches(row, path),
        }
        whole = {name: list(batches) for name, batches in tables.items()}
    except SeedlotError as error:
        return {"item": row.item, "status": "rejected", "reason": str(error)} | counts
    except Exception as error:  # one network must not take the other results of its shard with it
        log.exception("item %s", row.item)
        return {"item": row.item, "status": "failed", "reason": f"{type(error).__name__}: {error}"} | counts
    for name, batches in whole.items():
        spools[name].add(batches)
    return {"item": row.item, "status": "ok", "reason": ""} | counts


class _Spool:
    """One table on its way to disk: batches go to an Arrow stream in scratch space, then to Parquet."""

    def __init__(self, scratch: Path, output: Path, table: str):
        self.contract = contract(table)
        self.schema = self.contract.arrow_schema()
        self.output = output
        self.path = scratch / f"{table}.arrow"
        self.stream = pa.ipc.new_stream(self.path, self.schema)

    def add(self, batches: list[pa.RecordBatch]) -> None:
        for batch in batches:
            self.stream.write_batch(batch)

    def publish(self) -> None:
        self.stream.close()
        with pa.ipc.open_stream(self.path) as reader:
            write_table(self.output, iter(reader), self.schema, self.contract.key)


def _net_batch(row: Row, receipt: Receipt, raw: RawGraph, graph: SimpleGraph) -> pa.RecordBatch:
    """The item's row of core_networks__nets; duplicate_of and the merged family come later, from all shards."""
    extra = row.extra
    degrees = graph.degrees()
    real = row.origin != "simulated" and extra.get("kind", "real") == "real"
    values = {
        "net_id": row.item,
        "title": extra.get("title") or row.item,
        "domain": extra.get("domain") or "unclassified",
        "subdomain": extra.get("subdomain", ""),
        "family": extra.get("family") or row.item,
        "evidence": "real" if real else "simulated",
        "format": extra["format"],
        **_flags(raw, graph),
        "n_raw": graph.n_raw,
        "links_raw": graph.links_raw,
        "n_components_raw": graph.n_components_raw,
        "loops_dropped": graph.loops_dropped,
        "dups_dropped": graph.dups_dropped,
        "n": graph.n,
        "m": graph.m,
        "mean_degree": 2 * graph.m / graph.n,
        "max_degree": int(degrees.max()),
        "clustering": mean_clustering(graph),
        "sha256_edges": graph.sha256_edges(),
        "shape": fingerprint(graph.n, graph.src, graph.dst),
        "duplicate_of": None,
        "licence": row.licence,
        "raw_sha256": receipt.sha256,
    }
    return pa.RecordBatch.from_pylist([values], schema=contract(TABLES["nets"]).arrow_schema())


def _flags(raw: RawGraph, graph: SimpleGraph) -> dict[str, bool]:
    """What the raw network has and the simple graph has lost."""
    weight = None if raw.weight is None else raw.weight[np.isfinite(raw.weight)]
    return {
        "is_directed": bool(np.any(raw.directed)),
        "is_bipartite": raw.bipartite,
        "is_weighted": weight is not None and bool(np.any(weight != 1)),
        "is_signed": weight is not None and bool(np.any(weight < 0)),
        "is_temporal": raw.time is not None,
        "is_multi": graph.dups_dropped > 0 and _repeats_a_link(raw),
    }


def _repeats_a_link(raw: RawGraph) -> bool:
    """Whether an ordered pair (directed links) or an unordered pair (others) is listed twice."""
    src, dst = raw.src, raw.dst
    either = np.broadcast_to(~np.asarray(raw.directed), src.shape)
    low = np.where(either, np.minimum(src, dst), src)
    high = np.where(either, np.maximum(src, dst), dst)
    keys = np.sort((low * raw.n + high) * 2 + either)
    return bool(np.any(keys[1:] == keys[:-1]))


def _batches(columns: Mapping[str, Any], table: str, rows: int) -> Iterator[pa.RecordBatch]:
    """Cut whole-network columns into record batches of bounded size, typed by the contract."""
    schema = contract(TABLES[table]).arrow_schema()
    for start in range(0, rows, BATCH_ROWS):
        stop = min(start + BATCH_ROWS, rows)
        arrays = []
        for field in schema:
            column = columns[field.name]
            if isinstance(column, np.ndarray):
                arrays.append(pa.array(column[start:stop], field.type, from_pandas=True))
            elif isinstance(column, pa.Array):
                arrays.append(column.slice(start, stop - start))
            else:
                arrays.append(pa.repeat(pa.scalar(column, field.type), stop - start))
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _node_batches(item: str, graph: SimpleGraph) -> Iterator[pa.RecordBatch]:
    columns = {
        "net_id": item,
        "node": np.arange(graph.n, dtype=np.int32),
        "label": pa.array(graph.node_labels(), pa.string()),
        "raw_index": graph.raw_index,
        "degree": graph.degrees().astype(np.int32),
    }
    return _batches(columns, "nodes", graph.n)


def _edge_batches(item: str, graph: SimpleGraph) -> Iterator[pa.RecordBatch]:
    return _batches({"net_id": item, "src": graph.src, "dst": graph.dst}, "edges", graph.m)


def _link_batches(item: str, raw: RawGraph) -> Iterator[pa.RecordBatch]:
    if raw.labels is None:
        labels = pa.array(np.arange(raw.id_base, raw.id_base + raw.n)).cast(pa.string())
    else:
        labels = pa.array(raw.labels, pa.string())
    columns = {
        "net_id": item,
        "link": np.arange(len(raw.src)),
        "src": raw.src,
        "dst": raw.dst,
        "src_label": labels.take(pa.array(raw.src)),
        "dst_label": labels.take(pa.array(raw.dst)),
        "weight": raw.weight,
        "time": raw.time,
        "relation": None if raw.relation is None else np.where(raw.relation == "", None, raw.relation),
        "is_directed": raw.directed,
    }
    return _batches(columns, "links", len(raw.src))


def _truth_batches(row: Row, path: Path) -> Iterator[pa.RecordBatch]:
    """Planted coordinates of a simulated network, from the table beside its raw file."""
    if row.origin != "simulated":
        return
    schema = contract(TABLES["truth"]).arrow_schema()
    beside = path.with_name(path.name + TRUTH_ENDING)
    number = {"label": str, "position": int, "block": int, "r": float, "theta": float}
    planted = [
        {"net_id": row.item} | {name: number[name](text) if text else None for name, text in cells.items()}
        for _, cells in read_tsv(beside, list(number))
    ]
    planted.sort(key=lambda one: one["label"])
    yield pa.RecordBatch.from_pylist(planted, schema=schema)
