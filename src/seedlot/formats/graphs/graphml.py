"""GraphML, read as a stream.

Record: one `edge` or `hyperedge` element. Nodes are called by their `id` unless the option `label` names a
data key. Graphs inside nodes or edges belong to the outer network, and each edge is directed as its own
`directed` attribute or, without one, its graph says. Parallel edges are kept; several keys may carry one
attribute name. Ours: networkx is several times slower, and igraph stops when two keys share a name.

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
from seedlot.formats.graphs import graphml_runs, xmlsafe
from seedlot.formats.graphs.graphml_runs import Run
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
    stated: dict[str, list[str] | array] = field(default_factory=dict)
    waiting: list[tuple[int, int, str, str]] = field(default_factory=list)
    bad: dict[int, Reject] = field(default_factory=dict)
    notes: dict[str, str | int] = field(default_factory=dict)

    def values(self, role: str, size: int, fill: str | float) -> list[str] | array:
        """The values of a role, one a record, created or lengthened with `fill` up to `size` records."""
        column = self.stated.setdefault(role, [] if role == "relation" else array("d"))
        if len(column) < size:
            column.extend([fill] * (size - len(column)))
        return column

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
        self.owners: list[tuple[int, int]] = []
        self.text: list[str] | None = None
        self.role = ""
        self.runs: dict[int, Run] = {}
        self.run_line: int | None = None

    def run(self, document: bytes) -> None:
        """Read a whole document."""
        if graphml_runs.applies(document):
            name = graphml_runs.unused_name(document)
            self.parser.ProcessingInstructionHandler = lambda target, text: self._run(
                target == name.decode(), text
            )
            xmlsafe.feed(self.parser, graphml_runs.cut(document, name, self.runs))
        else:
            xmlsafe.feed(self.parser, xmlsafe.pieces(document))

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber if self.run_line is None else self.run_line

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
            raise xmlsafe.too_deep(self.line)

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
        self.owners.append((-1, 0))
        if not self.directed:
            return
        graph, name = self.graphs[-1], attrs.get("id")
        if name is None:
            graph.note("nodes_without_id")
        elif name in graph.index:
            graph.note("repeated_nodes")
        else:
            graph.index[name] = len(graph.labels)
            self.owners[-1] = (len(graph.labels), 0)
            graph.labels.append(name)

    def _edge(self, attrs: dict[str, str]) -> None:
        source, target = attrs.get("source"), attrs.get("target")
        if not self.directed:
            self.owners.append((-1, 0))
            self._stray(f"edge {source} {target}")
            return
        graph = self.graphs[-1]
        record = len(graph.src)
        self.owners.append((record, self.line))
        src, dst = graph.index.get(source, -1), graph.index.get(target, -1)
        graph.src.append(src)
        graph.dst.append(dst)
        stated = attrs.get("directed")
        graph.directed.append(
            self.directed[-1] if stated is None else stated.strip().lower() in ("true", "1")
        )
        if "sourceport" in attrs or "targetport" in attrs:
            graph.refuse(record, self.line, "port", f"{source} {target}")
        elif source is None or target is None:
            shown = " ".join(f"{key}={value}" for key, value in attrs.items())
            graph.refuse(record, self.line, "bad_id", shown)
        elif src < 0 or dst < 0:
            graph.waiting.append((record, self.line, source, target))

    def _run(self, ours: bool, text: str) -> None:
        """A run of look-alike elements: all at once if nothing about them is odd, else one by one."""
        if not ours or not self.stack:
            return
        run = self.runs.pop(int(text))
        if self.directed and (self._many_nodes(run) if run.tag == "node" else self._many_edges(run)):
            return
        first = self.line
        for k in range(run.size):
            self.run_line = first + k * run.lines
            self._start(self.prefix + run.tag, {name: values[k] for name, values in run.columns.items()})
            for key, texts in run.data:
                self._start(self.prefix + "data", {"key": key})
                if self.text is not None:
                    self.text.append(texts[k])
                self._end("data")
            self._end(run.tag)
        self.run_line = None

    def _many_nodes(self, run: Run) -> bool:
        graph, names = self.graphs[-1], run.columns["id"]
        fresh = dict(zip(names, range(len(graph.labels), len(graph.labels) + run.size)))
        if len(fresh) < run.size or not graph.index.keys().isdisjoint(names):
            return False
        labels = names
        for key, texts in run.data:
            if ("node", key) in self.roles:
                labels = [text.strip() or label for text, label in zip(texts, labels)]
        graph.index.update(fresh)
        graph.labels.extend(labels)
        return True

    def _many_edges(self, run: Run) -> bool:
        graph, size = self.graphs[-1], run.size
        src = list(map(graph.index.get, run.columns["source"]))
        dst = list(map(graph.index.get, run.columns["target"]))
        stated = [(self.roles["edge", key], texts) for key, texts in run.data if ("edge", key) in self.roles]
        if None in src or None in dst or len(dict(stated)) < len(stated):
            return False
        values: dict[str, list[str] | list[float]] = {}
        for role, texts in stated:
            if role == "relation":
                values[role] = [text.strip() for text in texts]
                odd = "" in values[role]
            else:
                try:
                    values[role] = list(map(float, texts))
                except ValueError:
                    return False
                odd = any(map(math.isinf, values[role]))
            if odd:
                return False
        base = len(graph.src)
        graph.src.extend(src)
        graph.dst.extend(dst)
        if "directed" in run.columns:
            graph.directed.extend(text.strip().lower() in ("true", "1") for text in run.columns["directed"])
        else:
            graph.directed.extend(bytes([self.directed[-1]]) * size)
        for role, column in values.items():
            graph.values(role, base, self.fill(role)).extend(column)
        return True

    def _hyperedge(self) -> None:
        if not self.directed:
            self._stray("hyperedge")
            return
        graph = self.graphs[-1]
        graph.refuse(len(graph.src), self.line, "hyperedge", "hyperedge")
        graph.src.append(-1)
        graph.dst.append(-1)
        graph.directed.append(False)

    def _stray(self, text: str) -> None:
        line = self.line
        self.strays.append(Reject(line, None, "misplaced", text))
        check_rejects(len(self.strays), f"line {line}")

    def _data(self, owner: str, attrs: dict[str, str]) -> None:
        role = self.roles.get((owner, attrs.get("key", "")))
        if role is not None and self.text is None and self.owners and self.owners[-1][0] >= 0:
            self.role = role
            self._listen()

    def _keep(self, text: str) -> None:
        """Store the data just closed under the edge or node that holds it."""
        self._deaf()
        graph, role, (owner, line) = self.graphs[-1], self.role, self.owners[-1]
        if not text:
            return
        if role == "label":
            graph.labels[owner] = text
        elif role == "relation":
            graph.values(role, owner + 1, self.fill(role))[owner] = text
        else:
            value = _number(text)
            if value is None or math.isinf(value):
                reason = "bad_weight" if value is None else "not_finite"
                graph.refuse(owner, line, reason, f"{role} {text}")
            else:
                graph.values(role, owner + 1, self.fill(role))[owner] = value

    def fill(self, role: str) -> str | float:
        """What holds for an edge that states nothing for a role."""
        if role == "relation":
            return self.defaults.get(role, "")
        value = _number(self.defaults.get(role, ""))
        return (1.0 if role == "weight" else math.nan) if value is None else value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


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
    reader.run(data)
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
    if m and reader.fill("weight") != 1.0:
        graph.values("weight", m, reader.fill("weight"))
    column = {
        role: np.array(graph.values(role, m, reader.fill(role)), object if role == "relation" else None)[good]
        for role in graph.stated
    }
    weight = column.get("weight")
    if weight is not None and (weight == 1.0).all():
        weight = None
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
        time=column.get("time"),
        relation=column.get("relation"),
        read=m,
        kept=int(good.sum()),
        rejects=[graph.bad[record] for record in sorted(graph.bad)],
        notes=graph.notes,
    )


def count(data: bytes, args: dict) -> int:
    """Edge and hyperedge tags of the file; no XML parser."""
    return edge_tags(data)


def edge_tags(data: bytes) -> int:
    """Edge and hyperedge tags of an XML text, comments and quoted sections taken out."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16").encode()
    if b"<!" in data:
        data = _HIDDEN.sub(b" ", data)
    return len(_EDGE_TAG.findall(data))
