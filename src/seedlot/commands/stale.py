"""seedlot stale"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from seedlot.commands import _shared
from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.store.runner import DISTRIBUTION

HELP = "list files that other library versions made (changed code is seen by snakemake itself: snakemake -n)"
EXAMPLE = "seedlot stale\n  snakemake --cores 2 --forcerun $(seedlot stale --files)"
LOCK = Path("envs/requirements.lock")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The results root and what to compare with."""
    _shared.add_root(parser)
    parser.add_argument("--lock", type=Path, default=LOCK, help=f"locked versions (default: {LOCK})")
    parser.add_argument(
        "--files", action="store_true", help="print only one file of each stale job, for snakemake --forcerun"
    )


def read_lock(path: Path) -> dict[str, str]:
    """Distribution (lower case, '-' between words) -> pinned version of a requirements file.

    Raises SeedlotError when it is not there.
    """
    if not path.is_file():
        raise SeedlotError(
            "no lock of library versions", where=str(path), todo="cd to the clone, or pass --lock"
        )
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {canonical(name): pin for name, pin in pins}


def canonical(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", DISTRIBUTION.get(name, name)).lower()


def installed(name: str) -> str:
    """Version of a library as the lineage record names it, '' when it is not installed."""
    try:
        return version(DISTRIBUTION.get(name, name))
    except PackageNotFoundError:
        return ""


def bare(text: str) -> str:
    """A version without its build: CPU and CUDA builds of one version count as equal."""
    return text.partition("+")[0]


def differences(record: Mapping[str, Any], lock: Mapping[str, str]) -> tuple[str, ...]:
    """One phrase per library whose version in the record is not the locked one (or the installed, where none is)."""
    python = ".".join(map(str, sys.version_info[:2]))
    found = []
    for name, was in sorted(record["versions"].items()):
        if name == "seedlot":
            continue
        if name == "python":
            was, now, word = ".".join(was.split(".")[:2]), python, "installed"
        elif canonical(name) in lock:
            now, word = lock[canonical(name)], "locked"
        else:
            now, word = installed(name), "installed"
        if bare(was) != bare(now):
            found.append(f"{name} {was}, {word} {now or 'not at all'}")
    return tuple(found)


def run(args: argparse.Namespace) -> int:
    """Print the stale jobs by rule and reason; 1 when there is one."""
    lock = read_lock(args.lock)
    records = lineage.Sidecars.scan(args.root).all()
    groups: dict[tuple[str, tuple[str, ...]], list[dict]] = defaultdict(list)
    for record in records:
        reasons = differences(record, lock)
        if reasons:
            groups[record["rule"], reasons].append(record)
    stale = [record for group in groups.values() for record in group]
    if args.files:
        for record in stale:
            print(lineage.absolute(min(record["outputs"]), args.root).as_posix())
        return 1 if stale else 0
    for (rule, reasons), group in sorted(groups.items()):
        print(f"{rule}: {len(group)} jobs made with {'; '.join(reasons)}")
        for path in _shared.folded([min(r["outputs"]).removeprefix("root:") for r in group], 3):
            print(f"  {path}")
    _print_environment(records, lock)
    print(f"{len(stale)} of {len(records)} jobs are stale")
    return 1 if stale else 0


def _print_environment(records: list[dict], lock: Mapping[str, str]) -> None:
    """Say so when this environment itself departs from the lock: a rerun would not help."""
    names = {name for record in records for name in record["versions"]} - {"python", "seedlot"}
    for name in sorted(names):
        pin, here = lock.get(canonical(name)), installed(name)
        if pin and bare(here) != bare(pin):
            print(f"this environment has {name} {here or 'not at all'}, the lock {pin}: run `make env` first")
