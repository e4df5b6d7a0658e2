"""Removal orders of the local rules (RA2, RA2num, CND, degree), incremental and with exact ties.

With d the degrees and c the common neighbours of a link, the score of a node is the sum over its links of

    CND 1/(1 + c)    RA2num (d_i - c)(d_j - c)    RA2 (d_i - c)(d_j - c)/(1 + c)    degree 1

and expanding the products leaves sums in which a removal changes few terms:

    U = sum(d_j + 1), C = sum(c), X = sum((d_j + 1)/(1 + c)), Q = sum(c (d_j - c))
    RA2 = (d_i + 1) X - d_i^2 - U + C          RA2num = d_i (U - d_i - C) - Q

Every sum is kept in integers, so nothing drifts and no order of links or updates can change a bit:
- X twice, as fixed point sum(num * floor(2^F/(1 + c))) with the rigorous error 0 <= error < U (CND: < d)
  units, and as a 2-adic image sum(num * 2^E/(1 + c)) mod 2^64, which is the same for equal rationals;
- two scores whose error intervals are disjoint are ordered by them; of two that overlap with equal images,
  the difference times the least common multiple of all 1 + c is an integer that 2^64 divides, so it is
  zero whenever the interval shows it to be below 2^64. What is left is decided in long integers (exact.py).

The largest score wins, an exact tie goes to the lowest index. A tournament tree holds the winner.
Overflow: all int64 sums are bounded by (max degree + 1) * max U, which never grows; fraction_bits
refuses a graph above 2^61 there (a hub of 10^6 links in a graph of 10^8 links reaches 2^48).
"""

from __future__ import annotations

import numpy as np

from seedlot.config.errors import unknown
from seedlot.studies.lgd_na.counts import common_neighbours, link_ids
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.jit import kernel
from seedlot.studies.lgd_na.scores import (
    ADIC,
    CND,
    DEG,
    DEGREE,
    FIXED,
    IMAGE,
    MARK,
    RA2,
    RA2NUM,
    RULES,
    TIES,
    C,
    Q,
    State,
    U,
    X,
    refresh,
    winner,
)
from seedlot.studies.lgd_na.unitfractions import fraction_bits, safe_gaps, two_adic


def removal_order(graph: Graph, rule: str, *, dynamic: bool = True, ties: str = "exact") -> np.ndarray:
    """All nodes in removal order, int32 [n].

    rule: ra2, ra2num, cnd or degree. dynamic: scores are renewed after every removal, else the scores of
    the intact graph decide. ties: `exact`, or scores in float64 summed like the rows of a sparse matrix,
    as they are (`csr`) or rounded to 1e-9 (`round9`); both depend on rounding and exist to repeat
    published numbers. Once no link is left the remaining nodes follow by index.
    """
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    if ties not in TIES:
        raise unknown("tie rule", ties, TIES)
    return _order(initial_state(graph, rule, ties), dynamic)


def initial_state(graph: Graph, rule: str, ties: str = "exact") -> State:
    """The State of the intact graph: sums, tables of 1/(1 + c), tournament."""
    code, n = RULES[rule], graph.n
    counted = code != DEGREE
    eid = link_ids(graph.indptr, graph.indices)
    cn = common_neighbours(graph.indptr, graph.indices, eid) if counted else np.zeros(graph.m, np.int32)
    top = int(cn.max(initial=0)) + 1
    largest, reach = int(graph.degree.max(initial=0)), _reach(graph) if code in (RA2, RA2NUM) else 1
    bits = fraction_bits(largest, max(reach, largest), products=code in (RA2, RA2NUM))
    scale_bits, adic = two_adic(top)
    fixed = (1 << bits) // np.arange(1, top + 1, dtype=np.int64)
    node = np.zeros((n, 8), np.int64)
    node[:, DEG] = graph.degree
    node[:, MARK] = -1
    coarse = 2.001 * (largest + 1) * (reach * 2.0**-bits + 2.0**-50)  # above the absolute parts of two errors
    width = 1 << max(1, (max(n, 1) - 1).bit_length())
    narrow = np.int32 if graph.m < 2**31 else np.int64
    state = State(
        code, TIES[ties], graph.indices.copy(), eid.astype(narrow), graph.indptr[:-1].copy(), graph.degree, cn,
        np.ones(n, np.bool_), node, np.zeros(n), np.stack([fixed, adic], axis=1), 1 << scale_bits, bits,
        2.0**-bits, coarse, safe_gaps(top, scale_bits), np.zeros(top, np.int64), np.full(2 * width, -1, np.int32),
    )  # fmt: skip
    _fill(state)
    return state


