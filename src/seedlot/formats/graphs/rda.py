"""igraph objects in R `.rda` files, old and new object layouts, one or many in a file.

Read through `rdata`; no R, nothing evaluated. An igraph object is a list of class igraph: nodes, directed,
from, to (0-based), four index vectors that some versions leave out, attributes, and in newer versions an
environment. Objects inside lists are found too and are named object[position] or object$name. A record is
an entry of the `to` vector.
"""

from __future__ import annotations

import re

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import limits
from seedlot.formats.graphs.model import RawGraph, Reject
from seedlot.formats.graphs.rdata import RList, load

WEIGHTS, TIMES, LABELS = ("weight", "weights", "value"), ("time", "timestamp"), ("name", "label", "id")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """Every igraph object of a file in stored order.

    Labels are the vertex attribute name (else label, id) when complete and distinct; weight and time the
    edge attributes of these names; a logical vertex attribute `type` makes it bipartite. Rejects:
    'bad_id', 'out_of_range'. Raises SeedlotError for damage and for a file without an igraph object.
    """
    for key in args:
        if key != "format":
            raise SeedlotError(f"this format has no reader option '{key}'")
    found: list[tuple[str, RList]] = []
    for name, value in load(data).items():
        _find(name, value, found)
    if not found:
        raise SeedlotError("the .rda file holds no igraph object")
    return [_graph(name, value, len(data)) for name, value in found]


def _find(name: str, value: object, found: list[tuple[str, RList]]) -> None:
    """Append the igraph objects in a value and in the lists below it."""
    if not isinstance(value, RList):
        return
    if "igraph" in value.classes():
        found.append((name, value))
    elif isinstance(value.items, list):
        for place, (inner, item) in enumerate(zip(value.names(), value.items), 1):
            _find(f"{name}${inner}" if inner else f"{name}[{place}]", item, found)


def _numbers(value: object, what: str) -> np.ndarray:
    if not isinstance(value, RList) or not isinstance(value.items, np.ndarray):
        raise SeedlotError(f"the igraph object has no numbers in '{what}'")
    return value.items.astype(np.float64)


def _graph(name: str, value: RList, size: int) -> RawGraph:
    if not isinstance(value.items, list) or len(value.items) < 4:
        raise SeedlotError(f"the igraph object '{name}' is not a list of at least four parts")
    count, directed, ends = _numbers(value.items[0], "n"), _numbers(value.items[1], "directed"), []
    if len(count) != 1 or len(directed) != 1 or not count[0] == np.rint(count[0]):
        raise SeedlotError(f"the igraph object '{name}' does not state its size")
    n = limits.check_nodes(int(count[0]), size, name)
    ends = [_numbers(value.items[k], what) for k, what in ((2, "from"), (3, "to"))]
    if len(ends[0]) != len(ends[1]):
        raise SeedlotError(
            f"the igraph object '{name}' has {len(ends[0])} sources and {len(ends[1])} targets"
        )
    whole = (ends[0] == np.rint(ends[0])) & (ends[1] == np.rint(ends[1]))
    inside = (np.minimum(*ends) >= 0) & (np.maximum(*ends) < n)
    keep = whole & inside
    limits.check_rejects(int((~keep).sum()), name)
    rejects = [
        Reject(None, int(k), "out_of_range" if whole[k] else "bad_id", f"{ends[0][k]:g} {ends[1][k]:g}")
        for k in np.flatnonzero(~keep)
    ]
    vertex, edge = _attributes(value, 2), _attributes(value, 3)
    bipartite, n_left = _sides(vertex.get("type"), n)
    return RawGraph(
        name=name,
        n=n,
        labels=_labels(vertex, n),
        id_base=1,
        src=ends[0][keep].astype(np.int64),
        dst=ends[1][keep].astype(np.int64),
        directed=bool(directed[0]),
        weight=_edge_numbers(edge, WEIGHTS, keep),
        time=_edge_numbers(edge, TIMES, keep),
        bipartite=bipartite,
        n_left=n_left,
        read=len(keep),
        kept=int(keep.sum()),
        rejects=rejects,
        notes={"edge_attributes": ", ".join(edge)[:200], "vertex_attributes": ", ".join(vertex)[:200]},
    )


def _attributes(value: RList, which: int) -> dict[str, RList]:
    """Vertex (2) or edge (3) attributes by name."""
    block = value.items[8] if len(value.items) > 8 else None
    if not isinstance(block, RList) or not isinstance(block.items, list) or len(block.items) <= which:
        return {}
    named = block.items[which]
    if not isinstance(named, RList) or not isinstance(named.items, list):
        return {}
    return {key: item for key, item in zip(named.names(), named.items) if key and isinstance(item, RList)}


def _labels(vertex: dict[str, RList], n: int) -> list[str] | None:
    for key in LABELS:
        items = vertex[key].items if key in vertex else []
        if isinstance(items, list) and len(set(items)) == len(items) == n and all(items):
            return items
    return None


def _edge_numbers(edge: dict[str, RList], names: tuple[str, ...], keep: np.ndarray) -> np.ndarray | None:
    for key in names:
        items = edge[key].items if key in edge else None
        if isinstance(items, np.ndarray) and len(items) == len(keep):
            return items[keep].astype(np.float64)
    return None


def _sides(kind: RList | None, n: int) -> tuple[bool, int | None]:
    """(bipartite, size of the first set when its nodes come first)."""
    if (
        kind is None
        or not isinstance(kind.items, np.ndarray)
        or len(kind.items) != n
        or kind.items.dtype.kind != "i"
    ):
        return False, None
    if not np.isin(kind.items, (0, 1)).all():
        return False, None
    contiguous = bool((np.diff(kind.items) >= 0).all())
    return True, int((kind.items == 0).sum()) if contiguous else None


_HEAD = b"\x00\x00\x03\x13"
_BINARY = re.compile(
    rb"(?<!\x00\x00\x00\x02me)(?<!\x04\x02.{3}\xff)\x00\x00\x03\x13\x00\x00\x00[\x09\x0a]"
    rb"\x00\x00\x00\x0e\x00\x00\x00\x01.{8}\x00\x00\x00\x0a\x00\x00\x00\x01.{4}"
    rb"(?:\x00\x00\x00\xee.{0,400}?\x00\x00\x00\x02\x00\x00\x00\x0e|\x00\x00\x00[\x0d\x0e])(.{4})",
    re.DOTALL,
)
_TEXT = re.compile(rb"(\n\S+\n\S+)\n787\n(?:9|10)\n14\n1\n\S+\n10\n1\n\S+\n1[34]\n(\d{1,10})(?=\n)")


def count(data: bytes, args: dict) -> int:
    """Lengths of the `from` vectors, found by the shape of the bytes that begin an igraph object.

    The environment of a newer object holds the object once more, under the name `me` (written out at its
    first appearance, a reference to the symbol later); these are not counted.
    """
    if data.startswith(b"RDA"):
        hits = _TEXT.finditer(data.replace(b"\r", b""))
        return sum(int(hit[2]) for hit in hits if not re.search(rb"\nme$|\n1026\n\d+$", hit[1]))
    total, at = 0, data.find(_HEAD)
    while at >= 0:
        hit = _BINARY.match(data, at)
        total += int.from_bytes(hit[1], "big") if hit else 0
        at = data.find(_HEAD, at + 1)
    return total
