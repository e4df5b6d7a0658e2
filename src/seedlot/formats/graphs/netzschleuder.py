"""Netzschleuder's `.csv.zip`: `edges.csv`, `nodes.csv` and `gprops.csv` in one archive.

Own, on `tokens`: three members make one network. Links are index pairs from 0 with their properties behind;
`nodes.csv` gives the nodes, also isolated ones, and their names. A record is a data line of `edges.csv`.
Whether links are directed stands in `gprops.csv` of some networks only; the option `directed` states it.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.edgelist import NAMES, Layout, links
from seedlot.formats.graphs.model import RawGraph, Reject
from seedlot.formats.graphs.open import ZipBox

OPTIONS = ("directed", "weight", "time", "label")
LABELS = ("name", "label", "_graphml_vertex_id")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of an archive.

    args: directed (bool), weight, time (property names of edges.csv; default: the usual names), label
    (property name of nodes.csv). Rejects as in `edgelist`, and 'out_of_range' for an index that nodes.csv
    lacks. Raises SeedlotError when edges.csv is missing or has no `# source, target` line.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    box = ZipBox(data, "csv.zip")
    edges = _member(box, "edges.csv")
    if edges is None:
        raise SeedlotError("the archive has no edges.csv", where=", ".join(box.names[:20]))
    head, fields = _table(edges)
    if head[:2] != ["source", "target"]:
        raise SeedlotError(f"edges.csv begins with '{', '.join(head[:2])}', not 'source, target'")
    extra = {key: _property(head, args.get(key), NAMES[key]) for key in ("weight", "time")}
    directed = bool(args.get("directed", _directed(_member(box, "gprops.csv"))))
    graph = links(fields, Layout(0, 1, delimiter=b",", directed=directed, **extra))
    nodes = _member(box, "nodes.csv")
    return [graph if nodes is None else _with_nodes(graph, nodes, args.get("label"))]


def _member(box: ZipBox, name: str) -> bytes | None:
    hits = [n for n in box.names if PurePosixPath(n).name == name]
    return tokens.normalise(box.read(hits[0])) if hits else None


def _table(data: bytes) -> tuple[list[str], tokens.Fields]:
    """(lower-case property names from the `#` line, data records)."""
    first = data.split(b"\n", 1)[0]
    head = [cell.strip().strip('"').lower() for cell in tokens.decode(first).lstrip("# ").split(",")]
    return head, tokens.split(data, b",", b"#")


def _property(head: list[str], wanted: str | None, usual: tuple[str, ...]) -> int | None:
    if wanted is not None:
        if wanted.lower() not in head:
            raise unknown("edge property", wanted, head)
        return head.index(wanted.lower())
    return next((head.index(name) for name in usual if name in head[2:]), None)


def _directed(gprops: bytes | None) -> bool:
    """Whether a graph property called directed or is_directed says so."""
    rows = [row.replace('"', "").split(",") for row in tokens.decode(gprops or b"").splitlines()]
    cells = {row[0].strip("# ").lower(): row[1].strip().lower() for row in rows if len(row) > 1}
    return any(cells.get(key) in ("1", "true") for key in ("directed", "is_directed"))


def _with_nodes(graph: RawGraph, nodes: bytes, label: str | None) -> RawGraph:
    """The links on the nodes of nodes.csv; links to others become rejects."""
    head, fields = _table(nodes)
    number = _numbers(graph)
    n = len(fields)
    if not len(fields) or fields.width.min() < 1:
        return graph
    index, good = tokens.integers(fields.column(0))
    if not good.all() or not np.array_equal(index, np.arange(n)):
        raise SeedlotError("nodes.csv does not number its nodes 0, 1, 2, ...")
    inside = (number[graph.src] < n) & (number[graph.dst] < n)
    lost = np.flatnonzero(~inside)
    limits.check_rejects(len(lost), "edges.csv")
    for k in lost.tolist():
        text = f"{number[graph.src[k]]}, {number[graph.dst[k]]}"
        graph.rejects.append(Reject(None, k, "out_of_range", text))
    graph.src, graph.dst = number[graph.src][inside], number[graph.dst][inside]
    for key in ("weight", "time"):
        if getattr(graph, key) is not None:
            setattr(graph, key, getattr(graph, key)[inside])
    graph.kept, graph.n, graph.id_base = len(graph.src), n, 0
    at = _property(["", "", *head[1:]], label, LABELS)
    graph.labels = _labels(fields, at - 1) if at is not None else None
    return graph


def _numbers(graph: RawGraph) -> np.ndarray:
    """(n,) int64 original index of every node of the link list."""
    if graph.labels is None:
        return np.arange(graph.id_base, graph.id_base + graph.n)
    if not all(re.fullmatch("[0-9]{1,18}", name) for name in graph.labels):
        raise SeedlotError("edges.csv has node indices that are not whole numbers from 0")
    return np.array([int(name) for name in graph.labels], np.int64)


def _labels(fields: tokens.Fields, at: int) -> list[str] | None:
    """Names of nodes.csv, or None when they are not complete and distinct."""
    if fields.width.min() <= at:
        return None
    names = tokens.strings(fields.column(at))
    return names if all(names) and len(set(names)) == len(names) else None


def count(data: bytes, args: dict) -> int:
    """Lines of edges.csv that are neither blank nor begin with `#`, quoted line ends joined."""
    edges = _member(ZipBox(data, "csv.zip"), "edges.csv") or b""
    return tokens.count_quoted(edges, b",", b"#")
