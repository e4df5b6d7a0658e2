"""MatrixMarket coordinate and array files, with the liberties that network collections take.

scipy.io.mmread is correct on files that keep to the standard but stops at collections' variants: an extra
size line, values missing in a `real` file, entries outside the matrix; it also gives no line of a bad entry,
and expands symmetric storage, so that the number of records is lost. So: own, on `tokens`.
A record is one stored entry. `symmetric`, `skew-symmetric` and `hermitian` store one triangle: undirected,
each stored entry one link. `general` is directed. A rectangular matrix is bipartite: rows, then columns.
"""

from __future__ import annotations

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.model import RawGraph, Reject

FIELDS = {"pattern": 0, "integer": 1, "real": 1, "double": 1, "complex": 2}
SYMMETRY = ("general", "symmetric", "skew-symmetric", "hermitian")


def _parse(data: bytes) -> tuple[str, str, str, tokens.Fields]:
    """(layout, field, symmetry, records after the header). Without a %%MatrixMarket line: general, and
    pattern or real by the width of the first entry."""
    data = tokens.normalise(data)
    words = data[:256].split(b"\n", 1)[0].decode("latin-1").lower().split()
    fields = tokens.split(data, None, b"%#")
    if not words or words[0] != "%%matrixmarket":
        width = int(fields.width[1]) if len(fields) > 1 else 2
        return "coordinate", "real" if width > 2 else "pattern", "general", fields
    if len(words) < 5 or words[1] != "matrix" or words[2] not in ("coordinate", "array"):
        raise SeedlotError(f"cannot read the MatrixMarket header '{' '.join(words)[:80]}'", where="line 1")
    if words[3] not in FIELDS:
        raise unknown("MatrixMarket field", words[3], FIELDS, where="line 1")
    if words[4] not in SYMMETRY:
        raise unknown("MatrixMarket symmetry", words[4], SYMMETRY, where="line 1")
    return words[2], words[3], words[4], fields


