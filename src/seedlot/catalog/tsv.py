"""Committed tables: UTF-8, tabs, one header line, no quoting; every error names file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from seedlot.catalog.files import write_whole
from seedlot.config.errors import SeedlotError, nearest


def read_tsv(path: Path, required: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line number from 1, column -> text) for each row below the header.

    Cells may be empty but hold no surrounding blanks. Columns beyond `required` are allowed, in any order.
    Raises SeedlotError naming file:line for a missing file, a missing or repeated column, a row of another
    width, a carriage return, a blank line or text that is not UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise SeedlotError("the table does not exist", where=str(path)) from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise SeedlotError(
            "the table is not UTF-8", where=f"{path}:{line}", todo="save it as UTF-8"
        ) from None
    lines = text.removesuffix("\n").split("\n")
    header = lines[0].split("\t")
    check_header(path, header, required)
    for number, line in enumerate(lines[1:], start=2):
        where = f"{path}:{number}"
        if "\r" in line:
            raise SeedlotError(
                "carriage return in a committed table", where=where, todo="save with LF line ends"
            )
        if not line.strip():
            raise SeedlotError("blank line in a committed table", where=where, todo="delete the line")
        cells = line.split("\t")
        if len(cells) != len(header):
            raise SeedlotError(f"expected {len(header)} cells, saw {len(cells)}", where=where)
        for name, cell in zip(header, cells, strict=True):
            if cell != cell.strip():
                raise SeedlotError(f"blanks around the text of column '{name}'", where=where)
        yield number, dict(zip(header, cells, strict=True))


def check_header(path: Path, header: Sequence[str], required: Sequence[str]) -> None:
    """Refuse a header that lacks a required column or names one twice; a near miss is pointed out."""
    where = f"{path}:1"
    for name in header:
        if header.count(name) > 1:
            raise SeedlotError(f"column '{name}' occurs twice", where=where)
    for name in required:
        if name not in header:
            close = nearest(name, [word for word in header if word not in required])
            todo = f"rename column '{close}' to '{name}'" if close else f"add a column '{name}'"
            raise SeedlotError(f"column '{name}' is missing", where=where, todo=todo)


def write_tsv(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table whole: temporary name, fsync, rename. Tabs and line breaks in cells become blanks."""
    lines = ("\t".join(" ".join(str(cell).split()) for cell in row) for row in [header, *rows])
    write_whole(path, "".join(line + "\n" for line in lines).encode())
