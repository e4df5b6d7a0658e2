"""graph-tool's binary `.gt`, version 1, either byte order, every id width and property-map type.

Own reader: graph-tool is not on the package index, and no other library knows the format. A record is one
entry of an adjacency list; the lists give each link once, also in undirected networks. Property maps follow
the adjacency: the edge map named by the option `weight` (or one called weight, value or similar) becomes
the weight, `time` likewise, the vertex map named by `label` (or one called name, label, _graphml_vertex_id)
the labels; every other map is walked over, which also proves that the file is complete.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits
from seedlot.formats.graphs.model import RawGraph

COMPILED = 100_000
"""Blocks from which on the compiled walk pays for its import."""
MAGIC = b"\xe2\x9b\xbe gt"
OPTIONS = ("weight", "time", "label")
NAMES = {
    "weight": ("weight", "value", "weights", "sign", "count"),
    "time": ("time", "timestamp", "date"),
    "label": ("name", "label", "labels", "_graphml_vertex_id", "id", "nodelabel"),
}
SCALARS = {0: "u1", 1: "i2", 2: "i4", 3: "i8", 4: "f8", 5: "V16"}
STRING, OBJECT = 6, 14
VECTORS = {7: 1, 8: 2, 9: 4, 10: 8, 11: 8, 12: 16, 13: 0}


@dataclass
class Cursor:
    """A position in the bytes; every step refuses to pass their end."""

    data: bytes
    order: str
    at: int

    def take(self, size: int) -> int:
        """Step over `size` bytes; return where they start."""
        if size < 0 or self.at + size > len(self.data):
            raise SeedlotError("the .gt file ends early", where=f"byte {self.at} of {len(self.data)}")
        start, self.at = self.at, self.at + size
        return start

    def u64(self) -> int:
        return struct.unpack_from(self.order + "Q", self.data, self.take(8))[0]

    def u8(self) -> int:
        return self.data[self.take(1)]

    def text(self) -> str:
        size = self.u64()
        start = self.take(size)
        return self.data[start : start + size].decode("utf-8", errors="replace")


def _head(data: bytes) -> tuple[Cursor, str, bool, int, int]:
    """(cursor after the header, comment, directed, nodes, bytes of an id)."""
    if data[:6] != MAGIC:
        raise SeedlotError("not a .gt file: the first bytes are not graph-tool's", where="byte 0")
    if len(data) < 8 or data[6] != 1 or data[7] > 1:
        raise SeedlotError(f"version {data[6:7].hex()} or byte order {data[7:8].hex()} is not known")
    cursor = Cursor(data, "<>"[data[7]], 8)
    comment, directed, n = cursor.text(), bool(cursor.u8()), cursor.u64()
    if n * 8 > len(data) - cursor.at:
        raise SeedlotError(
            f"the .gt file declares {n:,} nodes, its {len(data):,} bytes cannot hold their lists"
        )
    limits.check_nodes(n, len(data), "header")
    width = next(w for w, most in ((1, 1 << 8), (2, 1 << 16), (4, 1 << 32), (8, 1 << 64)) if n < most)
    return cursor, comment, directed, n, width


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a .gt file.

    args: weight, time, label: names of property maps. Labels are None (0..n-1) without a label map, or when
    its values are not distinct. Raises SeedlotError for damage; there are no rejects, because a binary list
    with one bad id is damaged as a whole.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    cursor, comment, directed, n, width = _head(data)
    src, dst = _adjacency(cursor, n, width)
    maps, names = _maps(cursor, n, len(src), args)
    labels = maps.get("label")
    if labels is not None and len(set(labels)) != n:
        labels = None
    return [
        RawGraph(
            name="",
            n=n,
            labels=labels,
            id_base=0,
            src=src,
            dst=dst,
            directed=directed,
            weight=maps.get("weight"),
            time=maps.get("time"),
            read=len(src),
            kept=len(src),
            notes={"comment": comment, "version": 1, "byte_order": cursor.order, "maps": ", ".join(names)},
        )
    ]


def _blocks(cursor: Cursor, number: int, unit: int) -> tuple[np.ndarray, np.ndarray]:
    """Walk `number` blocks, each an 8-byte count and that many units; (counts, where the units begin)."""
    counts = np.zeros(number, np.int64)
    if number >= COMPILED:
        from seedlot.formats.graphs import kernels

        buf = np.frombuffer(cursor.data, np.uint8)
        at = int(kernels.counted_blocks(buf, cursor.at, unit, cursor.order == ">", counts))
    else:
        at = _walk(cursor, unit, counts)
    if at < 0:
        raise SeedlotError(
            "the .gt file ends early", where=f"block {-1 - at:,} of {number:,} after byte {cursor.at}"
        )
    size = 8 + counts * unit
    begins = cursor.at + np.cumsum(size) - size + 8
    cursor.at = at
    return counts, begins


def _walk(cursor: Cursor, unit: int, counts: np.ndarray) -> int:
    """The loop of `_blocks`; -1 - k when block k passes the end."""
    data, at, end = cursor.data, cursor.at, len(cursor.data)
    unpack = struct.Struct(cursor.order + "Q").unpack_from
    for block in range(len(counts)):
        if at + 8 > end:
            return -1 - block
        size = unpack(data, at)[0]
        at += 8 + size * unit
        if at > end:
            return -1 - block
        counts[block] = size
    return at


def _adjacency(cursor: Cursor, n: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Source and target of every list entry: the list heads are walked, the ids between them cut out."""
    here = cursor.at
    degree, begins = _blocks(cursor, n, width)
    body = np.frombuffer(cursor.data, np.uint8, cursor.at - here, here)
    inside = np.ones(len(body), bool)
    inside[(begins[:, None] - here + np.arange(-8, 0)).ravel()] = False
    dst = body[inside].view(f"{cursor.order}u{width}")
    if len(dst) and int(dst.max()) >= n:
        raise SeedlotError(f"a link leads to node {int(dst.max())} of {n}", where="adjacency")
    return np.repeat(np.arange(n), degree), dst.astype(np.int64)


