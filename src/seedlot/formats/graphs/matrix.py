"""Plain text matrices: numbers separated by blanks or commas, no labels.

Own, on `tokens`: numpy.loadtxt is correct but an order slower, and stops at the first bad cell without
telling which. A record is a non-zero entry; a symmetric matrix gives one triangle (see `from_matrix`).
"""

from __future__ import annotations

import csv
import io

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import tokens
from seedlot.formats.graphs.arrays import count_matrix, from_matrix
from seedlot.formats.graphs.model import RawGraph

OPTIONS = ("directed", "delimiter")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a square matrix; entry (i, j) is a link i -> j, nodes are numbered from 0.

    args: directed (bool; default: whether the matrix is asymmetric), delimiter (one character or 'blank').
    Cells that are not finite numbers become rejects ('not_finite'). Raises SeedlotError for ragged rows.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    return [from_matrix(parse(data, args.get("delimiter")), directed=args.get("directed"))]


def parse(data: bytes, delimiter: str | None = None) -> np.ndarray:
    """(rows, columns) float64 of a text matrix, NaN where a cell is not a finite number."""
    data = tokens.normalise(data)
    comma = delimiter is None and b"," in data[:65536]
    mark = b"," if comma else None if delimiter in (None, "blank") else delimiter.encode()
    fields = tokens.split(data, mark, b"#%")
    if not len(fields):
        raise SeedlotError("the matrix is empty")
    width = int(fields.width[0])
    odd = np.flatnonzero(fields.width != width)
    if len(odd):
        row = int(odd[0])
        raise SeedlotError(
            f"matrix rows differ in length: {width} values, then {int(fields.width[row])}",
            where=f"line {int(fields.line[row])}",
        )
    return tokens.numbers(fields.cells(width))[0].reshape(-1, width)


def count(data: bytes, args: dict) -> int:
    """Non-zero entries by numpy's own text parser, one triangle if symmetric."""
    data = tokens.normalise(data)
    delimiter = args.get("delimiter")
    comma = delimiter is None and b"," in data[:65536]
    mark = b"," if comma else None if delimiter in (None, "blank") else delimiter.encode()
    rows = [row.strip(b" \t\r\v\f") for row in data.split(b"\n")]
    rows = [row for row in rows if row and row[:1] not in (b"#", b"%")]
    if mark is not None and b'"' in data:
        text = io.StringIO(b"\n".join(rows).decode("latin-1"), newline="")
        table = csv.reader(text, delimiter=mark.decode(), skipinitialspace=True)
        cells = [[cell.encode("latin-1") for cell in row] for row in table if any(row)]
    else:
        cells = [row.split(mark) for row in rows]
    return count_matrix(np.array([[_value(cell) for cell in row] for row in cells]), args.get("directed"))


def _value(cell: bytes) -> float:
    try:
        value = float(cell)
    except ValueError:
        return np.nan
    return value if np.isfinite(value) and b"_" not in cell else np.nan
