"""Link lists: one link a line, in any of the common dialects.

Formats served: `edgelist` (generic), `edges` (Network Repository), `snap`, `contacts` (time first, or named
columns), `signed_temporal` (SNAP ratings), `triples` (head, relation, tail), `pairs` (two node sets, one
a column), `gephi` (CSV with Source, Target and a Type that says which links are directed), `routes`
(OpenFlights). Delimiter, header and kind of ids (integers or names) are found by looking at the text; every one
of them can be stated instead. A record is a line that is neither blank nor a comment nor the header.

Own code, on `tokens` (numpy and pyarrow): networkx and igraph need one Python object or one C call a token,
take no bad line without stopping, and igraph sizes its graph by the largest id. Long lists of two or more
integer columns go through one compiled pass instead, see `kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.arrays import TABLE_SLACK, by_ids, numbered
from seedlot.formats.graphs.model import RawGraph, Reject

SAMPLE = 16 << 10
SHORTEST = 4
"""Bytes of the shortest record with its line end; bounds the records of a text without counting them."""
COMPILED = 1 << 20
"""Bytes from which on the compiled kernels pay for their import."""
COLUMNS = ("src", "dst", "weight", "time", "relation", "kind")
OPTIONS = ("delimiter", "header", "comments", "directed", *COLUMNS)
NAMES = {
    "src": ("source", "src", "from", "fromnodeid", "head", "node1", "u", "i", "id1", "from_id", "subject"),
    "dst": (
        "target",
        "dst",
        "to",
        "tonodeid",
        "tail",
        "node2",
        "v",
        "j",
        "id2",
        "to_id",
        "object",
        "destination",
    ),
    "weight": ("weight", "value", "w", "rating", "sign", "feature", "contacts", "count"),
    "time": ("time", "timestamp", "t", "date"),
    "relation": ("relation", "relationship", "predicate", "label"),
    "kind": ("type", "kind"),
}


@dataclass(frozen=True)
class Layout:
    """Which field is what. src, dst, weight, time, relation: 0-based fields or None. delimiter: one byte or
    None for blanks. header: the first record is one. directed, bipartite: as the dialect or the user says."""

    src: int | None = None
    dst: int | None = None
    weight: int | None = None
    time: int | None = None
    relation: int | None = None
    kind: int | None = None
    delimiter: bytes | None = None
    header: bool = False
    comments: bytes = b"#%"
    directed: bool = False
    bipartite: bool = False


DIALECTS: dict[str, Layout] = {
    "edgelist": Layout(0, 1),
    "edges": Layout(0, 1),
    "snap": Layout(0, 1),
    "contacts": Layout(1, 2, time=0),
    "signed_temporal": Layout(0, 1, weight=2, time=3, directed=True),
    "triples": Layout(0, 2, relation=1, directed=True),
    "pairs": Layout(0, 1, bipartite=True),
    "gephi": Layout(0, 1, delimiter=b",", comments=b""),
    "routes": Layout(2, 4, delimiter=b",", directed=True),
}


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a link list.

    args: format (a key of DIALECTS), delimiter (a character, or 'blank'), header (bool), comments (string
    of characters that start a comment line), directed (bool), and src, dst, weight, time, relation (1-based
    field number or header name). A third field that is numeric is read as weight in `edgelist`, `edges` and
    `snap`, a fourth as time in `edges`. '-', 'NA' and the like are a missing weight (NaN), no reject.
    Rejects: 'ragged' (too few fields), 'bad_id' (an empty or, in an integer list, non-integer id),
    'bad_weight', 'bad_time'. Raises SeedlotError for unknown options and for a list without a readable line.
    """
    data = tokens.normalise(data)
    layout = detect(data, args)
    graph = _long_list(data, layout)
    if graph is not None:
        return [graph]
    fields = tokens.split(data, layout.delimiter, layout.comments)
    return [links(fields.take(slice(1, None)) if layout.header else fields, layout)]


