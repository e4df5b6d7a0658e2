"""seedlot open"""

from __future__ import annotations

import argparse

from seedlot.api import table_files

HELP = "show how to load a published table in polars, duckdb, pandas or networkx"
EXAMPLE = "seedlot open core_networks__edges --run demo"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, its root and run."""
    parser.add_argument("table", help="name of a published table, see `seedlot datasets`")
    parser.add_argument("--root", default="results", help="results root (default: results)")
    parser.add_argument("--run", default="demo", help="run (default: demo)")


def run(args: argparse.Namespace) -> int:
    """Print ready-to-paste lines."""
    folder = table_files(args.table, args.root, args.run)[0].parent
    glob = f"{folder}/*.parquet"
    print(f"# polars\nimport polars as pl\npl.scan_parquet('{glob}').head().collect()\n")
    print(f"# duckdb\nimport duckdb\nduckdb.sql(\"select * from '{glob}' limit 5\")\n")
    print(f"# pandas\nimport pandas as pd\npd.read_parquet('{folder}')\n")
    print("# seedlot\nfrom seedlot import api")
    print(f"api.scan('{args.table}', root='{args.root}', run='{args.run}')")
    if args.table.startswith("core_networks__"):
        print("\n# networkx, one network")
        print(f"api.network(NET_ID, root='{args.root}', run='{args.run}')")
    return 0
