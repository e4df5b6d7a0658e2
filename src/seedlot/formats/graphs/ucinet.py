"""UCINET DL files: matrices, half matrices, edge lists and node lists, one network for each stacked matrix.

Record: one link as written: a non-zero cell of a matrix, a line of an edge list, an alter of a node list. A
square full matrix that equals its transpose states an undirected network, and then the two cells of a pair
are one record. Each of the NM matrices is a network of its own, named by its level label. Ours, because
igraph refuses stacked and labelled full matrices and networkx reads no DL.

Reject reasons: bad_id, out_of_range (also a cell behind the last matrix), ragged (an edge line of one word),
bad_weight, not_finite.
"""

from __future__ import annotations

import math
import re

import numpy as np

from seedlot.config.errors import unknown
from seedlot.formats.graphs import textscan, ucinet_header
from seedlot.formats.graphs.limits import check_rejects
from seedlot.formats.graphs.model import RawGraph, Reject
from seedlot.formats.graphs.ucinet_header import MATRICES, Header

OPTIONS = frozenset({"format", "encoding"})
_MATRIX_END = re.compile(rb"(?m)^ *! *$")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """Every network of a DL file, one for each of its NM matrices.

    data: the decompressed file. args: `encoding` of labels (found out when absent). Two-mode networks
    number the rows first, then the columns. Raises SeedlotError when the header is broken.
    """
    for word in args:
        if word not in OPTIONS:
            raise unknown("option of the ucinet reader", word, OPTIONS)
    text = textscan.clean(data)
    header = ucinet_header.parse(text, args.get("encoding"))
    body = _numeric(text, header)
    parts = _matrices(body, header) if header.layout in MATRICES else _lists(body, header)
    names = header.names.get("level", [])
    labels = _all_labels(header)
    return [_graph(header, labels, names[k] if names else "", *part) for k, part in enumerate(parts)]


def _numeric(text: bytes, header: Header) -> bytes:
    """The data as numbers and line feeds only, in the lines of the file."""
    body = text[header.start :]
    if not header.embedded:
        return body.replace(b",", b" ") if b"," in body else body
    if header.layout in MATRICES:
        return ucinet_header.number_matrix(body, header)
    return ucinet_header.number_list(body, header)


def _all_labels(header: Header) -> list[str] | None:
    """Labels of the nodes, shared by all matrices: rows, then columns where these are other nodes."""
    row, column = header.names.get("row"), header.names.get("column")
    if not header.two_mode:
        return row or column
    if not (row or column):
        return None
    left = row or [f"row {i + 1}" for i in range(header.rows)]
    return left + (column or [f"column {i + 1}" for i in range(header.columns)])


def _graph(
    header: Header,
    labels: list[str] | None,
    name: str,
    directed: bool,
    src: np.ndarray,
    dst: np.ndarray,
    weight: np.ndarray | None,
    rejects: list[Reject],
) -> RawGraph:
    if weight is not None and (weight == 1.0).all():
        weight = None
    return RawGraph(
        name=name,
        n=header.rows + header.columns if header.two_mode else header.rows,
        labels=labels,
        id_base=1,
        src=src,
        dst=dst + header.rows if header.two_mode else dst,
        directed=directed,
        weight=weight,
        bipartite=header.two_mode,
        n_left=header.rows if header.two_mode else None,
        read=len(src) + len(rejects),
        kept=len(src),
        rejects=rejects,
        notes=dict(header.notes),
    )


def _cells(header: Header) -> int:
    """Cells of one matrix as the layout writes them."""
    if header.layout == "fullmatrix":
        return header.rows * header.columns - (0 if header.diagonal else min(header.rows, header.columns))
    return header.rows * (header.rows + (1 if header.diagonal else -1)) // 2


