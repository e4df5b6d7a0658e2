"""GEXF, Gephi's own format, read as a stream.

Record: one `edge` element. Nodes are called by their `id`, which edges refer to (`label` is only for show). An
edge is directed as its own `type` or, without one, the graph's `defaultedgetype` says; `mutual` counts as
undirected. Nodes inside nodes belong to the one network; spells of dynamic graphs are not applied, every
edge is there once. Ours: networkx holds the whole tree and stops at versions it does not know.

Reject reasons: bad_id (no source or target), undeclared_node, bad_weight, not_finite.
"""

from __future__ import annotations

import math

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import xmlsafe
from seedlot.formats.graphs.graphml import edge_tags
from seedlot.formats.graphs.limits import check_rejects
from seedlot.formats.graphs.model import RawGraph, Reject

ROOT = "gexf"


class _Reader:
    """Handlers of expat's events. ends: (source id, target id) of a record, or None for a refused one."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self.ends: list[tuple[str, str] | None] = []
        self.lines: list[int] = []
        self.weight: list[float] = []
        self.directed: list[bool] = []
        self.rejects: list[Reject] = []
        self.default, self.graphs, self.depth, self.dynamic = False, 0, 0, False
        self.parser = xmlsafe.parser()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _start(self, name: str, attrs: dict[str, str]) -> None:
        kind = name.rpartition(xmlsafe.SEPARATOR)[2]
        if self.depth == 0 and kind != ROOT:
            raise SeedlotError(f"the root element is '{kind}', not '{ROOT}'", where="line 1")
        self.depth += 1
        if self.depth > xmlsafe.MAX_DEPTH:
            raise xmlsafe.too_deep(self.parser.CurrentLineNumber)
        if kind == "graph":
            self.graphs += 1
            self.default = attrs.get("defaultedgetype", "undirected").lower() == "directed"
            self.dynamic |= attrs.get("mode", "static").lower() == "dynamic"
        elif kind == "node" and "id" in attrs:
            self.index.setdefault(attrs["id"], len(self.index))
        elif kind == "edge":
            self._edge(attrs)

    def _end(self, _: str) -> None:
        self.depth -= 1

    def _edge(self, attrs: dict[str, str]) -> None:
        line, source, target = self.parser.CurrentLineNumber, attrs.get("source"), attrs.get("target")
        kind = attrs.get("type", "").lower()
        value, reason = _weight(attrs.get("weight"))
        if not source or not target:
            reason = "bad_id"
        self.ends.append(None if reason else (source, target))
        self.lines.append(line)
        self.weight.append(value)
        self.directed.append(kind == "directed" if kind else self.default)
        if reason:
            self.refuse(len(self.ends) - 1, reason, " ".join(f"{k}={v}" for k, v in attrs.items()))

    def refuse(self, record: int, reason: str, text: str) -> None:
        self.rejects.append(Reject(self.lines[record], record, reason, text))
        check_rejects(len(self.rejects), f"line {self.lines[record]}")


def _weight(text: str | None) -> tuple[float, str]:
    """(weight, reason for a reject or ''); 1 where none is stated, as the format says."""
    if text is None:
        return 1.0, ""
    try:
        value = float(text)
    except ValueError:
        return 1.0, "bad_weight"
    return value, "not_finite" if math.isinf(value) else ""


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a GEXF file.

    data: the decompressed file. args: directed (bool, overrides the file). A NaN weight is kept: it states that
    none is known. Raises SeedlotError when the XML is not well-formed, declares a document type, or holds no
    graph or more than one.
    """
    for key in args:
        if key not in ("format", "directed"):
            raise unknown("reader option", key, ("directed",))
    reader = _Reader()
    xmlsafe.feed(reader.parser, xmlsafe.pieces(data))
    if reader.graphs != 1:
        raise SeedlotError(f"the file holds {reader.graphs} <graph> elements, GEXF allows one")
    m = len(reader.ends)
    src, dst = np.full(m, -1, np.int64), np.full(m, -1, np.int64)
    for record, ends in enumerate(reader.ends):
        if ends is None:
            continue
        if ends[0] in reader.index and ends[1] in reader.index:
            src[record], dst[record] = reader.index[ends[0]], reader.index[ends[1]]
        else:
            reader.refuse(record, "undeclared_node", f"{ends[0]} {ends[1]}")
    good = src >= 0
    weight = np.array(reader.weight, np.float64)[good]
    directed = np.array(reader.directed, bool)[good]
    if "directed" in args:
        directed[:] = bool(args["directed"])
    mixed = bool(directed.any()) and not directed.all()
    return [
        RawGraph(
            name="",
            n=len(reader.index),
            labels=list(reader.index),
            id_base=0,
            src=src[good],
            dst=dst[good],
            directed=directed if mixed else bool(directed.any()),
            weight=None if (weight == 1.0).all() else weight,
            read=m,
            kept=int(good.sum()),
            rejects=sorted(reader.rejects, key=lambda reject: reject.record),
            notes={"spells_not_applied": 1} if reader.dynamic else {},
        )
    ]


def count(data: bytes, args: dict) -> int:
    """Edge tags of the file, comments and quoted sections taken out; no XML parser."""
    return edge_tags(data)
