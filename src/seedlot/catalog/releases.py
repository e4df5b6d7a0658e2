"""sources.tsv: one row for each release of each source, and the manifests that belong to them."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from pathlib import Path

from seedlot.catalog.manifest import Row, check_url, load_manifest
from seedlot.catalog.tsv import read_tsv
from seedlot.config.errors import SeedlotError, unknown

ACCESS = ("agreement", "open", "registration")
REDISTRIBUTION = ("no", "unknown", "yes")
COLUMNS = (
    "source",
    "release",
    "title",
    "home",
    "licence",
    "access",
    "redistribution",
    "citation",
    "manifest",
    "added",
    "note",
)
FILLED = ("source", "release", "title", "home", "licence", "citation", "manifest", "added")


@dataclass(frozen=True)
class Release:
    """One release of a source. manifest: relative to the folder of sources.tsv. added: ISO date."""

    source: str
    release: str
    title: str
    home: str
    licence: str
    access: str
    redistribution: str
    citation: str
    manifest: str
    added: str
    note: str


def load_releases(path: Path) -> list[Release]:
    """All rows of sources.tsv, ascending by (source, release).

    Raises SeedlotError with file:line for a word outside its vocabulary, an empty cell that must be filled,
    rows out of order or repeated, a home that is no URL, a date that is none, a manifest that does not exist.
    """
    path = Path(path)
    found: list[Release] = []
    for number, cells in read_tsv(path, COLUMNS):
        where = f"{path}:{number}"
        row = Release(**{name: cells[name] for name in COLUMNS})
        _check(row, path.parent, where)
        if found and (row.source, row.release) <= (found[-1].source, found[-1].release):
            same = (row.source, row.release) == (found[-1].source, found[-1].release)
            what = "occurs twice" if same else f"must stand before '{found[-1].source} {found[-1].release}'"
            raise SeedlotError(
                f"'{row.source} {row.release}' {what}", where=where, todo="sort by source, release"
            )
        found.append(row)
    return found


def _check(row: Release, folder: Path, where: str) -> None:
    for name in FILLED:
        if not getattr(row, name):
            raise SeedlotError(
                f"column '{name}' is empty", where=where, todo="write 'not stated' if it is not known"
            )
    if not re.fullmatch(r"[a-z0-9_]+", row.source):
        raise SeedlotError(f"source '{row.source}' must match [a-z0-9_]+", where=where)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", row.release) or ".." in row.release:
        raise SeedlotError(
            f"release '{row.release}' must be letters, digits, '.', '_', '+', '-'", where=where
        )
    if row.access not in ACCESS:
        raise unknown("access", row.access, ACCESS, where=where)
    if row.redistribution not in REDISTRIBUTION:
        raise unknown("redistribution", row.redistribution, REDISTRIBUTION, where=where)
    check_url(row.home, where)
    try:
        datetime.date.fromisoformat(row.added)
    except ValueError:
        raise SeedlotError(
            f"added: expected a date like 2026-01-31, saw '{row.added}'", where=where
        ) from None
    if not re.fullmatch(rf"manifests/{row.source}(_[a-z0-9_]+)?\.tsv", row.manifest):
        raise SeedlotError(
            f"manifest: expected 'manifests/{row.source}.tsv' or 'manifests/{row.source}_<more>.tsv', "
            f"saw '{row.manifest}'",
            where=where,
        )
    if not (folder / row.manifest).is_file():
        raise SeedlotError(
            f"manifest '{row.manifest}' does not exist", where=where, todo=f"add it in {folder}"
        )


def find_release(releases: list[Release], source: str, release: str) -> Release | None:
    """The row of a release, or None (a user's own manifest has none)."""
    return next((row for row in releases if (row.source, row.release) == (source, release)), None)


def load_catalogue(resources: Path) -> tuple[list[Release], dict[str, list[Row]]]:
    """sources.tsv and every manifest, the latter by their path relative to `resources`, joined both ways.

    Raises SeedlotError when a manifest row names a release that its source lacks (nearest one named), when
    a release has no row in the manifest it names, or when a manifest belongs to no release.
    """
    resources = Path(resources)
    releases = load_releases(resources / "sources.tsv")
    owners = {row.manifest: row.source for row in releases}
    for path in sorted((resources / "manifests").glob("*.tsv")):
        name = path.relative_to(resources).as_posix()
        if name not in owners and not name.endswith(".lock.tsv"):
            raise SeedlotError(
                f"no release names '{name}'", where=str(resources / "sources.tsv"), todo="add its row"
            )
    found: dict[str, list[Row]] = {}
    for name, source in sorted(owners.items()):
        rows = found[name] = load_manifest(resources / name, source)
        known = [row.release for row in releases if row.source == source]
        for row in rows:
            if row.release not in known:
                raise unknown(
                    f"release of {source}", row.release, known, where=f"{resources / name}: {row.item}"
                )
        used = {row.release for row in rows}
        for release in releases:
            if release.manifest == name and release.release not in used:
                raise SeedlotError(f"release '{release.release}' has no item", where=str(resources / name))
    return releases, found
