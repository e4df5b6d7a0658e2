"""What people import: published tables by name, without the workflow.

import seedlot.api as seedlot
seedlot.scan("core_networks__edges", root="results", run="demo")      # polars LazyFrame
seedlot.network("karate_club", root="results", run="demo")   # networkx Graph
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seedlot.config.errors import SeedlotError, unknown
from seedlot.store.atomic import read_json


def tables(root: str | Path = "results", run: str = "demo") -> list[str]:
    """Names of the published tables and arrays of a run, sorted. Raises SeedlotError when there is no such run."""
    folder = Path(root) / "datasets" / run
    if not folder.is_dir():
        if not folder.parent.is_dir():
            raise SeedlotError(
                "no results here", where=str(root), todo="run `make demo`, or name another root"
            )
        runs = sorted(p.name for p in folder.parent.glob("*"))
        raise unknown("run", run, runs, where=str(folder.parent))
    return sorted(p.name for p in folder.iterdir() if p.is_dir() and not p.name.startswith("_"))


def table_files(table: str, root: str | Path = "results", run: str = "demo") -> list[Path]:
    """The Parquet files of a published table, sorted; [] for an array dataset.

    Raises SeedlotError when the run has no such table.
    """
    names = tables(root, run)
    folder = Path(root) / "datasets" / run
    if table not in names:
        raise unknown("table", table, names, where=str(folder))
    return sorted((folder / table).glob("*.parquet"))


def stores(table: str, root: str | Path = "results", run: str = "demo") -> dict[str, dict[str, Any]]:
    """Shard -> manifest (contract, lot, shape, store) of an array dataset; {} for a table."""
    folder = Path(root) / "datasets" / run / table
    return {p.stem: read_json(p) for p in sorted(folder.glob("*.json"))}


def verdicts(root: str | Path = "results", run: str = "demo") -> dict[str, dict[str, Any]]:
    """Table -> what its verdict says: contract, key, lot, rows, status, failed checks, columns; with `subject`
    (the source, join or study it was judged with) and `items` (counts of items and raw records, or None)."""
    found = {}
    for path in sorted((Path(root) / "datasets" / run).glob("_work/*/verdict.json")):
        verdict = read_json(path)
        about = {"subject": verdict["subject"], "items": verdict["items"]}
        found |= {table: told | about for table, told in verdict["tables"].items()}
    return found


def scan(table: str, root: str | Path = "results", run: str = "demo") -> Any:
    """A published table as a polars LazyFrame over all its files. Raises SeedlotError for an array dataset."""
    import polars as pl

    files = table_files(table, root, run)
    if not files:
        raise SeedlotError(
            f"'{table}' is an array dataset", todo=f"api.fields('{table}', SHARD) opens a shard"
        )
    return pl.scan_parquet(files)


def network(net_id: str, root: str | Path = "results", run: str = "demo") -> Any:
    """One curated network as a networkx Graph with nodes 0..n-1 and the original names as attribute `label`."""
    import networkx as nx
    import polars as pl

    own = pl.col("net_id") == net_id
    nodes = scan("core_networks__nodes", root, run).filter(own).select("node", "label").collect()
    if nodes.is_empty():
        known = scan("core_networks__nets", root, run).select("net_id").collect()["net_id"].to_list()
        raise unknown("network", net_id, known, where=f"run '{run}'")
    edges = scan("core_networks__edges", root, run).filter(own).select("src", "dst").collect()
    graph = nx.Graph(net_id=net_id)
    graph.add_nodes_from((node, {"label": label}) for node, label in nodes.iter_rows())
    graph.add_edges_from(edges.iter_rows())
    return graph


def fields(table: str, shard: str, root: str | Path = "results", run: str = "demo") -> Any:
    """One Zarr store of a published array dataset, opened read-only. Raises SeedlotError for an unknown shard."""
    import zarr

    known = stores(table, root, run)
    if shard not in known:
        raise unknown(f"shard of '{table}'", shard, known, where=str(Path(root) / "datasets" / run / table))
    return zarr.open_group(Path(root) / "datasets" / run / table / known[shard]["store"], mode="r")
