"""seedlot sources"""

from __future__ import annotations

import argparse
from pathlib import Path

from seedlot.catalog.manifest import load_manifest
from seedlot.catalog.releases import load_releases

HELP = "list the releases of every source: licence, access, items, bytes"
EXAMPLE = "seedlot sources"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def run(args: argparse.Namespace) -> int:
    """Print one line per release of resources/sources.tsv."""
    rows = [("source", "release", "items", "MB known", "access", "licence", "title")]
    manifests: dict[tuple[str, str], list] = {}
    for release in load_releases(Path("resources/sources.tsv")):
        key = (release.source, release.manifest)
        if key not in manifests:
            manifests[key] = load_manifest(Path("resources") / release.manifest, release.source)
        own = [row for row in manifests[key] if row.release == release.release]
        size = sum(row.bytes or 0 for row in own) / 1e6
        rows.append((release.source, release.release, str(len(own)), f"{size:.1f}", release.access,
                     release.licence[:28], release.title[:48]))  # fmt: skip
    print_table(rows)
    return 0


def print_table(rows: list[tuple[str, ...]]) -> None:
    """Print rows of text as aligned columns, the first as header."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
