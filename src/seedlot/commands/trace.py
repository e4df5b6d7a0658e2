"""seedlot trace"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from seedlot.catalog.receipts import read_receipt
from seedlot.config.errors import SeedlotError
from seedlot.store import lineage

HELP = "walk from a figure, table or ledger back to raw files, their sha256 and URLs"
EXAMPLE = "seedlot trace results/figures/demo/lgd_na/curves.svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file and the root."""
    parser.add_argument("file", type=Path, help="any file that a rule wrote")
    parser.add_argument("--root", type=Path, default=Path("results"), help="results root (default: results)")
    parser.add_argument("--json", action="store_true", help="print the chain as JSON")


def chain(file: Path, root: Path) -> list[dict]:
    """Steps from `file` back to raw, each producing job once, nearest first.

    A step has rule, code, depth, outputs, inputs and, for a receipt, raw: (path, sha256, url) of each file.
    Raises SeedlotError when no lineage record names the file.
    """
    sidecars = lineage.Sidecars.scan(root)
    if sidecars.of(file) is None:
        raise SeedlotError(
            "no lineage record names this file",
            where=str(file),
            todo="name a file below the results root that a rule wrote; --root tells another root",
        )
    steps, seen, todo = [], set(), [(file, 0)]
    while todo:
        path, depth = todo.pop(0)
        record = sidecars.of(path)
        if record is None:
            continue
        key = min(record["outputs"])
        if key in seen:
            continue
        seen.add(key)
        step = {"rule": record["rule"], "depth": depth, "code": record["code"], "versions": record["versions"],
                "outputs": record["outputs"], "inputs": record["inputs"]}  # fmt: skip
        if path.parent.name == "receipts":
            step["raw"] = [
                {"item": r.item, "path": r.path, "sha256": r.sha256, "url": r.url, "status": r.status}
                for r in read_receipt(path)
            ]
        steps.append(step)
        todo += [(lineage.absolute(name, root), depth + 1) for name in record["inputs"]]
    return steps


def run(args: argparse.Namespace) -> int:
    """Print the chain; repeated inputs are folded."""
    steps = chain(args.file, args.root)
    if args.json:
        print(json.dumps(steps, indent=1))
        return 0
    for step in steps:
        print(f"{step['rule']}  (code {step['code'] or 'not hashed'})")
        for name, told in list(step["outputs"].items()):
            print(
                f"  wrote  {name.removeprefix('root:')}  sha256 {told['sha256'][:16]}…  {told['bytes']} bytes"
            )
        names = sorted(step["inputs"])
        for name in names[:6]:
            print(f"  from   {name.removeprefix('root:')}  sha256 {step['inputs'][name]['sha256'][:16]}…")
        if len(names) > 6:
            print(f"  from   … and {len(names) - 6} more of the same kind")
        for raw in step.get("raw", []):
            print(f"  raw    {raw['item']}: sha256 {raw['sha256'] or '-'}  {raw['url']}  [{raw['status']}]")
    return 0