def _long_list(data: bytes, layout: Layout) -> RawGraph | None:
    """A long and regular list of two fields by the compiled kernels; None when it is not one."""
    plain = (layout.src, layout.dst) == (0, 1) and not layout.bipartite
    extra = (layout.weight, layout.time, layout.relation, layout.kind) != (None,) * 4
    if len(data) < COMPILED or not plain or extra or (layout.delimiter is not None and b'"' in data):
        return None
    from seedlot.formats.graphs import kernels

    buf = np.frombuffer(data if data.endswith(b"\n") else data + b"\n", np.uint8)
    lines = len(data) // SHORTEST + 1
    comment = np.zeros(256, bool)
    comment[list(layout.comments)] = True
    start = tokens.after_first_record(data, layout.comments) if layout.header else 0
    delimiter = kernels.NO_DELIMITER if layout.delimiter is None else layout.delimiter[0]
    src, dst = np.empty(lines, np.int64), np.empty(lines, np.int64)
    rest = dict(name="", directed=layout.directed)
    rows, low, high = kernels.integer_pairs(buf, start, delimiter, comment, src, dst)
    if rows > 0:
        src, dst = src[:rows], dst[:rows]
        if high - low >= 8 * rows + TABLE_SLACK:
            return by_ids(src, dst, read=rows, **rest)
        return numbered(kernels.compact_dense(src, dst, low, high - low + 1), src, dst, read=rows, **rest)
    begins, sizes = np.empty(2 * lines, np.int64), np.empty(2 * lines, np.int64)
    rows, names = kernels.label_pairs(buf, start, delimiter, comment, src, dst, begins, sizes)
    if rows <= 0:
        return None
    labels = tokens.gather(buf, begins[:names], begins[:names] + sizes[:names])
    whole = tokens.integers(labels.slice(0, 1000))[1].mean() > 0.5
    if tokens.missing(labels).any() or (whole and not _padded(labels)):
        return None
    src, dst = src[:rows], dst[:rows]
    return RawGraph(
        n=names, labels=tokens.strings(labels), id_base=0, src=src, dst=dst, read=rows, kept=rows, **rest
    )


def links(fields: tokens.Fields, layout: Layout) -> RawGraph:
    """A RawGraph from the records of a text and the meaning of their fields."""
    used = [k for k in (layout.src, layout.dst, layout.weight, layout.time, layout.relation) if k is not None]
    bad = np.zeros(len(fields), np.int8)
    need = max(layout.src, layout.dst) + 1
    bad[fields.width < need] = 1
    rows = np.flatnonzero(bad == 0)
    full = fields.take(rows)
    columns, integer = _ids(full, layout)
    bad[rows[~columns[2]]] = 2
    extra = {}
    for key, code in (("weight", 3), ("time", 4)):
        k = getattr(layout, key)
        if k is not None and k in used:
            extra[key], good = _values(full, k)
            bad[rows[~good]] = np.where(bad[rows[~good]] == 0, code, bad[rows[~good]])
    keep = bad[rows] == 0
    rejects = _rejects(fields, bad)
    extra = {key: value[keep] for key, value in extra.items()}
    if layout.relation is not None:
        extra["relation"] = _relation(full.take(keep), layout.relation)
    if "weight" in extra and len(extra["weight"]) and np.isnan(extra["weight"]).all():
        del extra["weight"]
    directed = layout.directed if layout.kind is None else _directions(full.take(keep), layout)
    rest = dict(name="", directed=directed, read=len(fields), rejects=rejects, **extra)
    if layout.bipartite:
        return _two_sets(full.take(keep), layout, rest)
    if integer:
        return by_ids(columns[0][keep], columns[1][keep], **rest)
    labels, (src, dst) = full.take(keep).encode(layout.src, layout.dst)
    return RawGraph(n=len(labels), labels=labels, id_base=0, src=src, dst=dst, kept=len(src), **rest)


def _ids(full: tokens.Fields, layout: Layout) -> tuple[tuple[np.ndarray, ...], bool]:
    """(src, dst, good) and whether the list has integer ids; for names only `good` has a meaning."""
    both = [full.column(layout.src), full.column(layout.dst)]
    if len(full) and not any(tokens.integers(c.slice(0, 1000))[1].any() for c in both):
        return (*both, ~(tokens.missing(both[0]) | tokens.missing(both[1]))), False
    (src, good_src), (dst, good_dst) = tokens.integers(both[0]), tokens.integers(both[1])
    good = good_src & good_dst
    if not layout.bipartite and len(good) and good.mean() > 0.5 and not any(map(_padded, both)):
        return (src, dst, good), True
    filled = [~tokens.missing(c) for c in both]
    return (src, dst, filled[0] & filled[1]), False


