"""TNTP road networks (`*_net.tntp`): metadata in angle brackets, a `~` header, rows that end in `;`.

Own reader; no library at hand knows the format. Node ids are labels, not positions, and zones are nodes;
an id of 1..N that no link mentions is an isolated node when N nodes are declared and all ids lie in 1..N.
A record is a link row; links are directed. The weight is the capacity unless the option `weight` names
another column of the header.
"""

from __future__ import annotations

import re

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.arrays import by_ids
from seedlot.formats.graphs.model import RawGraph, Reject

REASONS = {1: "ragged", 2: "bad_id", 3: "bad_weight"}
META = re.compile(rb"^[ \t]*<([^>\n]*)>[ \t]*([^\n]*)", re.MULTILINE)
END = b"<END OF METADATA>"


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The road network of a TNTP file.

    args: weight, a column name of the `~` header (blanks and case do not matter). Rejects: 'ragged',
    'bad_id', 'bad_weight'. The declared numbers of nodes and links are notes. Raises SeedlotError when the
    metadata does not end, or the named column does not exist.
    """
    for key in args:
        if key not in ("format", "weight"):
            raise unknown("reader option", key, ("weight",))
    data = tokens.normalise(data)
    head, body, above = _parts(data)
    fields = tokens.split(body.replace(b";", b" "), None, b"~")
    weight_at = _column(body, args.get("weight"))
    bad = np.where(fields.width < 2, 1, 0)
    rows = np.flatnonzero(bad == 0)
    full = fields.take(rows)
    (src, good_src), (dst, good_dst) = (tokens.integers(full.column(k)) for k in (0, 1))
    weight, fine = np.full(len(rows), np.nan), np.ones(len(rows), bool)
    wide = np.flatnonzero(full.width > weight_at)
    weight[wide], fine[wide] = tokens.numbers(full.take(wide).column(weight_at))
    bad[rows] = np.where(good_src & good_dst, np.where(fine, 0, 3), 2)
    keep = bad[rows] == 0
    limits.check_rejects(int((bad > 0).sum()), "links")
    rejects = [
        Reject(int(fields.line[r]) + above, int(r), REASONS[int(bad[r])], fields.text(r))
        for r in np.flatnonzero(bad)
    ]
    notes = {
        tokens.decode(key).strip().lower(): tokens.decode(value).strip()[:200]
        for key, value in META.findall(head)
    }
    rest = dict(name="", directed=True, weight=weight[keep], read=len(fields), rejects=rejects, notes=notes)
    return [_nodes(src[keep], dst[keep], notes.get("number of nodes", ""), len(data), rest)]


def _nodes(src: np.ndarray, dst: np.ndarray, declared: str, size: int, rest: dict) -> RawGraph:
    """Nodes 1..N when the file declares N nodes and every id lies in 1..N, the mentioned ids otherwise."""
    ids = np.concatenate([src, dst])
    if re.fullmatch(r"[0-9]{1,15}", declared) and len(ids) and ids.min() >= 1 and ids.max() <= int(declared):
        n = limits.check_nodes(int(declared), size, "number of nodes")
        return RawGraph(n=n, labels=None, id_base=1, src=src - 1, dst=dst - 1, kept=len(src), **rest)
    return by_ids(src, dst, **rest)


def _parts(data: bytes) -> tuple[bytes, bytes, int]:
    """(metadata, link rows, lines above the link rows)."""
    at = data.upper().find(END)
    if at < 0:
        raise SeedlotError("the metadata of the TNTP file does not end", todo=f"expected {END.decode()}")
    stop = data.find(b"\n", at)
    stop = len(data) if stop < 0 else stop + 1
    return data[:at], data[stop:], data.count(b"\n", 0, stop)


def _column(body: bytes, wanted: str | None) -> int:
    """0-based field of the weight: capacity is the third; a named column is looked up in the header."""
    if wanted is None:
        return 2
    hit = re.search(rb"^[ \t]*~([^\n]*)", body, re.MULTILINE)
    cells = [c.strip() for c in hit[1].rstrip(b"\r ").split(b"\t")] if hit else []
    names = [_fold(tokens.decode(c)) for c in cells if c and c != b";"]
    if _fold(wanted) not in names:
        raise unknown("TNTP column", wanted, names)
    return names.index(_fold(wanted))


def _fold(name: str) -> str:
    return re.sub(r"[\s_]+", "", name.lower())


def count(data: bytes, args: dict) -> int:
    """Lines after the metadata that hold something and do not begin with `~`."""
    body = _parts(tokens.normalise(data))[1]
    rows = (row.replace(b";", b" ").strip() for row in body.split(b"\n"))
    return sum(bool(row) and not row.startswith(b"~") for row in rows)
