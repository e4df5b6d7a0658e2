"""seedlot claims"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seedlot.commands import _shared
from seedlot.config.errors import SeedlotError, unknown
from seedlot.report.lock import LOCK, Locked, amended, read_lock
from seedlot.store.parquet import read_table

HELP = "print the claims ledger of every run; a claim edited after its first measurement is shown as amended"
EXAMPLE = "seedlot claims --study lgd_na"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The root and filters."""
    _shared.add_root(parser)
    parser.add_argument("--study", help="only this study")
    parser.add_argument("--run", dest="run_name", help="only this run")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def ledgers(root: Path, run: str | None = None, study: str | None = None) -> list[Path]:
    """The ledger files, sorted by run and study. Raises SeedlotError when there is none, or none of that name."""
    found = sorted((root / "studies").glob("*/*/claims.parquet"))
    if not found:
        raise SeedlotError("no ledger here yet", where=str(root / "studies"), todo="run `make demo`")
    for word, kind, at in ((run, "run", 2), (study, "study", 1)):
        names = {path.parts[-1 - at] for path in found}
        if word is not None and word not in names:
            raise unknown(kind, word, names, where=str(root / "studies"))
        found = [path for path in found if word in (None, path.parts[-1 - at])]
    return found


def rows(files: list[Path], lock: dict[tuple[str, str], Locked]) -> Iterator[dict[str, Any]]:
    """Every claim row with its run, and `amended`: '' or both values; `locked`: whether it was accepted."""
    for path in files:
        for row in read_table([path]).to_pylist():
            known = (row["study"], row["claim"]) in lock
            yield {"run": path.parent.parent.name} | row | {"amended": amended(row, lock), "locked": known}


def run(args: argparse.Namespace) -> int:
    """Print statement, verdict, effect and interval of each claim."""
    found = list(rows(ledgers(args.root, args.run_name, args.study), read_lock(LOCK)))
    if args.json:
        _shared.print_json(found)
        return 0
    for row in found:
        _print(row)
    count = Counter(_word(row["verdict"]) for row in found)
    print(f"{len(found)} claims: " + ", ".join(f"{number} {word}" for word, number in sorted(count.items())))
    new = {row["study"] for row in found if not row["locked"] and row["value"] is not None}
    if new:
        print(f"first values not committed yet: seedlot accept claims {' '.join(sorted(new))} --reason ...")
    return 0


def _word(verdict: str) -> str:
    return verdict.replace("not_testable", "not testable at this scale")


def _print(row: dict[str, Any]) -> None:
    effect = "not measured" if row["value"] is None else f"{row['value']:.4g} {row['unit']}"
    if row["ci_low"] is not None:
        effect += f" [{row['ci_low']:.4g}, {row['ci_high']:.4g}]"
    if row["mde"] is not None:
        effect += f", detectable {row['mde']:.2g}"
    check = (
        "" if row["method_check"] == "none" else f"; on simulated data the method check {row['method_check']}"
    )
    print(f"{row['run']} / {row['study']} / {row['claim']}")
    print(f"  {row['statement']}")
    print(f"  {_word(row['verdict'])}{check} (evidence {row['evidence']}; n {row['n']}, families {row['families']},"
          f" seeds {row['seeds']})")  # fmt: skip
    print(f"  {row['metric']}: {effect}; asked: {row['threshold']}; {row['reason']}")
    if row["amended"]:
        print(f"  AMENDED: {row['amended']}")
    print(f"  repeat: {row['repeat']}\n")
