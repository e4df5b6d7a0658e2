"""The format of a file from its content, with the name only as a tie-break."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import tokens
from seedlot.formats.graphs.edgelist import NAMES
from seedlot.formats.graphs.open import ZipBox, choose, read_bytes, sniff, unpack

HEAD = 64 << 10
MAGIC: tuple[tuple[bytes, str], ...] = (
    (rb"\xe2\x9b\xbe gt", "gt"),
    (rb"RD[XA][23]\n", "rda"),
    (rb"\x93NUMPY", "npy"),
    (rb"MATLAB ", "mat"),
    (rb"\x89HDF\r\n", "mat"),
    (rb"\x80[\x02-\x05]", "pickle"),
    (rb"(?i)%%matrixmarket", "mtx"),
    (rb"%\s*(?:sym|asym|bip)\s", "konect"),
    (rb"(?is)\s*<[?!]?(?:xml|graphml)\b.{0,4000}?<graphml\b|\s*<graphml\b", "graphml"),
    (rb"(?is).{0,8000}?<END OF METADATA>", "tntp"),
    (rb"(?is)(?:\s*%[^\n]*\n)*\s*\*(?:vertices|network|arcs|edges|matrix|partition)", "pajek"),
    (rb"(?i)\s*dl\b", "ucinet"),
    (rb"(?is)(?:\s*#[^\n]*\n|\s*(?:creator|comment|version)\s[^\n]*\n)*\s*graph\s*\[", "gml"),
    (
        rb"(?is)(?:\s*%[^\n]*\n)*\s*function\b.{0,400}=.{0,60000}?(?:mpc\.)?(?:bus|branch)\s*=\s*\[",
        "matpower",
    ),
    (rb"\s*\{", "nodelink"),
)
SUFFIXES = {".py": "pyliteral", ".graph": "metis", ".metis": "metis", ".edges": "edges", ".m": "matpower"}
SUFFIXES |= {".net": "pajek", ".paj": "pajek", ".gml": "gml", ".graphml": "graphml", ".dl": "ucinet"}
KEEP = (".gz", ".xz", ".bz2", ".zst", ".zip", ".tar", ".tgz")
MEMBERS = ("*.net", "*.paj", "*.mtx", "*.edges", "*/out.*", "out.*", "*.graphml", "*.gml", "*.gt", "*.csv")


def detect(path: Path) -> str:
    """The format name of a file.

    path: file as published; its compression is undone within the limits. Text that is nothing else is a
    matrix when it is a square block of numbers, a labelled matrix when it has labels around such a block,
    and otherwise a link list. Raises SeedlotError for an unreadable or empty file.
    """
    path = Path(path)
    data, name = read_bytes(path, archive=True), path.name
    if sniff(data) == "zip":
        box = ZipBox(data, str(path))
        inside = {PurePosixPath(member).name for member in box.names}
        if "edges.csv" in inside:
            return "netzschleuder"
        if inside & {"weights.txt", "weights.txt.bz2"}:
            return "tvb"
        if box.names and all(member.endswith(".npy") for member in box.names):
            return "npy"
        name = next((n for pattern in MEMBERS for n in box.names if fnmatchcase(n.lower(), pattern)), None)
        name = name or choose(box.names, None, (), str(path))
        data = unpack(box.read(name), where=str(path))
    return of_bytes(data, name, str(path))


def of_bytes(data: bytes, name: str, where: str) -> str:
    """The format of decompressed bytes that come from a file of this name."""
    head = data[:HEAD]
    for pattern, fmt in MAGIC[:6]:
        if re.match(pattern, head):
            return fmt
    head = tokens.normalise(head)
    for pattern, fmt in MAGIC[6:]:
        if re.match(pattern, head):
            return fmt
    while PurePosixPath(name).suffix.lower() in KEEP:
        name = PurePosixPath(name).stem
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if not head.strip():
        raise SeedlotError("the file is empty", where=where)
    return _table(data, head)


def _table(data: bytes, head: bytes) -> str:
    """Which kind of text table: by the first rows, and for square blocks by the number of rows."""
    rows = [row.strip() for row in head.split(b"\n") if row.strip() and row.strip()[:1] not in (b"#", b"%")]
    if not rows:
        return "edgelist"
    comma = rows[0].count(b",")
    cells = [cell.strip(b' "').lower() for cell in rows[0].split(b"," if comma else None)]
    if {b"source", b"target", b"type"} <= set(cells):
        return "gephi"
    if {b"source", b"destination"} <= set(cells):
        return "routes"
    words = {cell.decode("latin-1") for cell in cells}
    if words & set(NAMES["src"]) and words & set(NAMES["dst"]):
        return "edgelist"
    height = len([row for row in tokens.normalise(data).split(b"\n") if row.strip()]) if len(cells) > 3 else 0
    if len(cells) > 3 and height == len(cells) and all(map(_number, cells)):
        return "matrix"
    if comma > 2 and not any(_number(c) for c in cells[1:]) and len(rows) > 1:
        body = [cell.strip(b' "') for cell in rows[1].rsplit(b",", comma)]
        if all(_number(cell) or not cell for cell in body[1:]):
            square = height == comma + 1 and all(
                row.lower().startswith((cell, b'"' + cell)) for row, cell in zip(rows[1:], cells[1:])
            )
            return "adjacency" if square else "biadjacency"
    return "edgelist"


def _number(cell: bytes) -> bool:
    return re.fullmatch(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell) is not None
