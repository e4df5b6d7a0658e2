"""GraphML, read as a stream.

Record: one `edge` or `hyperedge` element. Nodes are called by their `id` unless the option `label` names a
data key. Graphs inside nodes or edges belong to the outer network, and each edge is directed as its own
`directed` attribute or, without one, its graph says. Parallel edges are kept; several keys may carry one
attribute name. Ours: networkx is more than ten times slower, and igraph stops when two keys share a name.

Reject reasons: bad_id (no source or target), undeclared_node, hyperedge, port (an end at a port of a node),
bad_weight, not_finite, misplaced (an edge outside a graph).
"""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import xmlsafe
from seedlot.formats.graphs.limits import check_rejects
from seedlot.formats.graphs.model import RawGraph, Reject

OPTIONS = frozenset({"format", "label", "weight", "relation", "time"})
_ROLES = {"weight": ("weight",), "relation": ("relation", "relation number"), "time": (), "label": ()}
_HIDDEN = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_EDGE_TAG = re.compile(rb"<(?:[\w.-]+:)?(?:hyper)?edge(?=[\s/>])")


@dataclass
class _Graph:
    """A network while it is being read: one entry a record in the arrays, -1 for an end not (yet) known."""

    name: str = ""
    index: dict[str, int] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    src: array = field(default_factory=lambda: array("q"))
    dst: array = field(default_factory=lambda: array("q"))
    directed: bytearray = field(default_factory=bytearray)
    weight: array | None = None
    time: array | None = None
    relation: list[str] | None = None
    waiting: list[tuple[int, int, str, str]] = field(default_factory=list)
    bad: dict[int, Reject] = field(default_factory=dict)
    notes: dict[str, str | int] = field(default_factory=dict)

    def note(self, what: str) -> None:
        self.notes[what] = int(self.notes.get(what, 0)) + 1

    def refuse(self, record: int, line: int, reason: str, text: str) -> None:
        self.bad[record] = Reject(line, record, reason, text)
        check_rejects(len(self.bad), f"line {line}")


class _Reader:
    """Handlers of expat's events; `graphs` is the result."""

    def __init__(self, args: dict):
        self.wanted = {
            role: (str(args[role]).lower(),) if role in args else names for role, names in _ROLES.items()
        }
        self.graphs: list[_Graph] = []
        self.strays: list[Reject] = []
        self.roles: dict[tuple[str, str], str] = {}
        self.defaults: dict[str, str] = {}
        self.parser = xmlsafe.parser()
        self.parser.StartElementHandler = self._root
        self.parser.EndElementHandler = self._end
        self.stack: list[str] = []
        self.directed: list[bool] = []
        self.prefix = ""
        self.owners: list[int] = []
        self.text: list[str] | None = None
        self.role = ""

    def _root(self, name: str, attrs: dict[str, str]) -> None:
        namespace, gap, local = name.rpartition(xmlsafe.SEPARATOR)
        if local != "graphml":
            raise SeedlotError(f"the root element is '{local}', not 'graphml'", where="line 1")
        self.prefix = namespace + gap
        self.parser.StartElementHandler = self._start
        self.stack.append("graphml")

    def _start(self, name: str, attrs: dict[str, str]) -> None:
        kind = name[len(self.prefix) :] if name.startswith(self.prefix) else ""
        stack = self.stack
        if kind == "edge":
            self._edge(attrs)
        elif kind == "node":
            self._node(attrs)
        elif kind == "data":
            self._data(stack[-1], attrs)
        elif kind == "graph":
            if not self.directed:
                self.graphs.append(_Graph(name=attrs.get("id", "")))
            self.directed.append(attrs.get("edgedefault") == "directed")
        elif kind == "hyperedge":
            self._hyperedge()
        elif kind == "key":
            self._key(attrs)
        elif kind == "default" and stack[-1] == "key" and self.role:
            self._listen()
        stack.append(kind)
        if len(stack) > xmlsafe.MAX_DEPTH:
            raise xmlsafe.too_deep(self.parser.CurrentLineNumber)

    def _end(self, _: str) -> None:
        kind = self.stack.pop()
        if kind == "edge" or kind == "node":
            self.owners.pop()
        elif kind == "graph":
            self.directed.pop()
        elif kind == "data" and self.text is not None:
            self._keep("".join(self.text).strip())
        elif kind == "default" and self.text is not None:
            self.defaults[self.role] = "".join(self.text).strip()
            self._deaf()
        elif kind == "key":
            self.role = ""

    def _listen(self) -> None:
        self.text = []
        self.parser.CharacterDataHandler = self.text.append

    def _deaf(self) -> None:
        self.text = None
        self.parser.CharacterDataHandler = None

    def _key(self, attrs: dict[str, str]) -> None:
        self.role = ""
        name, domain = attrs.get("attr.name", "").lower(), attrs.get("for", "all")
        for role, names in self.wanted.items():
            side = "node" if role == "label" else "edge"
            if (name in names or attrs.get("id", "").lower() in names) and domain in (side, "all"):
                self.roles[side, attrs.get("id", "")] = role
                self.role = role

    def _node(self, attrs: dict[str, str]) -> None:
        self.owners.append(-1)
        if not self.directed:
            return
        graph, name = self.graphs[-1], attrs.get("id")
        if name is None:
            graph.note("nodes_without_id")
        elif name in graph.index:
            graph.note("repeated_nodes")
        else:
            self.owners[-1] = graph.index[name] = len(graph.labels)
            graph.labels.append(name)

    def _edge(self, attrs: dict[str, str]) -> None:
        source, target = attrs.get("source"), attrs.get("target")
        if not self.directed:
            self.owners.append(-1)
            self._stray(f"edge {source} {target}")
            return
        graph = self.graphs[-1]
        record = len(graph.src)
        self.owners.append(record)
        src, dst = graph.index.get(source, -1), graph.index.get(target, -1)
        graph.src.append(src)
        graph.dst.append(dst)
        stated = attrs.get("directed")
        graph.directed.append(
            self.directed[-1] if stated is None else stated.strip().lower() in ("true", "1")
        )
        if "sourceport" in attrs or "targetport" in attrs:
            graph.refuse(record, self.parser.CurrentLineNumber, "port", f"{source} {target}")
        elif source is None or target is None:
            shown = " ".join(f"{key}={value}" for key, value in attrs.items())
            graph.refuse(record, self.parser.CurrentLineNumber, "bad_id", shown)
        elif src < 0 or dst < 0:
            graph.waiting.append((record, self.parser.CurrentLineNumber, source, target))

    def _hyperedge(self) -> None:
        if not self.directed:
            self._stray("hyperedge")
            return
        graph = self.graphs[-1]
        graph.refuse(len(graph.src), self.parser.CurrentLineNumber, "hyperedge", "hyperedge")
        graph.src.append(-1)
        graph.dst.append(-1)
        graph.directed.append(False)

    def _stray(self, text: str) -> None:
        line = self.parser.CurrentLineNumber
        self.strays.append(Reject(line, None, "misplaced", text))
        check_rejects(len(self.strays), f"line {line}")

    def _data(self, owner: str, attrs: dict[str, str]) -> None:
        role = self.roles.get((owner, attrs.get("key", "")))
        if role is not None and self.text is None and self.owners and self.owners[-1] >= 0:
            self.role = role
            self._listen()

    def _keep(self, text: str) -> None:
        """Store the data just closed under the edge or node that holds it."""
        self._deaf()
        graph, role, owner = self.graphs[-1], self.role, self.owners[-1]
        if not text:
            return
        if role == "label":
            graph.labels[owner] = text
        elif role == "relation":
            graph.relation = _reach(graph.relation or [], owner, self.defaults.get(role, ""))
            graph.relation[owner] = text
        else:
            value = _number(text)
            if value is None or math.isinf(value):
                reason = "bad_weight" if value is None else "not_finite"
                graph.refuse(owner, self.parser.CurrentLineNumber, reason, f"{role} {text}")
            elif role == "weight":
                graph.weight = _reach(graph.weight or array("d"), owner, self._default_weight())
                graph.weight[owner] = value
            else:
                graph.time = _reach(graph.time or array("d"), owner, math.nan)
                graph.time[owner] = value

    def _default_weight(self) -> float:
        value = _number(self.defaults.get("weight", "1"))
        return 1.0 if value is None else value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _reach(values: list | array, position: int, default: str | float) -> list | array:
    """The same sequence, lengthened with the default so that `position` exists."""
    if position >= len(values):
        values.extend([default] * (position + 1 - len(values)))
    return values


