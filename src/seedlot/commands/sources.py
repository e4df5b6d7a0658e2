"""seedlot sources"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from seedlot.catalog.licences import key_variable, missing_licence
from seedlot.catalog.releases import Release, load_catalogue
from seedlot.commands import _shared
from seedlot.config.errors import unknown

HELP = "list the releases of every source: licence, access, items, bytes; one source in full"
EXAMPLE = "seedlot sources networks"
RESOURCES = Path("resources")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The source."""
    parser.add_argument("source", nargs="?", help="show every release of this source in full")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def told(release: Release, rows: list) -> dict:
    """What is known of a release, as plain values. bytes: those of files whose size the manifest states."""
    own = [row for row in rows if row.release == release.release]
    files = {(row.url, row.member if row.origin != "upstream" else ""): row.bytes for row in own}
    return {
        "source": release.source,
        "release": release.release,
        "items": len(own),
        "files": len(files),
        "bytes": sum(size or 0 for size in files.values()),
        "files_of_unknown_size": sum(size is None for size in files.values()),
        "origins": sorted({row.origin for row in own}),
        "licence": release.licence,
        "access": release.access,
        "missing": missing_licence(release, os.environ),
        "redistribution": release.redistribution,
        "title": release.title,
        "home": release.home,
        "citation": release.citation,
        "manifest": release.manifest,
        "note": release.note,
    }


def run(args: argparse.Namespace) -> int:
    """Print one line per release of resources/sources.tsv, or everything about those of one source."""
    _shared.demand_clone()
    releases, manifests = load_catalogue(RESOURCES)
    names = {release.source for release in releases}
    if args.source and args.source not in names:
        raise unknown("source", args.source, names, where=str(RESOURCES / "sources.tsv"))
    rows = [told(r, manifests[r.manifest]) for r in releases if args.source in (None, r.source)]
    if args.json:
        _shared.print_json(rows)
    elif args.source:
        _print_full(rows)
    else:
        _print_table(rows)
    return 0


def _print_table(rows: list[dict]) -> None:
    lines = [("source", "release", "items", "size", "access", "licence", "title")]
    for row in rows:
        size = _shared.size_words(row["bytes"]) + ("+" if row["files_of_unknown_size"] else "")
        access = row["access"] + (" (key missing)" if row["missing"] else "")
        lines.append((row["source"], row["release"], str(row["items"]), size, access,
                      row["licence"][:28], row["title"][:48]))  # fmt: skip
    _shared.print_table(lines)
    if any(row["files_of_unknown_size"] for row in rows):
        print("+: more, as the size of some files is not known before they are fetched")


def _print_full(rows: list[dict]) -> None:
    for row in rows:
        print(f"{row['source']} {row['release']}: {row['title']}")
        print(f"  home          {row['home']}")
        print(f"  licence       {row['licence']}; redistribution: {row['redistribution']}")
        print(f"  access        {row['missing'] or row['access']}")
        if row["access"] != "open":
            print(f"  key           environment variable {key_variable(row['source'])}")
        size = _shared.size_words(row["bytes"])
        if row["files_of_unknown_size"]:
            size += f" and {row['files_of_unknown_size']} files of unknown size"
        print(f"  items         {row['items']} in {row['files']} files ({', '.join(row['origins'])}), {size}")
        print(f"  manifest      {RESOURCES / row['manifest']}")
        print(f"  cite          {row['citation']}")
        if row["note"]:
            print(f"  note          {row['note']}")
