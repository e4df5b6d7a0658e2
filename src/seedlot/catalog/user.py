"""A user's own table of files, mapped to manifest rows, so that own data goes the way of every other."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seedlot.catalog.files import safe_relative
from seedlot.catalog.manifest import COMMON, FOLDER, Row, check_together, parse_row
from seedlot.config.errors import SeedlotError, unknown

KEYS = ("columns", "folder", "path", "release")
OPTIONAL = ("defaults", "formats")
DELIMITERS = {".tsv": "\t", ".tab": "\t", ".csv": ",", ".txt": "\t"}


def load_user_manifest(spec: Mapping[str, Any], source: str, base: Path = Path()) -> list[Row]:
    """Rows of a user's table, ascending by item.

    spec: `path` of a .tsv or .csv with a header; `folder` the files lie in (relative to `base`, as is
    `path`); `columns` mapping a manifest column to the table's own name for it, `item` and `url` at least;
    `release`, a short name for this state of the data; optionally `defaults`, values for manifest columns whose
    cell is empty or absent, and `formats`, the table's words for formats and our names for them. url cells are
    paths below the folder or http(s) addresses. Names become items: lower case, other letters '_', a digest
    appended where two would be
    equal; the name as written is kept in `extra['title']`. Columns not mapped keep their own name in
    `extra`. Raises SeedlotError with file:line, also for a path that leaves the folder.
    """
    for key in spec:
        if key not in (*KEYS, *OPTIONAL):
            raise unknown(f"key of manifests.{source}", str(key), (*KEYS, *OPTIONAL))
    for key in KEYS:
        if not spec.get(key):
            raise SeedlotError(f"manifests.{source} has no '{key}'", todo=f"add {key}: to it in the config")
    path, folder = base / spec["path"], base / spec["folder"]
    columns = dict(spec["columns"])
    for needed in ("item", "url"):
        if needed not in columns:
            raise SeedlotError(f"manifests.{source}.columns maps no '{needed}'", where=str(path))
    lines, table = _read(path)
    for target, own in columns.items():
        if own not in table[0]:
            raise unknown(f"column of {path.name} (mapped to '{target}')", own, table[0], where=f"{path}:1")
    seen = _items([dict(zip(table[0], cells))[columns["item"]] for cells in table[1:]], path, lines)
    defaults, formats = spec.get("defaults") or {}, spec.get("formats") or {}
    pairs = []
    for line, item, cells in zip(lines, seen, table[1:], strict=True):
        own = dict(zip(table[0], cells, strict=True))
        told = _cells(own, columns, item, spec["release"], path, line)
        if told["url"].startswith(FOLDER):
            told["url"] += "#" + _state(folder / told["url"].removeprefix(FOLDER), told["sha256"])
        told |= {name: text for name, text in defaults.items() if not told.get(name)}
        if told.get("format") in formats:
            told["format"] = formats[told["format"]]
        where = f"{path}:{line}"
        row = parse_row(told, where, {"folder": str(folder)})
        pairs.append((row, where))
    pairs.sort(key=lambda pair: pair[0].item)
    check_together([row for row, _ in pairs], [where for _, where in pairs])
    return [row for row, _ in pairs]


def _state(file: Path, sha256: str) -> str:
    """What tells one state of a user's file from another: 12 hex digits, or `absent`.

    The digest that the table states, else one over place, size and time of change: an edited file, and one of the
    same name in another folder, is another raw file, and one that was missing is looked for again.
    """
    if sha256:
        return sha256[:12]
    try:
        now = file.stat()
    except OSError:
        return "absent"
    text = f"{file.absolute()}\n{now.st_size}\n{now.st_mtime_ns}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _read(path: Path) -> tuple[list[int], list[list[str]]]:
    """Line numbers of the data rows, and all rows with the header first; byte-order mark and CRLF are fine."""
    delimiter = DELIMITERS.get(path.suffix.lower())
    if delimiter is None:
        raise unknown("kind of table", path.suffix, DELIMITERS, where=str(path))
    lines: list[int] = []
    table: list[list[str]] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            # a quote mark is text in a TSV and a quote in a CSV
            quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
            reader = csv.reader(stream, delimiter=delimiter, quoting=quoting, strict=False)
            for cells in reader:
                if not any(cell.strip() for cell in cells):
                    continue
                if table and len(cells) != len(table[0]):
                    saw = f"expected {len(table[0])} cells, saw {len(cells)}"
                    raise SeedlotError(saw, where=f"{path}:{reader.line_num}")
                if table:
                    lines.append(reader.line_num)
                table.append([cell.strip() for cell in cells])
    except FileNotFoundError:
        raise SeedlotError("the user's manifest does not exist", where=str(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise SeedlotError(f"the user's manifest cannot be read: {error}", where=str(path)) from None
    if len(table) < 2:
        raise SeedlotError("the user's manifest has no rows", where=str(path))
    repeated = {name for name in table[0] if table[0].count(name) > 1}
    if repeated:
        raise SeedlotError(f"columns occur twice: {', '.join(sorted(repeated))}", where=f"{path}:1")
    return lines, table


def _items(names: list[str], path: Path, lines: list[int]) -> list[str]:
    """Item names of the written names. Equal written names are an error, equal slugs get a digest."""
    first: dict[str, int] = {}
    for name, line in zip(names, lines, strict=True):
        if name in first:
            raise SeedlotError(f"item '{name}' occurs twice (line {first[name]})", where=f"{path}:{line}")
        first[name] = line
    slugs = [re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") for name in names]
    often = Counter(slugs)
    items = [
        slug
        if slug and often[slug] == 1
        else f"{slug or 'x'}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        for slug, name in zip(slugs, names, strict=True)
    ]
    if len(set(items)) < len(items):
        raise SeedlotError("two names become one item", where=str(path), todo="rename one of them")
    return items


def _cells(
    own: Mapping[str, str], columns: Mapping[str, str], item: str, release: str, path: Path, line: int
) -> dict[str, str]:
    """One row of the user's table under the manifest's column names."""
    cells = dict.fromkeys(COMMON, "")
    taken = set(columns.values())
    cells |= {name: text for name, text in own.items() if name not in taken and name not in COMMON}
    cells |= {target: own[name] for target, name in columns.items()}
    written, where = cells["item"], f"{path}:{line}"
    cells |= {"item": item, "origin": "upstream", "release": str(release)}
    cells["title"] = cells.get("title") or written
    cells["licence"] = cells["licence"] or "not stated"
    cells["evidence"] = cells["evidence"] or f"{path.name}:{line}"
    if not cells["url"].startswith(("http://", "https://")):
        safe_relative(cells["url"], kind="file", where=where)
        cells["url"] = FOLDER + cells["url"]
    if cells["member"] and not cells["container"]:
        cells["container"] = cells["url"].removeprefix(FOLDER).rsplit("/", 1)[-1]
    return cells
