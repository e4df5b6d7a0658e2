"""What people import: published tables by name, without the workflow.

import seedlot.api as seedlot
seedlot.scan("core_networks__edges", root="results", run="demo")      # polars LazyFrame
seedlot.network("networkx_karate_club", root="results", run="demo")   # networkx Graph
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seedlot.config.errors import SeedlotError, unknown


def table_files(table: str, root: str | Path = "results", run: str = "demo") -> list[Path]:
    """The Parquet files of a published table, sorted. Raises SeedlotError when the run has no such table."""
    folder = Path(root) / "datasets" / run
    if not folder.is_dir():
        runs = sorted(p.name for p in folder.parent.glob("*")) if folder.parent.is_dir() else []
        raise unknown("run", run, runs, where=str(folder.parent))
    files = sorted((folder / table).glob("*.parquet"))
    if not files:
        tables = sorted(p.name for p in folder.iterdir() if p.is_dir() and not p.name.startswith("_"))
        raise unknown("table", table, tables, where=str(folder))
    return files


def scan(table: str, root: str | Path = "results", run: str = "demo") -> Any:
    """A published table as a polars LazyFrame; the schema comes from the contract, not from the first file."""
    import polars as pl

    return pl.scan_parquet(table_files(table, root, run))


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
    """One Zarr store of a published array dataset, opened read-only."""
    import json

    import zarr

    manifest = Path(root) / "datasets" / run / table / f"{shard}.json"
    if not manifest.is_file():
        raise SeedlotError(f"no array dataset '{table}' shard '{shard}'", where=str(manifest))
    return zarr.open_group(manifest.parent / json.loads(manifest.read_text())["store"], mode="r")
