"""The head of a UCINET DL file: sizes, layout and labels; and data with its labels turned into numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import textscan
from seedlot.formats.graphs.limits import check_nodes

LAYOUTS = {
    "fullmatrix": "fullmatrix",
    "fm": "fullmatrix",
    "upperhalf": "upperhalf",
    "uh": "upperhalf",
    "lowerhalf": "lowerhalf",
    "lh": "lowerhalf",
    "edgelist": "edgelist1",
    "edgelist1": "edgelist1",
    "el1": "edgelist1",
    "edgelist2": "edgelist2",
    "el2": "edgelist2",
    "nodelist": "nodelist1",
    "nodelist1": "nodelist1",
    "nl1": "nodelist1",
    "nodelist2": "nodelist2",
    "nl2": "nodelist2",
}
MAX_LEVELS = 10_000
MATRICES = frozenset({"fullmatrix", "upperhalf", "lowerhalf"})

_DATA = re.compile(rb"(?i)(?<![^\s,])data[ ]*:")
_CLAUSE = re.compile(r"(?i)\b(?:(row|column|col|level|matrix)\s+)?labels\b\s*(?:(embedded)\b|:)")
_SIZE = re.compile(r"(?i)\b(n|nr|nc|nm)\s*=\s*(\d{1,18})")
_LAYOUT = re.compile(r"(?i)\bformat\s*=?\s*([a-z]+[0-9]?)")
_NO_DIAGONAL = re.compile(r"(?i)\bdiagonal\s*=?\s*absent\b")
_LABEL = re.compile(r'"([^"\n]*)"|([^\s,"]+)')
_TOKEN = re.compile(rb'"([^"\n]*)"|([^ \n,"]+)|(\n)')


@dataclass
class Header:
    """rows, columns: sizes of a matrix. levels: matrices stacked in the file. layout: a value of LAYOUTS.
    diagonal: False where the matrix leaves the diagonal out. two_mode: rows and columns are different nodes.
    names: given labels by 'row', 'column', 'level'. embedded: which of 'row', 'column' stand in the data.
    encoding: of the labels.
    start: offset of the data. line: 1-based line at which it begins."""

    rows: int
    columns: int
    levels: int
    layout: str
    diagonal: bool
    two_mode: bool
    names: dict[str, list[str]] = field(default_factory=dict)
    embedded: set[str] = field(default_factory=set)
    notes: dict[str, str | int] = field(default_factory=dict)
    encoding: str = "utf-8"
    start: int = 0
    line: int = 1


def parse(data: bytes, encoding: str | None) -> Header:
    """The header of a cleaned DL file. Raises SeedlotError when it is none, or promises what cannot be."""
    if data[:400].split(None, 1)[0:1] != [b"dl"] and not re.match(rb"(?i)\s*dl[\s,]", data[:400]):
        raise SeedlotError("a UCINET file begins with the word DL", where="line 1")
    found = _DATA.search(data)
    if not found:
        raise SeedlotError("the header has no 'data:' line", where="end of file")
    used = textscan.decode(data, encoding)[1]
    text = data[: found.start()].decode(used, "replace")
    clauses = list(_CLAUSE.finditer(text))
    head = text[: clauses[0].start()] if clauses else text
    size = {key.lower(): int(value) for key, value in _SIZE.findall(head)}
    word = _LAYOUT.search(head)
    name = word[1].lower() if word else "fullmatrix"
    if name not in LAYOUTS:
        raise unknown("DL format", name, LAYOUTS, where="header")
    header = Header(
        rows=size.get("nr", size.get("n", 0)),
        columns=size.get("nc", size.get("n", 0)),
        levels=size.get("nm", 1),
        layout=LAYOUTS[name],
        diagonal=not _NO_DIAGONAL.search(head),
        two_mode=False,
        encoding=used,
        notes={"layout": LAYOUTS[name], "encoding": used},
        start=found.end(),
        line=textscan.line_number(data, found.end()),
    )
    _labels(header, text, clauses)
    same = header.names.get("row") is not None and header.names.get("row") == header.names.get("column")
    header.two_mode = header.layout.endswith("2") or ("n" not in size and "nc" in size and not same)
    _sizes(header, len(data))
    return header


def _labels(header: Header, text: str, clauses: list[re.Match]) -> None:
    for k, clause in enumerate(clauses):
        which = {"col": "column", "matrix": "level", None: "both"}.get(
            clause[1] and clause[1].lower(), clause[1]
        )
        which = which.lower()
        targets = ["row", "column"] if which == "both" else [which]
        if clause[2]:
            header.embedded.update(targets)
            continue
        stop = clauses[k + 1].start() if k + 1 < len(clauses) else len(text)
        part = text[clause.end() : stop]
        for target in targets:
            wanted = {"row": header.rows, "column": header.columns, "level": header.levels}[target]
            header.names[target] = _names(part, wanted)


def _names(part: str, wanted: int) -> list[str]:
    """Labels in a label clause: words, unless only lines or commas give the wanted number."""
    words = [a or b for a, b in _LABEL.findall(part)]
    if len(words) == wanted:
        return words
    for pieces in (part.split("\n"), part.split(",")):
        named = [piece.strip() for piece in pieces if piece.strip()]
        if len(named) == wanted:
            return named
    return words


def _sizes(header: Header, size: int) -> None:
    listed = header.layout not in MATRICES
    if not header.rows and listed and header.embedded:
        header.rows = len(header.names.get("row", []))
    if not header.columns and listed and header.embedded:
        header.columns = len(header.names.get("column", []))
    open_ended = listed and bool(header.embedded)
    if not open_ended and not (header.rows and header.columns):
        raise SeedlotError("the header gives no size (N=, or NR= and NC=)", where="header")
    if not header.two_mode and header.rows != header.columns:
        raise SeedlotError(
            f"a one-mode matrix must be square, seen {header.rows} x {header.columns}", where="header"
        )
    check_nodes(header.rows + header.columns, size, "header")
    if header.two_mode and header.layout.endswith("half"):
        raise SeedlotError("a half matrix cannot be two-mode", where="header")
    header.diagonal |= header.two_mode
    if not 1 <= header.levels <= MAX_LEVELS:
        raise SeedlotError(f"the header promises {header.levels:,} matrices", where="header")
    for target, wanted in (("row", header.rows), ("column", header.columns), ("level", header.levels)):
        given = header.names.get(target)
        if given is not None and len(given) != wanted and not (open_ended and target != "level"):
            header.notes[f"{target}_labels_not_used"] = len(given)
            del header.names[target]


def number_matrix(body: bytes, header: Header) -> bytes:
    """Data of a matrix with embedded labels, the labels taken out; lines keep their places.

    Column labels come first, then each row begins with its own; every stacked matrix repeats them. The
    labels of the first matrix become header.names.
    """
    slots = _slots(header)
    out: list[bytes] = []
    names: dict[str, list[bytes]] = {"row": [], "column": []}
    for quoted, bare, newline in _TOKEN.findall(body):
        if newline:
            out.append(newline)
            continue
        slot = next(slots)
        (out if slot == "cell" else names[slot]).append(quoted or bare)
    for target, wanted in (("row", header.rows), ("column", header.columns)):
        if len(names[target]) >= wanted:
            header.names[target] = [
                word.decode(header.encoding, "replace") for word in names[target][:wanted]
            ]
    return b" ".join(out)


def _slots(header: Header) -> Iterator[str]:
    """What each word of a labelled matrix is: 'row' or 'column' for labels, 'cell' for numbers."""
    n, skip = header.columns, not header.diagonal
    for _ in range(header.levels):
        if "column" in header.embedded:
            yield from repeat("column", n)
        for row in range(header.rows):
            if "row" in header.embedded:
                yield "row"
            width = {"upperhalf": n - row, "lowerhalf": row + 1}.get(header.layout, n) - skip
            yield from repeat("cell", width)
    yield from repeat("cell")


def number_list(body: bytes, header: Header) -> bytes:
    """Data of an edge or node list with labels replaced by numbers from 1; lines keep their places.

    Labels are numbered as they appear, after those that the header lists. header.names and, where the header
    gave no size, header.rows and header.columns are filled in.
    """
    first: dict[str, int] = {name: i + 1 for i, name in enumerate(header.names.get("row", []))}
    second = (
        {name: i + 1 for i, name in enumerate(header.names.get("column", []))} if header.two_mode else first
    )
    pairs = header.layout.startswith("edgelist")
    out: list[bytes] = []
    at = 0
    for quoted, bare, newline in _TOKEN.findall(body):
        if newline:
            out.append(b"\n")
            at = 0
            continue
        word = quoted or bare
        if word == b"!" or (pairs and at >= 2):
            out.append(word)
        elif ("row" if at == 0 or not header.two_mode else "column") in header.embedded:
            known = first if at == 0 else second
            name = word.decode(header.encoding, "replace")
            out.append(b"%d" % known.setdefault(name, len(known) + 1))
        else:
            out.append(word)
        at += 1
    for target, known in (("row", first), ("column", second)):
        given = header.rows if target == "row" else header.columns
        total = given or len(known)
        if target in header.embedded:
            names = list(known)[:total]
            header.names[target] = names + [str(i) for i in range(len(names) + 1, total + 1)]
        if target == "row":
            header.rows = total
        else:
            header.columns = total
    return b" ".join(out)
