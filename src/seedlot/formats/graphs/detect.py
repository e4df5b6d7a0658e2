"""The format of a file from its content, with the name only as a tie-break."""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import tokens
from seedlot.formats.graphs.edgelist import NAMES
from seedlot.formats.graphs.open import ZipBox, choose, read_bytes, sniff, unpack

HEAD = 64 << 10
CONTACTS = 20  # rows below which times cannot be told from names
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
    (rb"(?is)\s*(?:<\?xml\b[^>]{0,200}>\s*)?(?:<!--.{0,4000}?-->\s*)?<gexf\b", "gexf"),
    (rb"(?is).{0,8000}?<END OF METADATA>", "tntp"),
    (rb"(?is)(?:\s*%[^\n]*\n)*\s*\*(?:vertices|network|arcs|edges|matrix|partition)", "pajek"),
    (rb"(?i)\s*dl\b", "ucinet"),
    (rb"(?is)(?:\s*#[^\n]*\n|\s*(?:creator|comment|version)\s[^\n]*\n)*\s*graph\s*\[", "gml"),
    (
        rb"(?is)(?:\s*%[^\n]*\n)*\s*function\b.{0,400}=.{0,60000}?(?:mpc\.)?(?:bus|branch)\s*=\s*\[",
        "matpower",
    ),
    (rb"\s*\{", "nodelink"),
    (rb"(?s)#[^\n]*\n# GMT [^\n]*\n#[^\n]*\n(?!.{0,9000}\n\S+ \{)", "adjlist"),
)
# What is often met and never read, so that it is not taken for a link list: pattern, name, what to do.
FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (
        rb"(?i)\s*(?:<!doctype html|<html\b)",
        "an HTML page",
        "a download that failed often leaves one; get the file again",
    ),
    (rb"(?i)\s*(?:<\?xml\b|<!doctype\b|<svg\b)", "XML of another kind than GraphML and GEXF", "convert it"),
    (
        rb"(?i)\s*(?:strict\s+)?(?:di)?graph\b[^\n\[]{0,200}\{",
        "GraphViz DOT",
        "convert it, e.g. with networkx or gvpr",
    ),
    (
        rb">>(?:graph6|sparse6|digraph6)<<",
        "graph6 or sparse6",
        "convert it with networkx.read_graph6 or read_sparse6",
    ),
    (rb"%PDF-", "a PDF", "get the data behind it"),
    (rb"LEDA\.GRAPH", "LEDA", "convert it"),
    (
        rb"(?:#[^\n]*\n)*(?:\S+[ \t]+\d+\n){1,200}\S+[ \t]+\{",
        "a multi-line adjacency list",
        "convert it with networkx.read_multiline_adjlist",
    ),
)
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
SUFFIXES = {".py": "pyliteral", ".graph": "metis", ".metis": "metis", ".edges": "edges", ".m": "matpower"}
SUFFIXES |= {
    ".gexf": "gexf",
    ".adjlist": "adjlist",
    ".net": "pajek",
    ".paj": "pajek",
    ".gml": "gml",
    ".graphml": "graphml",
    ".dl": "ucinet",
}
KEEP = (".gz", ".xz", ".bz2", ".zst", ".zip", ".tar", ".tgz")
MEMBERS = ("*.net", "*.paj", "*.mtx", "*.edges", "*/out.*", "out.*", "*.graphml", "*.gml", "*.gt", "*.csv")


def detect(path: Path, member: str | None = None) -> str:
    """The format name of a file.

    path: file as published; its compression is undone within the limits. member: of an archive, the one
    meant. Text that is nothing else is a matrix when it is a square block of four numbers a line or more, a
    labelled matrix when it has labels around such a block, and otherwise a link list. Raises SeedlotError for
    an unreadable or empty file, and for one that no reader reads.
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
        likely = (n for pattern in MEMBERS for n in box.names if fnmatchcase(n.lower(), pattern))
        name = (None if member else next(likely, None)) or choose(box.names, member, (), str(path))
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
    _refuse_foreign(head, suffix, where)
    return _table(data, head)


def _refuse_foreign(head: bytes, suffix: str, where: str) -> None:
    """Raise SeedlotError for text that no reader reads; a link list would be made of nearly anything."""
    for pattern, what, todo in FOREIGN:
        if re.match(pattern, head):
            raise SeedlotError(f"the file is {what}, which is not read", where=where, todo=todo)
    if suffix in (".g6", ".s6", ".d6"):
        raise SeedlotError(
            "graph6 and sparse6 are not read", where=where, todo="convert the file with networkx"
        )
    found = CONTROL.search(head)
    if found:
        what = f"byte {found.start()} is 0x{head[found.start()]:02x}, which no text format has"
        raise SeedlotError(what, where=where, todo="if the file is in a known format, name it")
    if b"," in head or b";" in head or b"|" in head:
        return
    widths = Counter(
        len(row.split()) for row in head.split(b"\n")[:-1] if row.strip()[:1] not in (b"", b"#", b"%")
    )
    if len(widths) > 3 and max(widths.values()) < 0.4 * sum(widths.values()):
        what = f"lines hold {min(widths)} to {max(widths)} words, so this is no link list"
        raise SeedlotError(
            what, where=where, todo="an adjacency list? name the format 'adjlist', or the one it is in"
        )


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
    return _by_columns(rows[:-1] if len(data) > HEAD else rows)


def _by_columns(rows: list[bytes]) -> str:
    """Which column holds the nodes: two columns of one set of names, and a third one that shares none with them.

    Where the odd one comes first, as numbers that never fall, the rows are contacts; where it stands between
    names, the rows are triples. Everything else is a link list, whose nodes come first.
    """
    tab, comma = (2 * sum(mark in row for row in rows) > len(rows) for mark in (b"\t", b","))
    cells = [row.split(b"\t" if tab else b"," if comma else None) for row in rows]
    if any(len(row) < 3 for row in cells):
        return "edgelist"
    columns = [[row[k].strip() for row in cells] for k in range(3)]
    first, second, third = map(set, columns)
    if first & third and not second & (first | third) and not any(map(_number, second)):
        return "triples"
    times = len(rows) >= CONTACTS and not first & (second | third) and all(map(_number, first))
    if times and len(second & third) > 0.3 * max(len(second), len(third)):
        stamps = [float(cell) for cell in columns[0]]
        if stamps == sorted(stamps):
            return "contacts"
    return "edgelist"


def _number(cell: bytes) -> bool:
    return re.fullmatch(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell) is not None
