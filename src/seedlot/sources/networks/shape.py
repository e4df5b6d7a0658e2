"""Is it the same network under other names? A label-blind fingerprint, and a proof for equal fingerprints.

The fingerprint is three rounds of colour refinement (Weisfeiler & Leman 1968): equal graphs have equal
fingerprints, unequal graphs mostly have unequal ones. Two networks count as duplicates only after `isomorphic`
has found a numbering under which their links are equal, link by link.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROUNDS = 3
MAX_ROUNDS = 50
LINKS_TOUCHED = 400_000_000
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Adjacency:
    """Both directions of every link: neighbours of node i are near[start[i]:start[i + 1]]. n nodes, m links."""

    n: int
    m: int
    start: np.ndarray
    near: np.ndarray
    src: np.ndarray
    dst: np.ndarray


def adjacency(n: int, src: np.ndarray, dst: np.ndarray) -> Adjacency:
    """Adjacency of a connected simple graph with n >= 2; src, dst: (m,) node numbers."""
    ends = np.concatenate((src, dst)).astype(np.int64)
    near = np.concatenate((dst, src)).astype(np.int64)
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(ends, minlength=n), out=start[1:])
    return Adjacency(n, len(src), start, near[np.argsort(ends, kind="stable")], src, dst)


def fingerprint(n: int, src: np.ndarray, dst: np.ndarray) -> str:
    """16 hex digits that do not depend on how the nodes are numbered. Integers only: equal on every machine."""
    graph = adjacency(n, src, dst)
    colours = np.ones(n, dtype=np.uint64)
    for _ in range(ROUNDS):
        colours = _round(graph, colours)
    digest = hashlib.sha256(f"{n} {len(src)}\n".encode())
    digest.update(np.sort(colours).astype("<u8").tobytes())
    return digest.hexdigest()[:16]


def isomorphic(one: Adjacency, two: Adjacency) -> bool | None:
    """Whether two connected graphs are equal up to numbering; None when the search was given up.

    Refinement and individualisation: first greedily, many independent places at a time, then with backtracking.
    Twins (nodes with the same neighbours) are told apart at once, which is safe since they can be exchanged
    freely. True rests on a comparison of all links; False on colours that cannot be matched. The search stops
    after LINKS_TOUCHED link visits.
    """
    if (one.n, one.m) != (two.n, two.m):
        return False
    budget = max(20, LINKS_TOUCHED // (4 * one.m * MAX_ROUNDS))
    pair = _stable(one, _split_twins(one)), _stable(two, _split_twins(two))
    if not np.array_equal(np.sort(pair[0]), np.sort(pair[1])):
        return False
    mine, theirs = (_told_apart(graph, colours, budget) for graph, colours in zip((one, two), pair))
    if np.array_equal(np.sort(mine), np.sort(theirs)) and _same_links(one, two, mine, theirs):
        return True
    stack: list[Iterator[tuple[np.ndarray, np.ndarray]]] = [iter([pair])]
    while stack:
        pair = next(stack[-1], None)
        if pair is None:
            stack.pop()
            continue
        if budget == 0:
            return None
        budget -= 1
        mine, theirs = pair
        if not np.array_equal(np.sort(mine), np.sort(theirs)):
            continue
        cell = _smallest_cell(mine)
        if cell is None:
            if _same_links(one, two, mine, theirs):
                return True
            continue
        stack.append(_branches(one, two, mine, theirs, cell))
    return False


def _told_apart(graph: Adjacency, colours: np.ndarray, rounds: int) -> np.ndarray:
    """Colours refined until all are distinct or `rounds` are over, by arbitrary choices that need not fit.

    Nodes that share their colour form components once all others are taken away. Cells of components that do
    not meet can be treated at the same time; where every node of a cell has a component of its own, the
    components are taken as interchangeable and numbered, elsewhere one node is fixed.
    """
    for _ in range(rounds):
        _, cell, sizes = np.unique(colours, return_inverse=True, return_counts=True)
        loose = np.flatnonzero(sizes[cell] > 1)
        if not len(loose):
            break
        place = np.full(graph.n, -1, dtype=np.int64)
        place[loose] = np.arange(len(loose))
        inside = (place[graph.src] >= 0) & (place[graph.dst] >= 0)
        component = _components(len(loose), place[graph.src[inside]], place[graph.dst[inside]])
        count, cells = component.max() + 1, cell[loose]
        group = _components(count + len(sizes), component, count + cells)[count + cells]
        order = np.lexsort((loose, cells, sizes[cells], group))
        chosen_cells = cells[order][np.r_[True, np.diff(group[order]) != 0]]
        chosen = loose[np.isin(cells, chosen_cells)]
        number = _ordinal(cell[chosen])
        homes = np.unique(np.column_stack((cell[chosen], component[place[chosen]])), axis=0)[:, 0]
        alone = np.bincount(homes, minlength=len(sizes))[cell[chosen]] == sizes[cell[chosen]]
        colours = colours.copy()
        colours[chosen] ^= _mix(np.where(alone, number + np.uint64(1), np.minimum(number, np.uint64(1))))
        colours = _stable(graph, colours)
    return colours


def _components(n: int, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
    return connected_components(coo_array((np.ones(len(src)), (src, dst)), shape=(n, n)), directed=False)[1]


def _branches(
    one: Adjacency, two: Adjacency, mine: np.ndarray, theirs: np.ndarray, cell: np.uint64
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Fix the first node of a colour in one graph; try every node of that colour in the other."""
    fixed = mine.copy()
    fixed[np.flatnonzero(mine == cell)[0]] ^= _ODD
    fixed = _stable(one, fixed)
    for node in np.flatnonzero(theirs == cell):
        tried = theirs.copy()
        tried[node] ^= _ODD
        yield fixed, _stable(two, tried)


