"""seedlot datasets"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from seedlot.commands.sources import print_table
from seedlot.config.errors import SeedlotError

HELP = "list the published tables of every run: rows, verdict, lot, files, bytes"
EXAMPLE = "seedlot datasets --root results"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The results root."""
    parser.add_argument("--root", default="results", help="results root (default: results)")


def run(args: argparse.Namespace) -> int:
    """Print one line per table of every run."""
    base = Path(args.root) / "datasets"
    if not base.is_dir():
        raise SeedlotError("no datasets here yet", where=str(base), todo="run `make demo`, or pass --root")
    rows = [("run", "table", "rows", "verdict", "lot", "files", "MB")]
    for folder in sorted(p for p in base.iterdir() if p.is_dir()):
        judged = {}
        for path in sorted(folder.glob("_work/*/verdict.json")):
            judged |= json.loads(path.read_text(encoding="utf-8"))["tables"]
        for table in sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("_")):
            files = [p for p in table.rglob("*") if p.is_file()]
            told = judged.get(table.name, {})
            size = sum(p.stat().st_size for p in files) / 1e6
            rows.append((folder.name, table.name, str(told.get("rows", "?")), told.get("status", "not judged"),
                         (told.get("lot") or "?")[:12], str(len(files)), f"{size:.2f}"))  # fmt: skip
    print_table(rows)
    return 0