def _maps(cursor: Cursor, n: int, m: int, args: dict) -> tuple[dict, list[str]]:
    """Values of the wanted maps, and the names of all maps."""
    found: dict[str, tuple[int, object]] = {}
    names: list[str] = []
    for _ in range(cursor.u64()):
        kind, name, value_type = cursor.u8(), cursor.text(), cursor.u8()
        if kind > 2:
            raise SeedlotError(
                f"property map '{name[:40]}' is of unknown kind {kind}", where=f"byte {cursor.at}"
            )
        names.append(f"{'gve'[kind]}:{name}")
        size = (1, n, m)[kind]
        for key in ("weight", "time") if kind == 2 else ("label",) if kind == 1 else ():
            rank = _rank(name, key, args)
            if rank is not None and (key not in found or rank < found[key][0]):
                here = cursor.at
                value = _values(cursor, value_type, size, key == "label")
                cursor.at = here
                if value is not None:
                    found[key] = (rank, value)
        _skip(cursor, value_type, size)
    for key in OPTIONS:
        if key in args and key not in found:
            raise unknown(
                f"property map for '{key}'",
                args[key],
                [n[2:] for n in names if n[0] == ("v" if key == "label" else "e")],
            )
    return {key: value for key, (_, value) in found.items()}, names


def _rank(name: str, key: str, args: dict) -> int | None:
    """0 for the map the user named, position among the usual names otherwise; None when it is not wanted."""
    if key in args:
        return 0 if name == args[key] else None
    return NAMES[key].index(name.lower()) if name.lower() in NAMES[key] else None


def _values(cursor: Cursor, value_type: int, size: int, label: bool) -> list[str] | np.ndarray | None:
    """A scalar or string map as labels or as (size,) float64; None when the type is neither."""
    if value_type == STRING and label:
        counts, begins = _blocks(cursor, _possible(cursor, size), 1)
        spans = zip(begins.tolist(), (begins + counts).tolist())
        return [cursor.data[a:b].decode("utf-8", errors="replace") for a, b in spans]
    if value_type not in SCALARS or (label and value_type > 3):
        return None
    dtype = np.dtype(cursor.order + SCALARS[value_type]) if value_type < 5 else np.dtype("V16")
    raw = np.frombuffer(cursor.data, dtype, size, cursor.take(size * dtype.itemsize))
    if value_type == 5:
        raw = _extended(raw, cursor.order)
    return [str(v) for v in raw.tolist()] if label else raw.astype(np.float64)


def _extended(raw: np.ndarray, order: str) -> np.ndarray:
    """x87 80-bit numbers in 16 bytes, the long double of the machines that write these files, as float64."""
    parts = raw.view(np.uint8).reshape(-1, 16)
    parts = parts if order == "<" else parts[:, ::-1]
    mantissa = np.ascontiguousarray(parts[:, :8]).view("<u8").ravel()
    top = np.ascontiguousarray(parts[:, 8:10]).view("<u2").ravel().astype(np.int64)
    with np.errstate(over="ignore"):
        size = np.ldexp(mantissa.astype(np.float64), (top & 0x7FFF) - 16383 - 63)
    return np.where(top & 0x8000, -size, size)


def _skip(cursor: Cursor, value_type: int, size: int) -> None:
    """Step over the values of one map."""
    if value_type in SCALARS:
        cursor.take(size * np.dtype(SCALARS[value_type]).itemsize)
    elif value_type in (STRING, OBJECT):
        _blocks(cursor, _possible(cursor, size), 1)
    elif value_type in VECTORS and VECTORS[value_type]:
        _blocks(cursor, _possible(cursor, size), VECTORS[value_type])
    elif value_type in VECTORS:
        for _ in range(size):
            _blocks(cursor, _possible(cursor, cursor.u64()), 1)
    else:
        raise SeedlotError(f"property-map type {value_type} is not known", where=f"byte {cursor.at}")


def _possible(cursor: Cursor, number: int) -> int:
    """The number of blocks, or SeedlotError when not even their counts fit into what is left."""
    if 8 * number > len(cursor.data) - cursor.at:
        raise SeedlotError("the .gt file ends early", where=f"byte {cursor.at} of {len(cursor.data)}")
    return number


def count(data: bytes, args: dict) -> int:
    """List entries from the byte count alone: the adjacency's length less its list heads, over the id width."""
    cursor, _, _, n, width = _head(data)
    start, order = cursor.at, "little" if cursor.order == "<" else "big"
    at = start
    for _ in range(n):
        at += 8 + width * int.from_bytes(data[at : at + 8], order)
    return (at - start - 8 * n) // width
