"""Runs of look-alike `edge` or `node` elements in a GraphML document, read all at once.

Most of a large file is one element repeated with other values in it. Such a run is cut out of the document
before the XML parser sees it and replaced by a processing instruction, so that the parser still decides
where the run stands: inside a comment or a quoted section the instruction is never met and the run is no
data. A run is taken only when every element repeats the markup of the first byte for byte, that first
element follows a narrow grammar, and the values are plain ASCII without any character that XML treats
specially; the whole is then well-formed because its first element is. Everything else goes to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

WINDOW = 1 << 16
"""Bytes looked at as one run; a stray element costs the fast route at most this much."""

FEWEST = 4
"""Elements below which a run is not worth the trouble."""

_TAG = re.compile(rb"<(?:edge|node) ")
_ELEMENT = re.compile(
    rb'<(edge|node)((?: [A-Za-z][A-Za-z0-9_.]*="[ !#-%\'-;=?-~]*")+) ?'
    rb'(?:/>|>((?:\s*<data key="[ !#-%\'-;=?-~]*"(?:/>|>[ !#-%\'-;=?-~]*</data>))*)\s*</\1>)\s*'
)
_ATTRIBUTE = re.compile(r'([^\s=]+)="')
_ROOT = re.compile(rb"<graphml\b[^<>]*>")
_DECLARED = re.compile(rb"^(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding=[\"']([^\"']*)")
_ASCII_LIKE = frozenset({b"utf-8", b"us-ascii", b"iso-8859-1"})
_DELIMITERS = b'<>"'
_NO_DELIMITERS = bytes(b for b in range(256) if b not in _DELIMITERS)
_TO_QUOTES = bytes.maketrans(b"<>", b'""')
_PLAIN = bytes(b for b in range(32, 127) if b != ord("&")) + b"\n\r\t"


@dataclass
class Run:
    """tag: edge or node. size: number of elements. lines: line feeds in each element.
    columns: attribute name -> one value an element. data: (key, one text an element), in file order."""

    tag: str
    size: int
    lines: int
    columns: dict[str, list[str]]
    data: list[tuple[str, list[str]]]


def applies(document: bytes) -> bool:
    """Whether runs may be cut out of a document: names without prefix mean GraphML in all of it."""
    declared = _DECLARED.match(document[:400])
    root = _ROOT.search(document)
    return (
        document[:2] not in (b"\xff\xfe", b"\xfe\xff")
        and (declared is None or declared[1].lower() in _ASCII_LIKE)
        and root is not None
        and document.count(b"xmlns=") == root[0].count(b"xmlns=")
    )


def unused_name(document: bytes) -> bytes:
    """A name for processing instructions that the document does not contain."""
    number = 0
    while b"<?run%d" % number in document:
        number += 1
    return b"run%d" % number


def cut(document: bytes, name: bytes, runs: dict[int, Run]) -> Iterator[bytes]:
    """The document in pieces, each run replaced by `<?name number?>` with as many line feeds as it had.

    Runs are put into `runs` under their number before the piece that refers to them is given out.
    """
    done = at = 0
    while found := _TAG.search(document, at):
        begin, tag = found.start(), found[0]
        end = document.rfind(tag, begin + 1, begin + WINDOW)
        run = _uniform(document[begin:end], tag) if end > begin else None
        if run is None:
            at = max(end, found.end())
            continue
        number = len(runs)
        runs[number] = run
        yield document[done:begin]
        yield b"<?%b %d%b?>" % (name, number, b"\n" * (run.size * run.lines))
        done = at = end
    yield document[done:]


def _uniform(block: bytes, tag: bytes) -> Run | None:
    """The block as a run, or None unless all its elements share the markup of the first."""
    size = block.count(tag)
    if size < FEWEST or block.translate(None, _PLAIN):
        return None
    first = block[: block.find(tag, 1)]
    grammar = _ELEMENT.fullmatch(first)
    marks = first.translate(None, _NO_DELIMITERS)
    if not grammar or block.translate(None, _NO_DELIMITERS) != marks * size:
        return None
    # With the same marks in every element, a blank that is no space inside a value shows in its number.
    if any(block.count(blank) != first.count(blank) * size for blank in (b"\n", b"\r", b"\t")):
        return None
    parts = block.translate(_TO_QUOTES).decode("ascii").split('"')
    width = len(marks)
    own = parts[1 : 1 + width]
    columns: dict[str, list[str]] = {}
    data: list[tuple[str, list[str]]] = []
    inside = False
    for k in range(width):
        column = parts[1 + k :: width]
        inside = chr(marks[k]) == '"' and not inside
        if inside and own[k - 1] != "data key=":
            attribute = own[k - 1].removeprefix(tag[1:].decode()).strip().removesuffix("=")
            if attribute in columns:
                return None
            columns[attribute] = column
        elif chr(marks[k]) == ">" and _is_text(own, marks, k):
            data.append((own[k - 2], column))
        elif column.count(own[k]) != size:
            return None
    needed = {"source", "target"} if tag == b"<edge " else {"id"}
    if not needed <= columns.keys() or columns.keys() & {"sourceport", "targetport", "xmlns"}:
        return None
    return Run(tag[1:-1].decode(), size, first.count(b"\n"), columns, data)


def _is_text(own: list[str], marks: bytes, k: int) -> bool:
    """Whether part k, behind a `>`, is the text of a data element: its tag was just opened, not closed."""
    return k + 1 < len(own) and own[k + 1] == "/data" and chr(marks[k + 1]) == "<"
