"""KONECT's `out.*` files: `%` header, then `i j [weight [time]]`, ids from 1.

Own, on `tokens` and `edgelist`: the header decides direction and node sets, which no general reader knows.
`sym` is undirected, `asym` directed, `bip` bipartite, where both columns number from 1 and the second set
follows the first. The weight scheme decides whether a third column is a weight. A record is a data line.
"""

from __future__ import annotations

import re

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.edgelist import Layout, links
from seedlot.formats.graphs.model import RawGraph

FORMATS = ("sym", "asym", "bip")


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a KONECT file.

    The second `%` line, where present, declares links, nodes (or left and right nodes). Nodes are 1..n with n
    the declared size where all ids fit and it is in proportion to the file, the mentioned ids otherwise.
    Rejects as in `edgelist`; an id below 1 is 'bad_id'. Raises SeedlotError without a known first line.
    """
    for key in args:
        if key != "format":
            raise SeedlotError(f"this format has no reader option '{key}'")
    data = tokens.normalise(data)
    kind, scheme, declared = _head(data)
    fields = tokens.split(data, None, b"%")
    layout = Layout(0, 1, directed=kind == "asym")
    if len(fields) and int(fields.width.max()) > 2:
        layout = Layout(
            0, 1, weight=2, time=3 if int(fields.width.max()) > 3 else None, directed=kind == "asym"
        )
    graph = links(fields, layout)
    graph.notes = {"format": kind, "weights": scheme, **{f"declared_{k}": v for k, v in enumerate(declared)}}
    if not graph.kept:
        return [graph]
    if kind == "bip":
        return [_two_sets(graph, declared, len(data))]
    n = declared[1] if len(declared) > 1 else 0
    return [_declared(graph, n, len(data))]


def _head(data: bytes) -> tuple[str, str, list[int]]:
    """(format, weight scheme, declared sizes) from the first lines."""
    lines = [row.strip() for row in data[:4096].split(b"\n")]
    words = lines[0].lstrip(b"% ").decode("latin-1").split() if lines[0].startswith(b"%") else []
    if not words or words[0] not in FORMATS:
        raise unknown("KONECT format", words[0] if words else "", FORMATS, where="line 1")
    second = lines[1][1:].split() if len(lines) > 1 and lines[1].startswith(b"%") else []
    declared = [int(k) for k in second] if all(k.isdigit() and len(k) < 16 for k in second) else []
    return words[0], words[1] if len(words) > 1 else "", declared


def _ids(graph: RawGraph) -> tuple[np.ndarray, np.ndarray]:
    """The links as original ids."""
    if graph.labels is None:
        return graph.src + graph.id_base, graph.dst + graph.id_base
    if not all(re.fullmatch("[0-9]{1,18}", label) for label in graph.labels):
        raise SeedlotError("the ids of a KONECT file are whole numbers from 1")
    number = np.array([int(label) for label in graph.labels], np.int64)
    return number[graph.src], number[graph.dst]


def _declared(graph: RawGraph, n: int, size: int) -> RawGraph:
    """The same links with nodes 1..n when every id lies there."""
    src, dst = _ids(graph)
    low, high = int(min(src.min(), dst.min())), int(max(src.max(), dst.max()))
    if low >= 1 and high <= n:
        graph.n = limits.check_nodes(n, size, "line 2")
        graph.labels, graph.id_base, graph.src, graph.dst = None, 1, src - 1, dst - 1
    return graph


def _two_sets(graph: RawGraph, declared: list[int], size: int) -> RawGraph:
    """Both columns number their own set from 1; the second set is put behind the first.

    Without a declaration the sets are the mentioned ids of each column, by way of labels."""
    src, dst = _ids(graph)
    graph.bipartite, graph.directed = True, False
    left, right = declared[1:3] if len(declared) > 2 else (0, 0)
    if min(src.min(), dst.min()) >= 1 and src.max() <= left and dst.max() <= right:
        graph.n = limits.check_nodes(left + right, size, "line 2")
        graph.n_left, graph.src, graph.dst = left, src - 1, dst - 1 + left
        graph.labels = [str(k + 1) for k in range(left)] + [str(k + 1) for k in range(right)]
        return graph
    left_ids, graph.src = np.unique(src, return_inverse=True)
    right_ids, place = np.unique(dst, return_inverse=True)
    graph.n_left, graph.n = len(left_ids), len(left_ids) + len(right_ids)
    graph.dst = place + len(left_ids)
    graph.labels = [str(k) for k in left_ids.tolist()] + [str(k) for k in right_ids.tolist()]
    return graph


def count(data: bytes, args: dict) -> int:
    """Lines that are neither blank nor begin with `%`."""
    rows = (row.strip() for row in tokens.normalise(data).split(b"\n"))
    return sum(bool(row) and not row.startswith(b"%") for row in rows)
