"""Labelled matrices in CSV: `biadjacency` (rows and columns are different nodes) and `adjacency` (square).

Own, on `tokens`: the quoting of labels is csv's, numbers are converted in one step, bad cells keep their
line. A record is a non-zero cell. Labels are the first row and the first column where these are not
numbers; empty cells are zeros.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.arrays import count_matrix, from_matrix
from seedlot.formats.graphs.model import RawGraph, Reject

OPTIONS = ("delimiter", "skip_columns", "directed")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a labelled matrix.

    args: format ('biadjacency' or 'adjacency'), delimiter (default: the commonest of , ; tab in the first
    line), skip_columns (list of column labels that are no nodes), directed (bool, 'adjacency' only).
    Rejects: 'bad_weight', a cell that is neither empty nor a finite number. In `biadjacency` rows are the
    first node set. Raises SeedlotError for ragged rows, and where an `adjacency` has different row and
    column labels.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    data = tokens.normalise(data)
    fields = tokens.split(data, _delimiter(data, args), b"")
    frame = _frame(fields, args.get("skip_columns", []))
    body = fields.take(slice(frame.skip, None))
    cells = body.cells(frame.width, frame.lead)
    value, good = tokens.numbers(cells)
    empty = tokens.missing(cells)
    value[empty], good = 0, good | empty
    value, good = (part.reshape(len(body), frame.width - frame.lead)[:, frame.kept] for part in (value, good))
    if args.get("format") == "adjacency":
        return [from_matrix(value[:, _order(frame)], labels=frame.rows, directed=args.get("directed"))]
    return [_two_mode(frame, value, good, body.line)]


@dataclass(frozen=True)
class Frame:
    """What surrounds the numbers. rows, columns: labels. skip: header rows. lead: label columns. width: cells
    of a body row. kept: positions of the wanted columns behind the label column."""

    rows: list[str]
    columns: list[str]
    skip: int
    lead: int
    width: int
    kept: list[int]


def _delimiter(data: bytes, args: dict) -> bytes:
    line = data.lstrip(b"\r\n").split(b"\n", 1)[0]
    stated = args.get("delimiter")
    if stated is not None and len(stated.encode()) != 1:
        raise SeedlotError(f"a delimiter is one character, not {stated!r}")
    return stated.encode() if stated else max((b",", b";", b"\t"), key=line.count)


def _frame(fields: tokens.Fields, drop: list[str]) -> Frame:
    """Labels and extent of a matrix; refuses rows of different length and a matrix without a cell."""
    if not len(fields):
        raise SeedlotError("the matrix is empty")
    head = int(fields.width[0])
    width = head + int(len(fields) > 1 and head == int(fields.width[-1]) - 1)
    odd = np.flatnonzero(fields.width[1:] != width)
    if len(odd):
        row = int(odd[0]) + 1
        raise SeedlotError(
            f"matrix rows differ in length: {width} cells, then {int(fields.width[row])}",
            where=f"line {int(fields.line[row])}",
        )
    top = tokens.strings(fields.take(slice(0, 1)).cells(head))
    skip = int(head < width or not all(map(_numeric, top[1:])))
    side = tokens.strings(fields.take(slice(skip, None)).column(0))
    lead = int(bool(skip and not _numeric(top[0])) or not all(map(_numeric, side)))
    if width <= lead or len(fields) <= skip:
        raise SeedlotError("the matrix has labels but no cell")
    names = top[head - (width - lead) :] if skip else [str(k + 1) for k in range(width - lead)]
    kept = [k for k, name in enumerate(names) if name not in drop]
    rows = side if lead else [str(k + 1) for k in range(len(side))]
    return Frame(rows, [names[k] for k in kept], skip, lead, width, kept)


def _order(frame: Frame) -> list[int]:
    """The column of each row label; row and column labels of an adjacency must be the same set."""
    place = {name: k for k, name in enumerate(frame.columns)}
    if len(place) != len(frame.columns) or sorted(frame.rows) != sorted(frame.columns):
        raise SeedlotError(
            "row and column labels of the adjacency differ",
            todo="use the format 'biadjacency', or name the extra columns in 'skip_columns'",
        )
    return [place[name] for name in frame.rows]


def _numeric(cell: str) -> bool:
    return cell.lstrip("+-.")[:1].isdigit() and not any(c.isalpha() for c in cell.strip("eE"))


def _two_mode(frame: Frame, value: np.ndarray, good: np.ndarray, line: np.ndarray) -> RawGraph:
    rows, columns = frame.rows, frame.columns
    read = ~good | (value != 0)
    src, dst = np.nonzero(read)
    keep = good[src, dst]
    limits.check_rejects(int((~keep).sum()), "matrix")
    rejects = [
        Reject(int(line[src[k]]), int(k), "bad_weight", f"{rows[src[k]]} x {columns[dst[k]]}"[:200])
        for k in np.flatnonzero(~keep)
    ]
    src, dst = src[keep], dst[keep]
    return RawGraph(
        name="",
        n=len(rows) + len(columns),
        labels=rows + columns,
        id_base=0,
        src=src,
        dst=dst + len(rows),
        directed=False,
        weight=value[src, dst],
        bipartite=True,
        n_left=len(rows),
        read=int(read.sum()),
        kept=len(src),
        rejects=rejects,
    )


def count(data: bytes, args: dict) -> int:
    """Non-zero cells by the standard library's csv and float."""
    data = tokens.normalise(data)
    mark = _delimiter(data, args)
    frame = _frame(tokens.split(data, mark, b""), args.get("skip_columns", []))
    source = io.StringIO(data.decode("latin-1"), newline="")
    table = list(csv.reader(source, delimiter=mark.decode("latin-1"), skipinitialspace=True))
    table = [row for row in table if len(row) > 1 or (row and row[0].strip())][frame.skip :]
    value = np.array([[_value(row[frame.lead + k]) for k in frame.kept] for row in table])
    if args.get("format") == "adjacency":
        return count_matrix(value[:, _order(frame)], args.get("directed"))
    return int(np.count_nonzero(value))


def _value(cell: str) -> float:
    cell = cell.strip(" \t\r\v\f")
    if cell.encode("latin-1") in tokens.MISSING:
        return 0.0
    try:
        return float(cell)
    except ValueError:
        return np.nan
