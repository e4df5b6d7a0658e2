"""GML: nested key-value lists; the networks are its outermost `graph [ ... ]` lists.

Record: one `edge [ ... ]` list, wherever it stands. Nodes are called by their `label` when every node has one
and no two are alike, by their `id` otherwise. A graph inside a node or a graph belongs to the outer network.
A file that ends before its last brackets is read as if they were there; lines that begin with # are comments.
Ours, because networkx stops at repeated edges and at a missing last bracket.

Reject reasons: bad_id (no source or no target), undeclared_node, bad_weight, not_finite, misplaced (an edge
outside a graph).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import textscan
from seedlot.formats.graphs.limits import check_rejects
from seedlot.formats.graphs.model import RawGraph, Reject

OPTIONS = frozenset({"format", "encoding", "label", "weight"})
MAX_DEPTH = 200

# A string may run over lines. Outside strings a # begins a comment only as the first character of a line.
_TOKEN = re.compile(rb'"([^"]*)"|([\[\]])|((?m:^) *#[^\n]*)|([^\s\[\]"]+)|(")')
_BRACKET, _COMMENT, _WORD, _OPEN_QUOTE = 2, 3, 4, 5
_STRING_OR_COMMENT = re.compile(rb'"[^"]*"|(?m:^) *#[^\n]*')
_EDGE = re.compile(rb'(?i)(?<![^\s\[\]"])edge\s*\[')


@dataclass
class _List:
    """An open list. kind: graph, node, edge or other. at: offset of its bracket."""

    kind: str
    at: int = 0
    values: dict[str, bytes] = field(default_factory=dict)


@dataclass
class _Graph:
    """The nodes and edges of a network as they are met; edges refer to nodes that may come later."""

    directed: bool = False
    name: bytes = b""
    nodes: list[dict[str, bytes]] = field(default_factory=list)
    edges: list[tuple[int, dict[str, bytes]]] = field(default_factory=list)


def read(data: bytes, args: dict) -> list[RawGraph]:
    """Every network of a GML file.

    data: the decompressed file. args: `encoding` of the text (found out when absent), `label`, the node key
    to take labels from, `weight`, the edge key to take weights from (`weight`, else `value`).
    Raises SeedlotError when there is no graph, a string is never closed, or lists are nested too deep.
    """
    for word in args:
        if word not in OPTIONS:
            raise unknown("option of the gml reader", word, OPTIONS)
    text = textscan.clean(data)
    graphs, strays = _parse(text)
    if not graphs:
        raise SeedlotError("no 'graph [' was found", todo="name the format if this is not a GML file")
    breaks = np.flatnonzero(np.frombuffer(text, np.uint8) == 10)

    def line(at: int) -> int:
        return int(np.searchsorted(breaks, at)) + 1

    built = [_build(graph, args, line) for graph in graphs]
    check_rejects(len(strays), "edges outside a graph")
    built[0].rejects[:0] = [Reject(line(at), None, "misplaced", "an edge outside a graph") for at in strays]
    built[0].read += len(strays)
    return built


def _parse(text: bytes) -> tuple[list[_Graph], list[int]]:
    """All graphs, and the offsets of edges that stand in none."""
    graphs: list[_Graph] = []
    strays: list[int] = []
    stack = [_List("other")]
    depth_of_graph = 0
    word, key = b"", ""
    for match in _TOKEN.finditer(text):
        which = match.lastindex
        if which == _COMMENT:
            continue
        if which == _OPEN_QUOTE:
            line = textscan.line_number(text, match.start())
            raise SeedlotError("a string that begins here is never closed", where=f"line {line}")
        token = match[which]
        if which == _BRACKET and token == b"[":
            top = stack[-1].kind
            kind = word.decode("latin-1").lower()
            if kind == "edge" and top != "graph":
                strays.append(match.start())
            if kind == "graph":
                if not depth_of_graph:
                    graphs.append(_Graph())
                depth_of_graph += 1
            elif kind not in ("node", "edge") or top != "graph":
                kind = "other"
            stack.append(_List(kind, match.start()))
            if len(stack) > MAX_DEPTH:
                line = textscan.line_number(text, match.start())
                raise SeedlotError(f"lists are nested deeper than {MAX_DEPTH}", where=f"line {line}")
            word, key = b"", ""
        elif which == _BRACKET:
            if len(stack) > 1:
                depth_of_graph -= stack[-1].kind == "graph"
                _close(stack.pop(), graphs)
            word, key = b"", ""
        elif key:
            if stack[-1].kind != "other":
                stack[-1].values.setdefault(key, token)
            word, key = token if which == _WORD else b"", ""
        elif which == _WORD:
            word, key = token, token.decode("latin-1").lower()
        else:
            word = b""
    while len(stack) > 1:
        _close(stack.pop(), graphs)
    return graphs, strays


def _close(entry: _List, graphs: list[_Graph]) -> None:
    if entry.kind == "node":
        graphs[-1].nodes.append(entry.values)
    elif entry.kind == "edge":
        graphs[-1].edges.append((entry.at, entry.values))
    elif entry.kind == "graph":
        # Inner graphs close first, so the outermost one has the last word.
        graphs[-1].directed = entry.values.get("directed", b"0") not in (b"0", b"")
        graphs[-1].name = entry.values.get("label", entry.values.get("name", b""))


def _build(graph: _Graph, args: dict, line: Callable[[int], int]) -> RawGraph:
    """A network out of its lists; `line` turns offsets into line numbers."""
    encoding = args.get("encoding")
    index: dict[bytes, int] = {}
    kept_nodes: list[dict[str, bytes]] = []
    notes: dict[str, str | int] = {}
    for node in graph.nodes:
        name = node.get("id")
        if name is not None and name in index:
            notes["repeated_nodes"] = int(notes.get("repeated_nodes", 0)) + 1
            continue
        if name is not None:
            index[name] = len(kept_nodes)
        kept_nodes.append(node)
    labels, used = _labels(kept_nodes, args.get("label", "label").lower(), encoding)
    notes["encoding"] = used
    keys = (args["weight"].lower(),) if "weight" in args else ("weight", "value")
    src: list[int] = []
    dst: list[int] = []
    weight: list[float] = []
    rejects: list[Reject] = []
    for record, (at, edge) in enumerate(graph.edges):
        ends = edge.get("source"), edge.get("target")
        text = _weight_text(edge, keys)
        value = _number(text)
        reason = None
        if None in ends:
            reason = "bad_id"
        elif ends[0] not in index or ends[1] not in index:
            reason = "undeclared_node"
        elif value is None:
            reason = textscan.cell_reason(text)
        if reason:
            shown = " ".join(f"{k} {v.decode('utf-8', 'replace')}" for k, v in list(edge.items())[:4])
            rejects.append(Reject(line(at), record, reason, shown))
            check_rejects(len(rejects), f"line {rejects[-1].line}")
            continue
        src.append(index[ends[0]])
        dst.append(index[ends[1]])
        weight.append(value)
    weights = np.array(weight, np.float64)
    return RawGraph(
        name=" ".join(html.unescape(textscan.decode(graph.name, encoding)[0]).split()),
        n=len(kept_nodes),
        labels=labels,
        id_base=0,
        src=np.array(src, np.int64),
        dst=np.array(dst, np.int64),
        directed=graph.directed,
        weight=None if (weights == 1.0).all() else weights,
        read=len(graph.edges),
        kept=len(src),
        rejects=rejects,
        notes=notes,
    )


def _labels(nodes: list[dict[str, bytes]], key: str, encoding: str | None) -> tuple[list[str], str]:
    """One label a node: the values of `key` if all nodes have it and no two agree, else the ids."""
    values = [node.get(key) for node in nodes]
    if None in values or len(set(values)) < len(values):
        values = [node.get("id", b"") for node in nodes]
    # The cleaned text holds no zero byte, so one of them can part labels that hold line feeds.
    text, used = textscan.decode(b"\0".join(values), encoding)
    names = text.split("\0") if values else []
    return [" ".join(html.unescape(name).split()) for name in names], used


def _weight_text(edge: dict[str, bytes], keys: tuple[str, ...]) -> bytes:
    for key in keys:
        # `value` is a weight by habit only: where it holds a word it is a property like any other.
        if key in edge and (key != "value" or len(keys) == 1 or _number(edge[key]) is not None):
            return edge[key]
    return b"1"


def _number(text: bytes) -> float | None:
    """The number, NaN included since it states that none is known; None for words and infinities."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if np.isinf(value) else value


def count(data: bytes, args: dict) -> int:
    """Edge lists of the file: the word edge before a bracket, strings and comments taken out."""
    bare = _STRING_OR_COMMENT.sub(lambda found: b'"' if found[0][:1] == b'"' else b" ", textscan.clean(data))
    return len(_EDGE.findall(bare))