def _reach(graph: Graph) -> int:
    """Largest sum of degree + 1 over the neighbours of a node: a bound of U and X, now and later."""
    degree = graph.degree
    sums = np.add.reduceat(np.append(degree[graph.indices] + 1, 0), graph.indptr[:-1])
    return int(sums[degree > 0].max(initial=1))


# The kernels loop inside: a State passed to a function that is not inlined costs a hundred machine words.


@kernel
def _fill(s):
    """Sums of every node, then the tournament."""
    n = len(s.node)
    every = np.arange(n)
    for i in range(n):
        own = s.node[i]
        for p in range(s.start[i], s.start[i] + s.length[i]):
            c, dj = s.cn[s.eid[p]], s.node[s.nbr[p], DEG]
            num = dj + 1 if s.rule == RA2 else 1
            own[U] += dj + 1
            own[C] += c
            own[X] += num * s.unit_fraction[c, FIXED]
            own[IMAGE] += num * s.unit_fraction[c, ADIC]
            own[Q] += c * (dj - c)
    refresh(s, every, n)
    width = len(s.tree) // 2
    for i in range(n):
        s.tree[width + i] = i
    for a in range(width - 1, 0, -1):
        s.tree[a] = winner(s, s.tree[2 * a], s.tree[2 * a + 1])


@kernel
def _compact(s, i):
    """Forget removed neighbours of i; the rest keep their order."""
    kept = s.start[i]
    for p in range(s.start[i], s.start[i] + s.length[i]):
        if s.alive[s.nbr[p]]:
            s.nbr[kept], s.eid[kept] = s.nbr[p], s.eid[p]
            kept += 1
    s.length[i] = kept - s.start[i]


@kernel
def _lose_triangle(rule, cn, node, table, e, a, b):
    """Link e = (a, b) has one common neighbour fewer; degrees are those before the removal."""
    c = cn[e]
    cn[e] = c - 1
    na, nb = node[a], node[b]
    na[C] -= 1
    nb[C] -= 1
    step = table[c - 1, FIXED] - table[c, FIXED]
    turn = table[c - 1, ADIC] - table[c, ADIC]
    if rule == CND:
        na[X] += step
        nb[X] += step
        na[IMAGE] += turn
        nb[IMAGE] += turn
    elif rule == RA2:
        na[X] += (nb[DEG] + 1) * step
        nb[X] += (na[DEG] + 1) * step
        na[IMAGE] += (nb[DEG] + 1) * turn
        nb[IMAGE] += (na[DEG] + 1) * turn
    else:  # c (d - c) becomes (c - 1)(d - c + 1), which is 2 c - d - 1 more
        na[Q] += 2 * c - nb[DEG] - 1
        nb[Q] += 2 * c - na[DEG] - 1


@kernel
def _drop_links(s, ring, ring_eid, size, dv):
    """Take the links to the removed node (degree dv) out of the sums of its neighbours ring[:size]."""
    num = dv + 1 if s.rule == RA2 else 1
    for r in range(size):
        c, own = s.cn[ring_eid[r]], s.node[ring[r]]
        own[U] -= dv + 1
        own[C] -= c
        own[X] -= num * s.unit_fraction[c, FIXED]
        own[IMAGE] -= num * s.unit_fraction[c, ADIC]
        own[Q] -= c * (dv - c)


@kernel
def _inner_links(s, v, ring, size):
    """Update every link between two of ring[:size], ascending and marked v, by the cheaper of a scan and binary
    searches."""
    rule, nbr, eid, cn, node, alive, table = s.rule, s.nbr, s.eid, s.cn, s.node, s.alive, s.unit_fraction
    for r in range(size):
        u = ring[r]
        first, stop = s.start[u], s.start[u] + s.length[u]
        if s.length[u] <= 16 * (size - r):
            for p in range(first, stop):
                w = nbr[p]
                if w > u and node[w, MARK] == v and alive[w]:
                    _lose_triangle(rule, cn, node, table, eid[p], u, w)
            continue
        for k in range(r + 1, size):  # each search starts where the last one ended
            low, high = first, stop
            while low < high:
                middle = (low + high) >> 1
                if nbr[middle] < ring[k]:
                    low = middle + 1
                else:
                    high = middle
            first = low
            if low < stop and nbr[low] == ring[k]:
                _lose_triangle(rule, cn, node, table, eid[low], u, nbr[low])