def _position(header: Header, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of the cells at given places of a matrix written row by row."""
    n, skip = header.rows, 0 if header.diagonal else 1
    if header.layout == "fullmatrix":
        row, column = np.divmod(place, header.columns - skip)
        return row, column + (column >= row) * skip
    mirrored = place if header.layout == "lowerhalf" else _cells(header) - 1 - place
    # Row r of the lower half begins at r (r + 1) / 2 (r (r - 1) / 2 without diagonal); the root of that
    # quadratic can be one off in floating point, so it is corrected by one step either way.
    row = np.floor((np.sqrt(8.0 * mirrored + 1) - 1) / 2).astype(np.int64)
    row -= row * (row + 1) // 2 > mirrored
    row += (row + 1) * (row + 2) // 2 <= mirrored
    column = mirrored - row * (row + 1) // 2
    row += skip
    return (row, column) if header.layout == "lowerhalf" else (n - 1 - row, n - 1 - column)


def _matrices(body: bytes, header: Header) -> list[tuple]:
    """Links of every stacked matrix: (directed, src, dst, weight, rejects)."""
    per = _cells(header)
    places, values, lines, broken = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0, np.int64)], {}
    at, line = 0, header.line
    for start, stop in textscan.blocks(body, 0, len(body)):
        words = textscan.scan(body, start, stop, comment=b"")
        value, ok = words.numbers(np.arange(len(words.starts)))
        hit = np.flatnonzero(~ok | (value != 0))
        places.append(at + hit)
        values.append(value[hit])
        lines.append(line + np.repeat(words.line, words.count)[hit])
        broken |= {at + k: words.word(k) for k in hit[~ok[hit]].tolist()}
        check_rejects(len(broken), f"line {line}")
        at, line = at + len(words.starts), line + words.lines
    place, value, line_of = np.concatenate(places), np.concatenate(values), np.concatenate(lines)
    header.notes["cells"] = at
    if at != per * header.levels:
        header.notes["cells_expected"] = per * header.levels
    starts = np.searchsorted(place, per * np.arange(header.levels + 1))
    check_rejects(len(place) - int(starts[-1]), "behind the last matrix")
    parts = []
    for k in range(header.levels):
        mine = np.arange(starts[k], starts[k + 1] if k + 1 < header.levels else len(place))
        inside = np.isfinite(value[mine]) & (mine < starts[-1])
        rejects = [
            _bad_cell(int(line_of[i]), broken.get(int(place[i])), value[i]) for i in mine[~inside].tolist()
        ]
        sure = mine[inside]
        row, column = _position(header, place[sure] - k * per)
        weight = value[sure]
        directed = header.layout == "fullmatrix" and not header.two_mode
        if directed and not rejects and _symmetric(row, column, weight):
            directed, one = False, row <= column
            row, column, weight = row[one], column[one], weight[one]
        parts.append((directed, row, column, weight, rejects))
    return parts


def _bad_cell(line: int, word: bytes | None, value: float) -> Reject:
    if word is None:
        return Reject(line, None, "out_of_range", f"{value:g} stands behind the last matrix")
    return Reject(line, None, textscan.cell_reason(word), word.decode("utf-8", "replace"))


def _symmetric(row: np.ndarray, column: np.ndarray, weight: np.ndarray) -> bool:
    here, there = np.lexsort((column, row)), np.lexsort((row, column))
    return bool(
        (row[here] == column[there]).all()
        and (column[here] == row[there]).all()
        and (weight[here] == weight[there]).all()
    )


def _lists(body: bytes, header: Header) -> list[tuple]:
    """Links of edge lists or node lists; a line with `!` ends one matrix and begins the next."""
    pairs = header.layout.startswith("edgelist")
    parts: list[list] = [[] for _ in range(header.levels)]
    rejects: list[list[Reject]] = [[] for _ in range(header.levels)]
    line = header.line
    chunks = _MATRIX_END.split(body, maxsplit=header.levels)
    # What lies behind the last promised matrix is refused in one piece, however many marks part it.
    chunks[header.levels :] = [_MATRIX_END.sub(b"", chunk) for chunk in chunks[header.levels :]]
    for level, chunk in enumerate(chunks):
        home = min(level, header.levels - 1)
        for start, stop in textscan.blocks(chunk, 0, len(chunk)):
            words = textscan.scan(chunk, start, stop, comment=b"")
            links = _edge_lines(words, header) if pairs else _node_lines(words, header)
            *columns, reason, shown, at = links
            textscan.blame(reason, np.full(len(reason), level >= header.levels), "out_of_range")
            good = reason == 0
            for k in np.flatnonzero(~good).tolist():
                rejects[home].append(Reject(line + int(at[k]), None, textscan.REASONS[reason[k]], shown(k)))
                check_rejects(len(rejects[home]), f"line {line}")
            parts[home].append([None if column is None else column[good] for column in columns])
            line += words.lines
    out = []
    for mine, bad in zip(parts, rejects):
        src, dst = (np.concatenate([np.zeros(0, np.int64), *(part[i] for part in mine)]) for i in (0, 1))
        weights = [np.ones(len(part[0])) if part[2] is None else part[2] for part in mine]
        weight = np.concatenate(weights) if weights else None
        out.append((not header.two_mode, src - 1, dst - 1, weight, bad))
    return out


def _outside(src: np.ndarray, dst: np.ndarray, header: Header) -> np.ndarray:
    return (src < 1) | (src > header.rows) | (dst < 1) | (dst > header.columns)


def _edge_lines(words: textscan.Words, header: Header) -> tuple:
    """`i j [value]`: (src, dst, weight, reason, text of row k, line of each row)."""
    rows, first, count = len(words.first), words.first, words.count
    reason = np.zeros(rows, np.uint8)
    last = max(len(words.starts) - 1, 0)
    src, src_ok = words.integers(np.minimum(first, last))
    dst, dst_ok = words.integers(np.minimum(first + 1, last))
    textscan.blame(reason, count < 2, "ragged")
    textscan.blame(reason, ~(src_ok & dst_ok), "bad_id")
    textscan.blame(reason, _outside(src, dst, header), "out_of_range")
    valued = np.flatnonzero((count > 2) & (reason == 0))
    weight = np.ones(rows)
    value, ok = words.numbers(first[valued] + 2)
    weight[valued] = value
    for k in valued[~ok].tolist():
        reason[k] = textscan.REASONS.index(textscan.cell_reason(words.word(first[k] + 2)))
    return src, dst, weight, reason, words.text, words.line


def _node_lines(words: textscan.Words, header: Header) -> tuple:
    """`ego alter alter ...`: (src, dst, None, reason, text of link k, line of each link)."""
    degree = words.count - 1
    row = np.repeat(np.arange(len(words.first)), degree)
    step = np.arange(len(row)) - np.repeat(np.cumsum(degree) - degree, degree)
    ego, ego_ok = words.integers(words.first)
    alter = words.first[row] + 1 + step
    src, (dst, dst_ok) = ego[row], words.integers(alter)
    reason = np.zeros(len(row), np.uint8)
    textscan.blame(reason, ~(ego_ok[row] & dst_ok), "bad_id")
    textscan.blame(reason, _outside(src, dst, header), "out_of_range")

    def shown(k: int) -> str:
        return (words.word(words.first[row[k]]) + b" " + words.word(alter[k])).decode("utf-8", "replace")

    return src, dst, None, reason, shown, words.line[row]


def count(data: bytes, args: dict) -> int:
    """Links of the file, counted cell by cell and line by line in plain Python; see the module's record."""
    text = textscan.clean(data)
    header = ucinet_header.parse(text, args.get("encoding"))
    lines = _numeric(text, header).split(b"\n")
    if header.layout.startswith("edgelist"):
        return sum(1 for row in lines if row.split() and row.split() != [b"!"])
    if header.layout.startswith("nodelist"):
        return sum(max(len(row.split()) - 1, 0) for row in lines)
    cells: dict[int, bytes] = {}
    at = 0
    for row in lines:
        for word in row.split():
            if not _is_zero(word):
                cells[at] = word
            at += 1
    total = len(cells)
    if header.layout == "fullmatrix" and not header.two_mode:
        total -= sum(_mirrored_pairs(cells, header, k) for k in range(header.levels))
    return total


def _is_zero(word: bytes) -> bool:
    try:
        return b"_" not in word and float(word) == 0
    except ValueError:
        return False


def _mirrored_pairs(cells: dict[int, bytes], header: Header, level: int) -> int:
    """Pairs of equal cells above and below the diagonal of one matrix, 0 unless all of them are equal."""
    n = header.rows
    width = n if header.diagonal else n - 1
    begin, behind = level * n * width, header.levels * n * width
    last = level == header.levels - 1
    if last and any(place >= behind for place in cells):
        return 0
    matrix = {}
    for place, word in cells.items():
        if begin <= place < begin + n * width:
            i, j = divmod(place - begin, width)
            try:
                value = float(word)
            except ValueError:
                return 0
            if b"_" in word:
                return 0
            matrix[i, j if header.diagonal or j < i else j + 1] = value
    if any(math.isinf(value) or matrix.get((j, i)) != value for (i, j), value in matrix.items()):
        return 0
    return sum(i < j for i, j in matrix)