def _size(fields: tokens.Fields, layout: str, size: int) -> tuple[int, int, int, int]:
    """(rows, columns, entries declared, records taken by the size lines).

    Some collections write the size twice; the second line is taken as a size only when it equals the first.
    """
    need = 3 if layout == "coordinate" else 2
    if not len(fields) or fields.width[0] < need:
        raise SeedlotError("there is no size line", where=f"line {int(fields.line[0]) if len(fields) else 1}")
    cells = [fields.take(slice(0, 1)).column(k) for k in range(need)]
    values = [tokens.integers(c) for c in cells]
    if not all(good[0] and value[0] >= 0 for value, good in values):
        raise SeedlotError("the size line is not of whole numbers", where=f"line {int(fields.line[0])}")
    rows, columns = (int(value[0]) for value, _ in values[:2])
    limits.check_nodes(rows + columns, size, f"line {int(fields.line[0])}")
    twice = layout == "coordinate" and len(fields) > 1 and fields.text(1).split() == fields.text(0).split()
    entries = int(values[2][0][0]) if need == 3 else rows * columns
    taken = 2 if twice and len(fields) - 2 >= entries else 1
    return rows, columns, entries, taken


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a matrix; entry (i, j) is a link between row i and column j.

    args: directed (bool) overrides what the symmetry says; bipartite (bool) treats a square matrix as two
    node sets. Rejects: 'ragged', 'bad_id', 'out_of_range', 'bad_weight' (also complex with a bad part).
    A complex entry's weight is its real part. Raises SeedlotError for a broken header or size line.
    """
    for key in args:
        if key not in ("format", "directed", "bipartite"):
            raise unknown("reader option", key, ("directed", "bipartite"))
    layout, field, symmetry, fields = _parse(data)
    rows, columns, entries, taken = _size(fields, layout, len(data))
    body = fields.take(slice(taken, None))
    stored = entries if layout == "coordinate" or symmetry == "general" else _triangle(rows, symmetry)
    if len(body) < stored:
        raise SeedlotError(f"the size line declares {stored:,} entries, the file ends after {len(body):,}")
    bipartite = bool(args.get("bipartite", rows != columns))
    directed = bool(args.get("directed", symmetry == "general")) and not bipartite
    coordinate = layout == "coordinate"
    i, j, weight, bad = _entries(body, field) if coordinate else _dense(body, rows, columns, symmetry)
    outside = (i < 0) | (i >= rows) | (j < 0) | (j >= columns)
    bad = np.where((bad == 0) & outside, 3, bad)
    keep = bad == 0
    limits.check_rejects(int((~keep).sum()), "matrix entries")
    nonzero = keep if coordinate else keep & (weight != 0)
    return [
        RawGraph(
            name="",
            n=rows + columns if bipartite else max(rows, columns),
            labels=None,
            id_base=1,
            src=i[nonzero],
            dst=j[nonzero] + (rows if bipartite else 0),
            directed=directed,
            weight=None if weight is None else weight[nonzero],
            bipartite=bipartite,
            n_left=rows if bipartite else None,
            read=len(body) if coordinate else int((nonzero | ~keep).sum()),
            kept=int(nonzero.sum()),
            rejects=[
                Reject(int(body.line[r]), int(r), REASONS[int(bad[r])], body.text(r))
                for r in np.flatnonzero(~keep)
            ],
            notes={"field": field, "symmetry": symmetry, "entries_declared": entries},
        )
    ]


REASONS = {1: "ragged", 2: "bad_id", 3: "out_of_range", 4: "bad_weight"}


def _triangle(rows: int, symmetry: str) -> int:
    """Values that a symmetric array file stores."""
    return rows * (rows - 1) // 2 if symmetry == "skew-symmetric" else rows * (rows + 1) // 2


def _entries(body: tokens.Fields, field: str):
    """0-based row, column, weight (None for pattern) and a reason code for every stored entry."""
    m, values = len(body), FIELDS[field]
    i, j, bad = np.zeros(m, np.int64), np.zeros(m, np.int64), np.zeros(m, np.int8)
    weight = np.full(m, np.nan) if values else None
    at = np.flatnonzero(body.width >= 2 + values)
    bad[body.width < 2 + values] = 1
    full = body.take(at)
    (a, good_a), (b, good_b) = (tokens.integers(full.column(k)) for k in (0, 1))
    i[at], j[at] = a - 1, b - 1
    bad[at[~(good_a & good_b)]] = 2
    for k in range(values):
        value, good = tokens.numbers(full.column(2 + k))
        bad[at[~good]] = np.where(bad[at[~good]] == 0, 4, bad[at[~good]])
        if k == 0:
            weight[at] = value
    return i, j, weight, bad


def _dense(body: tokens.Fields, rows: int, columns: int, symmetry: str):
    """The same for an array file: one value a line, column by column, one triangle when symmetric."""
    if symmetry == "general":
        j, i = np.divmod(np.arange(len(body)), max(rows, 1))
    else:
        first = 1 if symmetry == "skew-symmetric" else 0
        heights = np.maximum(rows - first - np.arange(rows), 0)
        j = np.repeat(np.arange(rows), heights)[: len(body)]
        i = (np.arange(heights.sum()) - np.repeat(np.cumsum(heights) - heights, heights))[: len(body)]
        i = i + j + first
        spare = len(body) - len(j)
        i, j = np.append(i, np.full(spare, rows)), np.append(j, np.full(spare, columns))
    weight, good = tokens.numbers(body.column(0))
    return i, j, weight, np.where(good, 0, 4).astype(np.int8)


def count(data: bytes, args: dict) -> int:
    """Lines that are neither blank nor comment nor size; in an array file, those that are not zero."""
    lines = [line.split() for line in tokens.normalise(data).replace(b"\r", b" ").split(b"\n")]
    lines = [words for words in lines if words and words[0][:1] not in (b"%", b"#")]
    head = tokens.normalise(data)[:256].split(b"\n", 1)[0].lower().split()
    if head[:1] == [b"%%matrixmarket"] and head[2:3] == [b"array"]:
        return sum(not _zero(words[0]) for words in lines[1:])
    twice = len(lines) > 1 and lines[0] == lines[1] and len(lines) - 2 >= int(float(lines[0][2]))
    return len(lines) - 1 - twice


def _zero(word: bytes) -> bool:
    return (
        word.strip(b"+-").split(b"e")[0].split(b"E")[0].replace(b".", b"").strip(b"0") == b""
        and word[-1:] != b"-"
    )