def read(data: bytes, args: dict) -> list[RawGraph]:
    """Every network of a GraphML file.

    data: the decompressed file. args: `label`, `weight`, `relation`, `time`, each the name or id of the key
    that holds it. Without them: labels are node ids; weight is a key named weight, relation one named
    relation or relation number, letter case aside. A NaN weight is kept: it states that none is known.
    Raises SeedlotError when the XML is not well-formed, declares a document type or holds no graph.
    """
    for word in args:
        if word not in OPTIONS:
            raise unknown("option of the graphml reader", word, OPTIONS)
    reader = _Reader(args)
    xmlsafe.feed(reader.parser, data)
    if not reader.graphs:
        raise SeedlotError("the file holds no <graph>")
    built = [_finish(graph, reader) for graph in reader.graphs]
    built[0].rejects[:0] = reader.strays
    built[0].read += len(reader.strays)
    return built


def _finish(graph: _Graph, reader: _Reader) -> RawGraph:
    src, dst = np.array(graph.src, np.int64), np.array(graph.dst, np.int64)
    for record, line, source, target in graph.waiting:
        src[record] = graph.index.get(source, -1)
        dst[record] = graph.index.get(target, -1)
        if (src[record] < 0 or dst[record] < 0) and record not in graph.bad:
            graph.refuse(record, line, "undeclared_node", f"{source} {target}")
    m = len(src)
    good = np.ones(m, bool)
    good[list(graph.bad)] = False
    weight = time = relation = None
    default = reader._default_weight()
    if graph.weight is not None or (default != 1.0 and m):
        weight = np.array(_reach(graph.weight or array("d"), m - 1, default))[good]
        weight = None if (weight == 1.0).all() else weight
    if graph.time is not None:
        time = np.array(_reach(graph.time, m - 1, math.nan))[good]
    if graph.relation is not None:
        relation = np.array(_reach(graph.relation, m - 1, reader.defaults.get("relation", "")), object)[good]
    directed = np.frombuffer(bytes(graph.directed), bool)[good]
    return RawGraph(
        name=graph.name,
        n=len(graph.labels),
        labels=graph.labels,
        id_base=0,
        src=src[good],
        dst=dst[good],
        directed=directed if directed.any() and not directed.all() else bool(directed.any()),
        weight=weight,
        time=time,
        relation=relation,
        read=m,
        kept=int(good.sum()),
        rejects=[graph.bad[record] for record in sorted(graph.bad)],
        notes=graph.notes,
    )


def count(data: bytes, args: dict) -> int:
    """Edge and hyperedge tags of the file, comments and quoted sections taken out; no XML parser."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16").encode()
    if b"<!" in data:
        data = _HIDDEN.sub(b" ", data)
    return len(_EDGE_TAG.findall(data))
