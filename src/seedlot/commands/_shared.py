"""What several commands share: the clone, its config as Snakemake would read it, tables of text, progress."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from seedlot.catalog.manifest import Row
from seedlot.catalog.receipts import receipt_path
from seedlot.config import base
from seedlot.config.errors import SeedlotError
from seedlot.workflow.core import Workflow

CONFIG = Path("config/config.yaml")


def add_root(parser: argparse.ArgumentParser, run: bool = False) -> None:
    """The options --root and, when asked for, --run."""
    parser.add_argument("--root", type=Path, default=Path("results"), help="results root (default: results)")
    if run:
        parser.add_argument("--run", dest="run_name", default="demo", help="name of the run (default: demo)")


def add_config(parser: argparse.ArgumentParser) -> None:
    """The options that choose a config, spelt as for snakemake."""
    parser.add_argument(
        "--configfile", type=Path, nargs="+", default=[], help="config files on top of config/config.yaml"
    )
    parser.add_argument(
        "--config", nargs="+", default=[], metavar="KEY=VALUE", help="single keys on top of the files"
    )
    parser.add_argument("--profile", help="Snakemake profile, as for snakemake")


def demand_clone() -> None:
    """Raises SeedlotError unless the working folder is a clone of Seedlot."""
    if not (Path("Snakefile").is_file() and CONFIG.is_file()):
        raise SeedlotError(
            "this command needs the clone: no Snakefile and config/config.yaml here",
            where=str(Path.cwd()),
            todo="cd to the clone and repeat",
        )


def config_data(args: argparse.Namespace) -> dict[str, Any]:
    """The config that snakemake would see with the same --configfile and --config, as plain values.

    Raises SeedlotError outside a clone, for a file that is not there and for a word that is not KEY=VALUE.
    """
    demand_clone()
    data = base.read_yaml(CONFIG)
    for path in args.configfile:
        data = base.merge(data, base.read_yaml(path))
    for word in args.config:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise SeedlotError(
                f"--config takes KEY=VALUE, saw '{word}'", todo="for example --config run=paper seed=1"
            )
        data = base.merge(data, {key: yaml.safe_load(value)})
    return data


def config_words(args: argparse.Namespace) -> list[str]:
    """The same choice as arguments of a snakemake command."""
    words = [] if args.profile is None else ["--profile", args.profile]
    if args.configfile:
        words += ["--configfile", *map(str, args.configfile)]
    if args.config:
        words += ["--config", *args.config]
    return words


def receipt_rows(flow: Workflow, source: str) -> dict[Path, list[Row]]:
    """Receipt -> manifest rows that it covers, for every receipt of a source in a configured workflow."""
    found = {}
    for rows in flow.shards(source).values():
        for origin in sorted({row.origin for row in rows}):
            own = [row for row in rows if row.origin == origin]
            found[receipt_path(flow.root, source, own)] = own
    return found


def git(*words: str) -> str | None:
    """What a git command prints, None where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text as aligned columns, the first as header; columns of numbers are aligned right."""
    columns = list(zip(*rows))
    widths = [max(map(len, column)) for column in columns]
    right = [all(cell[:1].isdigit() or cell in ("", "-", "?") for cell in column[1:]) for column in columns]
    for row in rows:
        cells = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right))
        print("  ".join(cells).rstrip())


def print_json(value: Any) -> None:
    """Print plain values as JSON."""
    print(json.dumps(value, indent=1, ensure_ascii=False))


def size_words(count: int | float) -> str:
    """A number of bytes for people: '3.2 MB'."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError("unreachable")


def folded(words: Sequence[str], most: int) -> Iterator[str]:
    """The first words, then '… and n more' when more than `most` + 1 would be shown."""
    if len(words) <= most + 1:
        yield from words
        return
    yield from words[:most]
    yield f"… and {len(words) - most} more"


class Progress:
    """A bar on a terminal, silence elsewhere. `update(n)` adds n units."""

    def __init__(self, title: str, total: float | None, unit: str):
        self._bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                desc=title, total=total, unit=unit, unit_scale=unit == "B", dynamic_ncols=True, leave=False
            )

    def update(self, count: float = 1) -> None:
        """`count` more units are done."""
        if self._bar is not None:
            self._bar.update(count)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress(title: str, total: float | None = None, unit: str = "file") -> Iterator[Progress]:
    """A Progress that is closed at the end."""
    bar = Progress(title, total, unit)
    try:
        yield bar
    finally:
        bar.close()


def run_names(root: Path, folder: str = "datasets") -> list[str]:
    """Names of the runs that have something below `<root>/<folder>`, sorted."""
    base_folder = root / folder
    return sorted(p.name for p in base_folder.iterdir() if p.is_dir()) if base_folder.is_dir() else []


def listed(words: Iterable[str]) -> str:
    """Words joined by commas, each once, sorted."""
    return ", ".join(sorted(set(words)))
