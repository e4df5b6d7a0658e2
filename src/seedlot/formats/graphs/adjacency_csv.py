"""Labelled matrices in CSV: `biadjacency` (rows and columns are different nodes) and `adjacency` (square).

Own, on `tokens`: the quoting of labels is csv's, numbers are converted in one step, bad cells keep their
line. A record is a non-zero cell. Labels are the first row and the first column where these are not
numbers; empty cells are zeros.
"""

from __future__ import annotations

import csv
import io

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.arrays import from_matrix
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
    rows, columns, cells, skip = _table(fields, args.get("skip_columns", []))
    value, good = tokens.numbers(cells)
    value[tokens.missing(cells)], good[tokens.missing(cells)] = 0, True
    value = value.reshape(len(fields) - skip, -1)[:, columns[1]]
    good = good.reshape(len(fields) - skip, -1)[:, columns[1]]
    if args.get("format") == "adjacency":
        return [_square(rows, columns[0], value, args.get("directed"))]
    return [_two_mode(rows, columns[0], value, good, fields.line[skip:])]


def _delimiter(data: bytes, args: dict) -> bytes:
    line = data.lstrip(b"\r\n").split(b"\n", 1)[0]
    stated = args.get("delimiter")
    if stated is not None and len(stated.encode()) != 1:
        raise SeedlotError(f"a delimiter is one character, not {stated!r}")
    return stated.encode() if stated else max((b",", b";", b"\t"), key=line.count)


def _table(fields: tokens.Fields, drop: list[str]):
    """(row labels or None, (column labels or None, kept columns), body cells, header rows)."""
    if not len(fields):
        raise SeedlotError("the matrix is empty")
    width = int(fields.width[0])
    if width == int(fields.width[-1]) - 1 and len(fields) > 1:
        width += 1
    odd = np.flatnonzero(fields.width[1:] != width)
    if len(odd):
        row = int(odd[0]) + 1
        raise SeedlotError(
            f"matrix rows differ in length: {width} cells, then {int(fields.width[row])}",
            where=f"line {int(fields.line[row])}",
        )
    top = tokens.strings(fields.take(slice(0, 1)).cells(int(fields.width[0])))
    skip = int(any(not _numeric(c) for c in top[1:]) or int(fields.width[0]) < width)
    body = fields.take(slice(skip, None))
    side = tokens.strings(body.column(0)) if len(body) else []
    named = skip and not _numeric(top[0]) or any(not _numeric(c) for c in side)
    first = int(bool(named))
    names = top[len(top) - (width - first) :] if skip else [str(k + 1) for k in range(width - first)]
    kept = [k for k, name in enumerate(names) if name not in drop]
    cells = body.cells(width, first)
    labels = side if first else [str(k + 1) for k in range(len(body))]
    return labels, ([names[k] for k in kept], kept), cells, skip


def _numeric(cell: str) -> bool:
    return cell.lstrip("+-.")[:1].isdigit() and not any(c.isalpha() for c in cell.strip("eE"))


def _two_mode(rows: list[str], columns: list[str], value: np.ndarray, good: np.ndarray, line) -> RawGraph:
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


def _square(rows: list[str], columns: list[str], value: np.ndarray, directed: bool | None) -> RawGraph:
    """Columns are put into the order of the rows; nodes carry the row labels."""
    place = {name: k for k, name in enumerate(columns)}
    if len(place) != len(columns) or sorted(rows) != sorted(columns):
        raise SeedlotError(
            "row and column labels of the adjacency differ",
            todo="use the format 'biadjacency', or name the extra columns in 'skip_columns'",
        )
    return from_matrix(value[:, [place[name] for name in rows]], labels=rows, directed=directed)


def count(data: bytes, args: dict) -> int:
    """Non-zero cells by the standard library's csv and float."""
    data = tokens.normalise(data)
    text = io.StringIO(data.decode("latin-1"), newline="")
    rows = [
        [cell.strip(" \t\r\v\f") for cell in row]
        for row in csv.reader(text, delimiter=_delimiter(data, args).decode("latin-1"), skipinitialspace=True)
    ]
    rows = [row for row in rows if len(row) > 1 or (row and row[0])]
    graph = read(data, args)[0]
    height = graph.n_left if graph.bipartite else graph.n
    drop = set(args.get("skip_columns", []))
    body = rows[len(rows) - height :]
    lead = len(body[0]) - (graph.n - height if graph.bipartite else height) - len(drop) if body else 0
    keep = [k for k in range(lead, len(body[0]) if body else 0) if rows[0][k - len(body[0])] not in drop]
    cells = {(i, k): row[k] for i, row in enumerate(body) for k in keep if not _zero(row[k])}
    if graph.bipartite or graph.directed is True:
        return len(cells)
    order = {name: k for k, name in enumerate(graph.labels)}
    names = [c.encode("latin-1").decode("utf-8", "replace") for c in rows[0][-height:]]
    return sum(order.get(names[k - lead], k - lead) >= i for i, k in cells)


def _zero(cell: str) -> bool:
    try:
        return float(cell) == 0
    except ValueError:
        return cell.encode("latin-1") in tokens.MISSING