def _smallest_cell(colours: np.ndarray) -> np.uint64 | None:
    values, sizes = np.unique(colours, return_counts=True)
    shared = sizes > 1
    if not shared.any():
        return None
    return values[shared][np.argmin(sizes[shared])]


def _same_links(one: Adjacency, two: Adjacency, mine: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether matching equal colours (all distinct) maps the links of one graph onto those of the other."""
    image = np.empty(one.n, dtype=np.int64)
    image[np.argsort(mine)] = np.argsort(theirs)
    return np.array_equal(_keys(image[one.src], image[one.dst], one.n), _keys(two.src, two.dst, two.n))


def _keys(src: np.ndarray, dst: np.ndarray, n: int) -> np.ndarray:
    src, dst = src.astype(np.int64), dst.astype(np.int64)
    return np.sort(np.minimum(src, dst) * n + np.maximum(src, dst))


def _mix(values: np.ndarray) -> np.ndarray:
    """A bijection of 64-bit integers that scatters them (the finaliser of splitmix64)."""
    values = values + _ODD
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _round(graph: Adjacency, colours: np.ndarray) -> np.ndarray:
    """New colour of a node: its own, and the multiset of its neighbours' (a sum of scattered values)."""
    around = np.add.reduceat(_mix(colours)[graph.near], graph.start[:-1])
    return _mix(colours * np.uint64(3) + _mix(around))


def _stable(graph: Adjacency, colours: np.ndarray) -> np.ndarray:
    """Refine until the number of colours stops growing, at most MAX_ROUNDS times."""
    count = len(np.unique(colours))
    for _ in range(MAX_ROUNDS):
        if count == graph.n:
            break
        colours = _round(graph, colours)
        now = len(np.unique(colours))
        if now == count:
            break
        count = now
    return colours


def _split_twins(graph: Adjacency) -> np.ndarray:
    """Colours that number the members of every twin class 0, 1, 2 ... and agree elsewhere.

    Twins share all neighbours, or all neighbours and a link between themselves; a node is never both kinds.
    """
    name = _mix(np.arange(graph.n, dtype=np.uint64))
    open_set = np.add.reduceat(name[graph.near], graph.start[:-1])
    return _ordinal(open_set) + np.uint64(1) + _ordinal(open_set + name) * np.uint64(graph.n)


def _ordinal(groups: np.ndarray) -> np.ndarray:
    """Position of each entry among the equal ones before it, uint64."""
    order = np.argsort(groups, kind="stable")
    ranked = groups[order]
    first = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    sizes = np.diff(np.r_[first, len(ranked)])
    out = np.empty(len(groups), dtype=np.uint64)
    out[order] = np.arange(len(groups)) - np.repeat(first, sizes)
    return out
