"""seedlot open"""

from __future__ import annotations

import argparse
from pathlib import Path

from seedlot import api
from seedlot.commands import _shared

HELP = "show how to load a published table in polars, duckdb, pandas, networkx or xarray"
EXAMPLE = "seedlot open core_networks__edges --run demo"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, its root and run."""
    parser.add_argument("table", help="name of a published table or array, see `seedlot datasets`")
    _shared.add_root(parser, run=True)
    parser.add_argument("--absolute", action="store_true", help="absolute paths, to paste anywhere")


def snippets(table: str, root: Path, run: str) -> dict[str, str]:
    """Library -> lines of Python that load the table and can be pasted as they are.

    Raises SeedlotError when the run has no such table.
    """
    files = api.table_files(table, root, run)
    folder = root / "datasets" / run / table
    where = f"root={str(root)!r}, run={run!r}"
    if not files:
        return _array_snippets(table, folder, where, api.stores(table, root, run))
    glob = str(folder / "*.parquet")
    lines = {
        "polars": f"import polars as pl\nframe = pl.scan_parquet({glob!r})\nprint(frame.head().collect())",
        "duckdb": f"import duckdb\nprint(duckdb.sql(\"select * from '{glob}' limit 5\"))",
        "pandas": f"import pandas as pd\nframe = pd.read_parquet({str(folder)!r})\nprint(frame.head())",
        "seedlot": f"from seedlot import api\nframe = api.scan({table!r}, {where})\nprint(frame.head().collect())",
    }
    if table.startswith("core_networks__"):
        lines["networkx"] = (
            "from seedlot import api\n"
            f"net_id = api.scan('core_networks__nets', {where}).select('net_id').head(1).collect().item()\n"
            f"graph = api.network(net_id, {where})\nprint(graph)"
        )
    return lines


def _array_snippets(table: str, folder: Path, where: str, stores: dict[str, dict]) -> dict[str, str]:
    shard = min(stores)
    store = str(folder / stores[shard]["store"])
    return {
        "zarr": f"import zarr\ngroup = zarr.open_group({store!r}, mode='r')\nprint(group.tree())",
        "xarray": f"import xarray as xr\ndata = xr.open_zarr({store!r}, consolidated=False)\nprint(data)",
        "seedlot": f"from seedlot import api\ngroup = api.fields({table!r}, {shard!r}, {where})\nprint(group.tree())",
    }


def run(args: argparse.Namespace) -> int:
    """Print ready-to-paste lines, and what the verdict says about the table."""
    root = args.root.resolve() if args.absolute else args.root
    for library, lines in snippets(args.table, root, args.run_name).items():
        print(f"# {library}\n{lines}\n")
    told = api.verdicts(root, args.run_name).get(args.table)
    if told is not None:
        print(
            f"# {told['rows']} rows, key {', '.join(told['key'])}, verdict {told['status']}, lot {told['lot']}"
        )
        print(f"# columns and units: seedlot describe {args.table}")
    return 0
