"""JSON documents of nodes and links.

Three shapes: node-link (`nodes` with ids, `links` or `edges` with source and target), Cytoscape
(`elements`, each entry's content under `data`), and networkx's adjacency (`adjacency`: for each node of
`nodes` the list of its neighbours, so an undirected link stands there from both ends). The standard library's
json does the parsing; what the objects mean is ours, because networkx's readers need exact key names and drop
what they do not know. A record is an entry of the link list.
"""

from __future__ import annotations

import json

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.model import RawGraph, Reject

NODES, LINKS, ADJACENCY = ("nodes", "vertices"), ("links", "edges"), "adjacency"
SRC, DST, WEIGHT = ("source", "from", "src", "u"), ("target", "to", "dst", "v"), ("weight", "value", "w")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a document.

    Ends are node ids, or, when no node has an id, positions in `nodes`; ids that `nodes` lacks become nodes
    in order of appearance. args: directed (bool, overrides the document). Rejects: 'not_an_object',
    'bad_id' (no source or target, or one that is neither text nor a number), 'bad_weight'. Raises
    SeedlotError when the document is not JSON or holds no link list.
    """
    for key in args:
        if key not in ("format", "directed"):
            raise unknown("reader option", key, ("directed",))
    document = _document(data)
    nodes = _nodes(document)
    index: dict[str, int] = {}
    for place, node in enumerate(nodes):
        index.setdefault(_id(node, place), len(index))
    src, dst, weight, rejects = [], [], [], []
    entries = _links(document)
    for record, entry in enumerate(entries):
        ends, value, reason = _link(entry)
        if reason:
            rejects.append(Reject(None, record, reason, json.dumps(entry)[:200]))
            limits.check_rejects(len(rejects), "links")
            continue
        src.append(index.setdefault(ends[0], len(index)))
        dst.append(index.setdefault(ends[1], len(index)))
        weight.append(value)
    known = np.array(weight, np.float64)
    return [
        RawGraph(
            name=str(document.get("name", ""))[:200],
            n=len(index),
            labels=list(index),
            id_base=0,
            src=np.array(src, np.int64),
            dst=np.array(dst, np.int64),
            directed=bool(args.get("directed", document.get("directed", False))),
            weight=None if np.isnan(known).all() else known,
            read=len(entries),
            kept=len(src),
            rejects=rejects,
        )
    ]


def _document(data: bytes) -> dict:
    """The object that holds nodes and links: the document, or what lies below its `graph` or `elements`."""
    try:
        document = json.loads(tokens.decode(tokens.normalise(data)))
    except (ValueError, RecursionError) as error:
        raise SeedlotError(f"not readable as JSON: {error}") from error
    if not isinstance(document, dict):
        raise SeedlotError("the JSON document is not an object with nodes and links")
    inside = document.get("elements")
    if isinstance(inside, list):
        groups = {"nodes": [], "edges": []}
        for entry in inside:
            groups["edges" if _is_link(entry) else "nodes"].append(entry)
        return document | groups
    for inner in (inside, document.get("graph")):
        if not any(key in document for key in (*LINKS, ADJACENCY)) and isinstance(inner, dict):
            return document | inner
    return document


def _is_link(element: object) -> bool:
    """Whether an entry of Cytoscape's flat `elements` is a link: by its group, else by its content."""
    if not isinstance(element, dict):
        return True
    return element.get("group", "edges" if "source" in _content(element) else "nodes") == "edges"


def _content(entry: object) -> object:
    """A node or link without Cytoscape's wrapping."""
    inner = entry.get("data") if isinstance(entry, dict) else None
    return inner if isinstance(inner, dict) else entry


def _nodes(document: dict) -> list:
    found = next((document[key] for key in NODES if isinstance(document.get(key), list)), [])
    return [_content(node) for node in found]


def _links(document: dict) -> list:
    for key in LINKS:
        if isinstance(document.get(key), list):
            return [_content(entry) for entry in document[key]]
    rows = document.get(ADJACENCY)
    if isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        nodes = _nodes(document)
        heads = [_id(node, place) for place, node in enumerate(nodes)] + [None] * (len(rows) - len(nodes))
        return [_from_head(head, other) for head, row in zip(heads, rows) for other in row]
    raise SeedlotError(
        "the JSON document has no list of links", todo="expected 'links', 'edges' or 'adjacency'"
    )


def _from_head(head: str | None, other: object) -> object:
    """An entry of an adjacency row as a link; anything but an object stays what it is, to be refused."""
    if not isinstance(other, dict):
        return other
    return {**other, "source": head, "target": other.get("id")}


def _text(value: object) -> str | None:
    """An id as a label: text or a whole number."""
    if isinstance(value, str) and value:
        return value
    return str(value) if type(value) is int or (type(value) is float and value == value) else None


def _id(node: object, place: int) -> str:
    stated = node.get("id") if isinstance(node, dict) else node
    return _text(stated) or str(place)


def _link(entry: object) -> tuple[tuple[str, str], float, str]:
    """(ends, weight or NaN, reason for a reject or '')."""
    if not isinstance(entry, dict):
        return ("", ""), np.nan, "not_an_object"
    ends = [next((_text(entry[key]) for key in keys if key in entry), None) for keys in (SRC, DST)]
    if None in ends:
        return ("", ""), np.nan, "bad_id"
    stated = next((entry[key] for key in WEIGHT if key in entry), None)
    if stated is None:
        return (ends[0], ends[1]), np.nan, ""
    if type(stated) not in (int, float) or not abs(stated) < 1e300:
        return ("", ""), np.nan, "bad_weight"
    return (ends[0], ends[1]), float(stated), ""


def count(data: bytes, args: dict) -> int:
    """Length of the link list."""
    return len(_links(_document(data)))