@kernel
def _lower_degrees(s, ring, size, stamp, touched):
    """Tell the neighbours of ring[:size] that its degrees fall by one; add those not yet marked to
    touched[size:] and return how many are listed."""
    nbr, eid, cn, node, alive, table = s.nbr, s.eid, s.cn, s.node, s.alive, s.unit_fraction
    count = size
    for r in range(size):
        u = ring[r]
        for p in range(s.start[u], s.start[u] + s.length[u]):
            w = nbr[p]
            if not alive[w]:
                continue
            c, far = cn[eid[p]], node[w]
            far[U] -= 1
            if s.rule == RA2:
                far[X] -= table[c, FIXED]
                far[IMAGE] -= table[c, ADIC]
            else:
                far[Q] -= c
            if far[MARK] != stamp:
                far[MARK] = stamp
                touched[count] = w
                count += 1
    return count


@kernel
def _remove(s, v, ring, ring_eid, touched):
    """Remove node v, keep all sums true, list the nodes whose score may have changed; returns how many."""
    size = 0
    for p in range(s.start[v], s.start[v] + s.length[v]):
        if s.alive[s.nbr[p]]:
            ring[size], ring_eid[size], touched[size] = s.nbr[p], s.eid[p], s.nbr[p]
            size += 1
    s.alive[v] = False
    count = size
    if s.rule != DEGREE:
        for r in range(size):
            s.node[ring[r], MARK] = v
        _inner_links(s, v, ring, size)
        _drop_links(s, ring, ring_eid, size, s.node[v, DEG])
    if s.rule == RA2 or s.rule == RA2NUM:
        stamp = len(s.node) + v  # "listed as touched by v", distinct from every "neighbour of v"
        for r in range(size):
            s.node[ring[r], MARK] = stamp
        count = _lower_degrees(s, ring, size, stamp, touched)
    for r in range(size):
        u = ring[r]
        s.node[u, DEG] -= 1
        if 2 * s.node[u, DEG] < s.length[u]:
            _compact(s, u)
    refresh(s, touched, count)
    return count


@kernel
def _replay(s, touched, count, stamp, seen, queue, fresh):
    """Renew the tournament above the touched leaves, level by level, stopping where nothing changed."""
    tree, value, coarse = s.tree, s.value, s.coarse
    width = len(tree) // 2
    for t in range(count):
        fresh[touched[t]] = stamp
        queue[t] = width + touched[t]
    while count > 0 and queue[0] > 1:
        above = 0
        for t in range(count):
            a = queue[t] >> 1
            if seen[a] == stamp:
                continue
            seen[a] = stamp
            old, i, j = tree[a], tree[2 * a], tree[2 * a + 1]
            if i < 0 or j < 0:
                new = max(i, j)
            elif abs(value[i] - value[j]) > coarse + (abs(value[i]) + abs(value[j])) * 2.0**-49:
                new = i if value[i] > value[j] else j
            else:
                new = winner(s, i, j)
            tree[a] = new
            if new != old or (new >= 0 and fresh[new] == stamp):
                queue[above] = a
                above += 1
        count = above


@kernel
def _order(s, dynamic):
    n, width = len(s.node), len(s.tree) // 2
    order = np.empty(n, np.int32)
    ring, ring_eid = np.empty(n, np.int64), np.empty(n, np.int64)
    touched, queue = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    seen, fresh = np.full(width, -1, np.int32), np.full(n, -1, np.int32)
    links = len(s.cn)
    for t in range(n):
        v = np.int64(s.tree[1])
        order[t] = v
        count = 0
        if dynamic:
            links -= s.node[v, DEG]
            if links == 0:  # only isolated nodes are left, all with score 0
                s.alive[v] = False
                for i in range(n):
                    if s.alive[i]:
                        t += 1
                        order[t] = i
                break
            count = _remove(s, v, ring, ring_eid, touched)
        s.tree[width + v] = -1
        touched[count] = v
        _replay(s, touched, count + 1, t, seen, queue, fresh)
    return order