def _padded(cells: pa.Array) -> bool:
    """Whether an id is written with zeros in front: then ids are names, since 007 need not be 7."""
    return bool(pc.any(pc.match_substring_regex(cells, "^0[0-9]")).as_py())


def _values(full: tokens.Fields, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Field k as numbers with NaN where it is absent or says so, and (m,) bool whether that is all right."""
    out, good = np.full(len(full), np.nan), np.ones(len(full), bool)
    rows = np.flatnonzero(full.width > k)
    cells = full.take(rows).column(k)
    out[rows], fine = tokens.numbers(cells)
    if not fine.all():
        good[rows] = fine | tokens.missing(cells)
    return out, good


def _relation(full: tokens.Fields, k: int) -> np.ndarray:
    out = np.full(len(full), "", object)
    rows = np.flatnonzero(full.width > k)
    labels, (code,) = full.take(rows).encode(k)
    out[rows] = np.array(labels, object)[code] if labels else ""
    return out


def _directions(full: tokens.Fields, layout: Layout) -> bool | np.ndarray:
    """Direction by the word in the kind field: one bool when all links agree, (m,) bool otherwise."""
    word = np.char.lower(_relation(full, layout.kind).astype(str))
    directed = np.where(word == "directed", True, np.where(word == "undirected", False, layout.directed))
    return directed if len(set(directed.tolist())) > 1 else bool(len(directed) and directed[0])


def _two_sets(full: tokens.Fields, layout: Layout, rest: dict) -> RawGraph:
    """Left nodes are the values of one field, right nodes those of the other, equal names or not."""
    left, (src,) = full.encode(layout.src)
    right, (dst,) = full.encode(layout.dst)
    return RawGraph(
        n=len(left) + len(right),
        labels=left + right,
        id_base=0,
        src=src,
        dst=dst + len(left),
        kept=len(src),
        bipartite=True,
        n_left=len(left),
        **rest,
    )


REASONS = {1: "ragged", 2: "bad_id", 3: "bad_weight", 4: "bad_time"}


def _rejects(fields: tokens.Fields, bad: np.ndarray) -> list[Reject]:
    rows = np.flatnonzero(bad)
    limits.check_rejects(len(rows), "link list")
    return [Reject(int(fields.line[r]), int(r), REASONS[int(bad[r])], fields.text(r)) for r in rows]


def detect(data: bytes, args: dict) -> Layout:
    """The layout of a link list: the dialect, what the text shows, and what args state, in rising order."""
    args = {k: v for k, v in args.items() if k != "format"} | {"format": args.get("format", "edgelist")}
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    base = DIALECTS[args["format"]]
    comments = args.get("comments", base.comments.decode()).encode()
    sample = data[:SAMPLE]
    if len(data) > SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    delimiter = _delimiter(sample, comments, args.get("delimiter"))
    fields = tokens.split(sample, delimiter, comments)
    if not len(fields):
        raise SeedlotError("the link list holds no record", todo="check the file and the 'comments' option")
    layout = replace(
        base, delimiter=delimiter, comments=comments, directed=args.get("directed", base.directed)
    )
    names = [tokens.decode(c).lower().strip() for c in _row(fields, 0)]
    found = {key: next((names.index(w) for w in words if w in names), None) for key, words in NAMES.items()}
    header = found["src"] is not None and found["dst"] is not None
    layout = replace(layout, header=bool(args.get("header", header or _odd_first(fields))))
    if layout.header and header:
        layout = replace(layout, **found)
    elif args["format"] in ("edgelist", "edges", "snap"):
        layout = _extra(fields.take(slice(int(layout.header), None)), layout, args["format"])
    stated = {k: _place(args[k], names, k) for k in COLUMNS if k in args}
    return replace(layout, **stated)


def _row(fields: tokens.Fields, row: int) -> list[bytes]:
    at = range(int(fields.first[row]), int(fields.first[row] + fields.width[row]))
    return [fields.buf[fields.start[k] : fields.end[k]].tobytes() for k in at]


def _delimiter(sample: bytes, comments: bytes, stated: str | None) -> bytes | None:
    """The stated delimiter, else the first of tab , ; | that most records hold, else None."""
    if stated is not None:
        if stated != "blank" and len(stated.encode()) != 1:
            raise SeedlotError(f"a delimiter is one character or 'blank', not {stated!r}")
        return None if stated == "blank" else stated.encode()
    rows = [r for r in (line.strip(b" \r") for line in sample.split(b"\n")) if r and r[0] not in comments][
        :200
    ]
    for mark in (b"\t", b",", b";", b"|"):
        if 2 * sum(mark in row for row in rows) > len(rows):
            tight = mark == b"\t" and all(len(row.split()) == len(row.split(b"\t")) for row in rows)
            return None if tight else mark
    return None


def _odd_first(fields: tokens.Fields) -> bool:
    """The first record is a header when it has two fields or more, no number, and most others begin with two."""
    if len(fields) < 2 or fields.width[0] < 2 or any(_numeric(c) for c in _row(fields, 0)):
        return False
    rows = [_row(fields, r) for r in range(1, min(len(fields), 50))]
    return 2 * sum(len(r) > 1 and all(map(_numeric, r[:2])) for r in rows) > len(rows)


def _numeric(cell: bytes) -> bool:
    """Whether a cell begins like a number."""
    return cell.lstrip(b"+-.")[:1].isdigit()


def _extra(fields: tokens.Fields, layout: Layout, dialect: str) -> Layout:
    """Weight in field 3, and time in field 4 of `edges`, when the first record has a number or none there."""
    if not len(fields):
        return layout
    row = _row(fields, 0)
    usable = [_numeric(c) or c in tokens.MISSING for c in row]
    if len(row) > 2 and usable[2]:
        layout = replace(layout, weight=2)
        if dialect == "edges" and len(row) > 3 and usable[3]:
            layout = replace(layout, time=3)
    return layout


def _place(value: int | str, names: list[str], key: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value - 1
    if isinstance(value, str) and value.lower() in names:
        return names.index(value.lower())
    raise unknown(f"column for '{key}'", str(value), names)


PLAIN = 37
"""Blanks, line ends and the usual comment marks # and % are bytes up to this one."""


def _plain_lines(data: bytes, block: int = 1 << 22) -> int | None:
    """Lines of a text in which each begins with a byte above PLAIN, so that each is a record; else None."""
    buf, lines = np.frombuffer(data, np.uint8), 0
    if not len(buf) or buf[0] <= PLAIN:
        return None
    for at in range(0, len(buf), block):
        part = buf[at : at + block + 1]
        stop = part[:-1] == 10
        if np.any(stop & (part[1:] <= PLAIN)):
            return None
        lines += int(np.count_nonzero(stop))
    return lines + 1


def count(data: bytes, args: dict) -> int:
    """Records by looking at the first inked byte of every line; quoted line ends are joined first."""
    data = tokens.normalise(data)
    layout = detect(data, args)
    if layout.delimiter is not None and b'"' in data:
        return tokens.count_quoted(data, layout.delimiter, layout.comments) - layout.header
    plain = _plain_lines(data) if max(layout.comments, default=0) <= PLAIN else None
    if plain is not None:
        return plain - layout.header
    if len(data) >= COMPILED:
        from seedlot.formats.graphs import kernels

        comment = np.zeros(256, bool)
        comment[list(layout.comments)] = True
        lines = kernels.count_records(np.frombuffer(data, np.uint8), layout.delimiter == b"\t", comment)
        return int(lines) - layout.header
    buf = np.frombuffer(data + b"\n", np.uint8)
    begins = np.concatenate(([0], np.flatnonzero(buf[:-1] == 10) + 1))
    mark = buf[begins]
    odd = np.flatnonzero(np.isin(mark, np.frombuffer(b" \t\r\v\f", np.uint8)))
    stops = np.append(begins[1:], len(data) + 1)
    ink = (mark != 10) & ~np.isin(mark, np.frombuffer(layout.comments, np.uint8))
    for k in odd:
        row = data[begins[k] : stops[k]]
        row = row.strip(b" \r\n\v\f") if layout.delimiter == b"\t" else row.strip()
        ink[k] = bool(row) and row[0] not in layout.comments
    return int(ink.sum()) - layout.header
