"""seedlot stale"""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from seedlot.store import lineage

HELP = "list files that other library versions made (changed code is seen by snakemake itself: snakemake -n)"
EXAMPLE = "seedlot stale"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The results root."""
    parser.add_argument("--root", type=Path, default=Path("results"), help="results root (default: results)")


def installed(name: str) -> str:
    """Version of a library as the lineage record names it, '' when it is not installed."""
    names = {"Bio": "biopython", "great_expectations": "great-expectations"}
    try:
        return version(names.get(name, name))
    except PackageNotFoundError:
        return ""


def run(args: argparse.Namespace) -> int:
    """Print each record with the libraries that differ; 1 when there is one."""
    count = 0
    records = lineage.Sidecars.scan(args.root).all()
    for record in records:
        reasons = [
            f"{lib} {was}, now {installed(lib) or 'not installed'}"
            for lib, was in sorted(record["versions"].items())
            if lib not in ("python", "seedlot") and installed(lib) != was
        ]
        if reasons:
            count += 1
            print(
                f"{min(record['outputs']).removeprefix('root:')}  (rule {record['rule']}): {'; '.join(reasons)}"
            )
    print(f"{count} of {len(records)} jobs are stale")
    return 1 if count else 0
