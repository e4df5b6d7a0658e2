"""METIS graph files: a header `n m [fmt [ncon]]`, then one line of neighbours for every vertex.

Own, on `tokens`: networkit's reader is correct but ends the process on some malformed files and knows no
vertex sizes. fmt is up to three digits: vertex sizes, vertex weights, edge weights. A blank line is a
vertex without neighbours, a line that begins with % is a comment. Each edge stands in the lists of both
ends, so a record is an entry whose neighbour is not before its vertex; the entries of the other direction
are no records unless the edge is missing on the first side.
"""

from __future__ import annotations

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.model import RawGraph, Reject


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of a METIS file, undirected, nodes numbered from 1.

    Rejects: 'bad_id', 'out_of_range', 'bad_weight', 'ragged' (an entry without its weight), 'one_sided' (an
    entry for an earlier vertex that does not list it back). Raises SeedlotError for a broken header and for
    a number of lines that is not n.
    """
    for key in args:
        if key != "format":
            raise SeedlotError(f"this format has no reader option '{key}'")
    n, m, skip, weighted, lines, numbers = _parts(data)
    vertex, neighbour, weight, line, bad = _entries(lines, numbers, skip, weighted, n)
    code = np.minimum(vertex, neighbour) * n + np.maximum(vertex, neighbour)
    keep = (bad == 0) & (neighbour >= vertex)
    back = np.flatnonzero((bad == 0) & (neighbour < vertex))
    bad[back[~np.isin(code[back], code[keep])]] = 5
    rows = np.flatnonzero(bad)
    limits.check_rejects(len(rows), "adjacency lists")
    rejects = [
        Reject(
            int(line[r]), int(r), REASONS[int(bad[r])], f"vertex {vertex[r] + 1}, entry {neighbour[r] + 1}"
        )
        for r in rows
    ]
    return [
        RawGraph(
            name="",
            n=n,
            labels=None,
            id_base=1,
            src=vertex[keep],
            dst=neighbour[keep],
            directed=False,
            weight=weight[keep] if weighted else None,
            read=int(keep.sum()) + len(rows),
            kept=int(keep.sum()),
            rejects=rejects,
            notes={"edges_declared": m},
        )
    ]


REASONS = {1: "bad_id", 2: "out_of_range", 3: "bad_weight", 4: "ragged", 5: "one_sided"}


def _parts(data: bytes) -> tuple[int, int, int, bool, list[bytes], list[int]]:
    """(n, m, vertex fields before the neighbours, edge weights?, adjacency lines, their line numbers)."""
    lines = tokens.normalise(data).removesuffix(b"\n").split(b"\n")
    numbered = [(k, row) for k, row in enumerate(lines, 1) if row.lstrip()[:1] != b"%"]
    while numbered and not numbered[0][1].strip():
        numbered.pop(0)
    head = numbered[0][1].split() if numbered else []
    if not 2 <= len(head) <= 4 or not all(word.isdigit() and len(word) < 18 for word in head):
        raise SeedlotError("the METIS header is not 'n m [fmt [ncon]]'", where="line 1")
    n = limits.check_nodes(int(head[0]), len(data), "header")
    flags = head[2].rjust(3, b"0") if len(head) > 2 else b"000"
    if len(flags) != 3 or flags.strip(b"01"):
        raise SeedlotError(
            f"the METIS fmt '{head[2].decode()}' is not of three digits 0 or 1", where="header"
        )
    weights = int(head[3]) if len(head) > 3 else 1
    skip = (flags[0:1] == b"1") + (flags[1:2] == b"1") * min(weights, limits.FREE_NODES)
    body = numbered[1:]
    while len(body) > n and not body[-1][1].strip():
        body.pop()
    if len(body) != n:
        raise SeedlotError(f"the header declares {n:,} vertices, {len(body):,} lines follow")
    return n, int(head[1]), skip, flags[2:] == b"1", [row for _, row in body], [k for k, _ in body]


def _entries(lines: list[bytes], numbers: list[int], skip: int, weighted: bool, n: int):
    """(vertex, neighbour, weight, line, reason code) of every neighbour entry; 0-based vertices."""
    fields = tokens.split(b"\n".join(row or b" " for row in lines), None, b"")
    step = 2 if weighted else 1
    each = np.maximum(fields.width - skip, 0)
    entries = -(-each // step)
    total = int(entries.sum())
    row = np.repeat(np.arange(len(fields)), entries)
    within = np.arange(total) - np.repeat(np.cumsum(entries) - entries, entries)
    at = fields.first[row] + skip + step * within
    vertex = fields.line[row] - 1
    value, good = tokens.integers(tokens.gather(fields.buf, fields.start[at], fields.end[at]))
    neighbour = value - 1
    bad = np.where(good, np.where((neighbour < 0) | (neighbour >= n), 2, 0), 1)
    weight = np.full(total, np.nan)
    if weighted:
        whole = np.flatnonzero(skip + step * within + 1 < fields.width[row])
        bad[np.setdiff1d(np.arange(total), whole)] = 4
        spot = at[whole] + 1
        weight[whole], fine = tokens.numbers(tokens.gather(fields.buf, fields.start[spot], fields.end[spot]))
        bad[whole[~fine & (bad[whole] == 0)]] = 3
    neighbour = np.where(bad == 0, neighbour, -1)
    return vertex, neighbour, weight, np.array(numbers, np.int64)[vertex], bad


def count(data: bytes, args: dict) -> int:
    """Neighbour entries less the second writings, by a set of pairs and vertex by vertex."""
    n, _, skip, weighted, lines, _ = _parts(data)
    step = 2 if weighted else 1
    first, second, refused = [], [], 0
    for vertex, row in enumerate(lines, 1):
        words = row.split()[skip:]
        for k in range(0, len(words), step):
            other = int(words[k]) if words[k].isdigit() and len(words[k]) < 18 else 0
            if not 1 <= other <= n or len(words) < k + step or (weighted and not _number(words[k + 1])):
                refused += 1
            elif other >= vertex:
                first.append((vertex, other))
            else:
                second.append((other, vertex))
    known = set(first)
    return len(first) + refused + sum(pair not in known for pair in second)


def _number(word: bytes) -> bool:
    try:
        return np.isfinite(float(word))
    except ValueError:
        return False
