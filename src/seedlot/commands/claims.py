"""seedlot claims"""

from __future__ import annotations

import argparse
from pathlib import Path

from seedlot.config.errors import SeedlotError

HELP = "print the claims ledger of every run"
EXAMPLE = "seedlot claims --study lgd_na"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The root and filters."""
    parser.add_argument("--root", type=Path, default=Path("results"), help="results root (default: results)")
    parser.add_argument("--study", help="only this study")
    parser.add_argument("--run", dest="run_name", help="only this run")


def run(args: argparse.Namespace) -> int:
    """Print statement, verdict, effect and interval of each claim."""
    import polars as pl

    files = sorted((args.root / "studies").glob(f"{args.run_name or '*'}/{args.study or '*'}/claims.parquet"))
    if not files:
        raise SeedlotError("no ledger here yet", where=str(args.root / "studies"), todo="run `make demo`")
    for path in files:
        for row in pl.read_parquet(path).iter_rows(named=True):
            effect = "not measured" if row["value"] is None else f"{row['value']:.4g} {row['unit']}"
            if row["ci_low"] is not None:
                effect += f" [{row['ci_low']:.4g}, {row['ci_high']:.4g}]"
            if row["mde"] is not None:
                effect += f", detectable {row['mde']:.2g}"
            print(f"{path.parent.parent.name} / {row['study']} / {row['claim']}")
            print(f"  {row['statement']}")
            word = row["verdict"].replace("not_testable", "not testable at this scale")
            check = "" if row["method_check"] == "none" else f"; method check {row['method_check']}"
            print(f"  {word}{check} (evidence {row['evidence']}; n {row['n']}, families {row['families']})")
            print(f"  {row['metric']}: {effect}; asked: {row['threshold']}; {row['reason']}")
            print(f"  repeat: {row['repeat']}\n")
    return 0
