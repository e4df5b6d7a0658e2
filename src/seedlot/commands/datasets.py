"""seedlot datasets"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seedlot import api
from seedlot.commands import _shared
from seedlot.config.errors import SeedlotError, unknown

HELP = "list the published tables and arrays of every run: rows, verdict, lot, files, bytes"
EXAMPLE = "seedlot datasets --run demo"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The results root and a run."""
    _shared.add_root(parser)
    parser.add_argument("--run", dest="run_name", help="only this run")
    parser.add_argument("--json", action="store_true", help="print as JSON, lots in full")


def rows(root: Path, only: str | None = None) -> Iterator[dict[str, Any]]:
    """One entry per table and array dataset of every run, by run and name."""
    for run in _shared.run_names(root):
        if only in (None, run):
            judged = api.verdicts(root, run)
            for name in api.tables(root, run):
                yield _told(name, root, run, judged.get(name))


def _told(name: str, root: Path, run: str, judged: dict[str, Any] | None) -> dict[str, Any]:
    folder = root / "datasets" / run / name
    files = [p for p in folder.rglob("*") if p.is_file()]
    stores = api.stores(name, root, run)
    if stores:
        lots = [store["lot"] for store in stores.values()]
        content = {"rows": sum(store["shape"][0] for store in stores.values()), "verdict": "array",
                   "lot": lots[0] if len(lots) == 1 else None}  # fmt: skip
    else:
        told = judged or {}
        content = {
            "rows": told.get("rows"),
            "verdict": told.get("status", "not judged"),
            "lot": told.get("lot"),
        }
    return (
        {"run": run, "table": name}
        | content
        | {"files": len(files), "bytes": sum(p.stat().st_size for p in files)}
    )


def run(args: argparse.Namespace) -> int:
    """Print one line per table of every run; 1 when a table was refused."""
    names = _shared.run_names(args.root)
    if not names:
        raise SeedlotError(
            "no datasets here yet", where=str(args.root / "datasets"), todo="run `make demo`, or pass --root"
        )
    if args.run_name and args.run_name not in names:
        raise unknown("run", args.run_name, names, where=str(args.root / "datasets"))
    found = list(rows(args.root, args.run_name))
    if args.json:
        _shared.print_json(found)
    else:
        lines = [("run", "table", "rows", "verdict", "lot", "files", "size")]
        for row in found:
            count = "?" if row["rows"] is None else str(row["rows"])
            lines.append((row["run"], row["table"], count, row["verdict"], (row["lot"] or "-")[:12],
                          str(row["files"]), _shared.size_words(row["bytes"])))  # fmt: skip
        _shared.print_table(lines)
    return 1 if any(row["verdict"] == "fail" for row in found) else 0
