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

from collections import namedtuple

import numpy as np
from numba import njit

from seedlot.config.errors import unknown
from seedlot.studies.lgd_na.counts import common_neighbours, link_ids
from seedlot.studies.lgd_na.exact import sign_of_sum
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.rowsum import row_sum
from seedlot.studies.lgd_na.unitfractions import fraction_bits, safe_gap, two_adic

RULES = {"ra2": 0, "ra2num": 1, "cnd": 2, "degree": 3}
RA2, RA2NUM, CND, DEGREE = RULES.values()
TIES = {"exact": 0, "csr": 1, "round9": 2}
EXACT, CSR, ROUND9 = TIES.values()

# Columns of State.node: one cache line for each node. IMAGE and KEY wrap modulo 2^64 on purpose.
DEG, U, C, X, Q, IMAGE, KEY, MARK = range(8)
VALUE, ERROR = range(2)  # columns of State.score
FIXED, ADIC = range(2)  # columns of State.unit_fraction, whose row c stands for 1/(1 + c)

State = namedtuple(
    "State",
    # nbr, eid: rows start[i] .. start[i] + length[i] in ascending order, some of the entries already removed
    "rule ties nbr eid start length cn alive node score unit_fraction scale bits unit safe tree",
)


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
    bits = _fixed_bits(graph, code)
    scale_bits, adic = two_adic(top)
    fixed = (1 << bits) // np.arange(1, top + 1, dtype=np.int64)
    node = np.zeros((n, 8), np.int64)
    node[:, DEG] = graph.degree
    node[:, MARK] = -1
    width = 1 << max(1, (max(n, 1) - 1).bit_length())
    state = State(
        code, TIES[ties], graph.indices.copy(), eid, graph.indptr[:-1].copy(), graph.degree, cn, np.ones(n, np.bool_),
        node, np.zeros((n, 2)), np.stack([fixed, adic], axis=1), 1 << scale_bits, bits, 2.0**-bits,
        safe_gap(top, scale_bits), np.full(2 * width, -1, np.int32),
    )  # fmt: skip
    _fill(state)
    return state


def _fixed_bits(graph: Graph, code: int) -> int:
    """Fraction bits of the graph's sums, see fraction_bits."""
    degree, largest = graph.degree, int(graph.degree.max(initial=0))
    if code in (CND, DEGREE) or graph.m == 0:
        return fraction_bits(largest, largest)
    reach = np.add.reduceat(np.append(degree[graph.indices] + 1, 0), graph.indptr[:-1])
    return fraction_bits(largest, int(reach[degree > 0].max()), products=True)


@njit(cache=True)
def _fill(s):
    """Sums of every node, then the tournament."""
    n = len(s.node)
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
        _refresh(s, i)
    width = len(s.tree) // 2
    for i in range(n):
        s.tree[width + i] = i
    for a in range(width - 1, 0, -1):
        s.tree[a] = _winner(s, s.tree[2 * a], s.tree[2 * a + 1])


@njit(cache=True)
def _refresh(s, i):
    """Renew value, error bound and key of node i from its sums."""
    own = s.node[i]
    d = own[DEG]
    if s.ties != EXACT:
        key, value, error = 0, _float_score(s, i), 0.0
    elif s.rule == CND:
        value = own[X] * s.unit
        error = d * s.unit + value * 2.0**-52
        key = own[IMAGE]
    elif s.rule == RA2:
        whole = own[X] >> s.bits
        part = (own[X] - (whole << s.bits)) * s.unit
        base = (d + 1) * whole - d * d - own[U] + own[C]
        value = base + (d + 1) * part
        error = (d + 1) * own[U] * s.unit + (abs(base) + 2 * (d + 1)) * 2.0**-51
        key = (d + 1) * own[IMAGE] - s.scale * (d * d + own[U] - own[C])
    else:
        key = d * (own[U] - d - own[C]) - own[Q] if s.rule == RA2NUM else d
        value = float(key)
        error = abs(value) * 2.0**-52
    own[KEY], s.score[i, VALUE], s.score[i, ERROR] = key, value, error


@njit(cache=True)
def _float_score(s, i):
    """Score of node i in float64, summed like a sparse row; in units of 1e-9 when rounded."""
    weights, size, d = np.empty(s.length[i]), 0, s.node[i, DEG]
    for p in range(s.start[i], s.start[i] + s.length[i]):
        j = s.nbr[p]
        if s.alive[j]:
            c, dj = s.cn[s.eid[p]], s.node[j, DEG]
            num = 1 if s.rule == CND or s.rule == DEGREE else (d - c) * (dj - c)
            weights[size] = num / (1 + c) if s.rule == RA2 or s.rule == CND else float(num)
            size += 1
    total = row_sum(weights, size)
    return np.rint(total * 1e9) if s.ties == ROUND9 else total


@njit(cache=True)
def _winner(s, i, j):
    """The better of two nodes, either of which may be -1 (none)."""
    if i < 0 or j < 0:
        return max(i, j)
    gap = s.score[i, VALUE] - s.score[j, VALUE]
    reach = (s.score[i, ERROR] + s.score[j, ERROR]) * (1.0 + 2.0**-40)
    if gap > reach:
        return i
    if -gap > reach:
        return j
    a, b = s.node[i, KEY], s.node[j, KEY]
    if s.rule == RA2NUM or s.rule == DEGREE or s.ties != EXACT:
        sign = (a > b) - (a < b)
    elif a == b and abs(gap) + reach < s.safe:
        sign = 0
    else:
        sign = _exact_sign(s, i, j)
    if sign == 0:
        return min(i, j)
    return i if sign > 0 else j


@njit(cache=True)
def _exact_sign(s, i, j):
    """Sign of score(i) - score(j) from the numerators per common-neighbour value."""
    num = np.zeros(len(s.unit_fraction), np.int64)
    for side in range(2):
        a = i if side == 0 else j
        sign = 1 if side == 0 else -1
        own = s.node[a]
        for p in range(s.start[a], s.start[a] + s.length[a]):
            b = s.nbr[p]
            if s.alive[b]:
                weight = (own[DEG] + 1) * (s.node[b, DEG] + 1) if s.rule == RA2 else 1
                num[s.cn[s.eid[p]]] += sign * weight
        if s.rule == RA2:
            num[0] -= sign * (own[DEG] * own[DEG] + own[U] - own[C])
    return sign_of_sum(num)


@njit(cache=True)
def _compact(s, i):
    """Forget removed neighbours of i; the rest keep their order."""
    kept = s.start[i]
    for p in range(s.start[i], s.start[i] + s.length[i]):
        if s.alive[s.nbr[p]]:
            s.nbr[kept], s.eid[kept] = s.nbr[p], s.eid[p]
            kept += 1
    s.length[i] = kept - s.start[i]


@njit(cache=True)
def _lose_triangle(s, e, a, b):
    """Link e = (a, b) has one common neighbour fewer; degrees are those before the removal."""
    c = s.cn[e]
    s.cn[e] = c - 1
    na, nb = s.node[a], s.node[b]
    na[C] -= 1
    nb[C] -= 1
    step = s.unit_fraction[c - 1, FIXED] - s.unit_fraction[c, FIXED]
    turn = s.unit_fraction[c - 1, ADIC] - s.unit_fraction[c, ADIC]
    if s.rule == CND:
        na[X] += step
        nb[X] += step
        na[IMAGE] += turn
        nb[IMAGE] += turn
    elif s.rule == RA2:
        na[X] += (nb[DEG] + 1) * step
        nb[X] += (na[DEG] + 1) * step
        na[IMAGE] += (nb[DEG] + 1) * turn
        nb[IMAGE] += (na[DEG] + 1) * turn
    else:  # c (d - c) becomes (c - 1)(d - c + 1), which is 2 c - d - 1 more
        na[Q] += 2 * c - nb[DEG] - 1
        nb[Q] += 2 * c - na[DEG] - 1


@njit(cache=True)
def _drop_link(s, u, e, dv):
    """Take the link e to the removed node (degree dv) out of the sums of its neighbour u."""
    c, own = s.cn[e], s.node[u]
    num = dv + 1 if s.rule == RA2 else 1
    own[U] -= dv + 1
    own[C] -= c
    own[X] -= num * s.unit_fraction[c, FIXED]
    own[IMAGE] -= num * s.unit_fraction[c, ADIC]
    own[Q] -= c * (dv - c)


@njit(cache=True)
def _inner_links(s, v, ring, r, size):
    """Update every link from ring[r] to a later ring node, by the cheaper of a scan and binary searches."""
    u = ring[r]
    first, stop = s.start[u], s.start[u] + s.length[u]
    if s.length[u] <= 16 * (size - r):
        for p in range(first, stop):
            w = s.nbr[p]
            if w > u and s.node[w, MARK] == v and s.alive[w]:
                _lose_triangle(s, s.eid[p], u, w)
        return
    for k in range(r + 1, size):  # ring is ascending: each search starts where the last one ended
        low, high = first, stop
        while low < high:
            middle = (low + high) >> 1
            if s.nbr[middle] < ring[k]:
                low = middle + 1
            else:
                high = middle
        first = low
        if low < stop and s.nbr[low] == ring[k]:
            _lose_triangle(s, s.eid[low], u, ring[k])


@njit(cache=True)
def _lower_degree(s, u, stamp, touched, count):
    """Tell the neighbours of u that its degree falls by one; lists those not yet marked, returns the count."""
    for p in range(s.start[u], s.start[u] + s.length[u]):
        w = s.nbr[p]
        if not s.alive[w]:
            continue
        c, far = s.cn[s.eid[p]], s.node[w]
        far[U] -= 1
        if s.rule == RA2:
            far[X] -= s.unit_fraction[c, FIXED]
            far[IMAGE] -= s.unit_fraction[c, ADIC]
        else:
            far[Q] -= c
        if far[MARK] != stamp:
            far[MARK] = stamp
            touched[count] = w
            count += 1
    return count


@njit(cache=True)
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
        for r in range(size):
            _inner_links(s, v, ring, r, size)
            _drop_link(s, ring[r], ring_eid[r], s.node[v, DEG])
    if s.rule == RA2 or s.rule == RA2NUM:
        stamp = len(s.node) + v  # "listed as touched by v", distinct from every "neighbour of v"
        for r in range(size):
            s.node[ring[r], MARK] = stamp
        for r in range(size):
            count = _lower_degree(s, ring[r], stamp, touched, count)
    for r in range(size):
        u = ring[r]
        s.node[u, DEG] -= 1
        if 2 * s.node[u, DEG] < s.length[u]:
            _compact(s, u)
    for t in range(count):
        _refresh(s, touched[t])
    return count


@njit(cache=True)
def _replay(s, touched, count, stamp, seen, queue, fresh):
    """Renew the tournament above the touched leaves, level by level, stopping where nothing changed."""
    width = len(s.tree) // 2
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
            old = s.tree[a]
            new = _winner(s, s.tree[2 * a], s.tree[2 * a + 1])
            s.tree[a] = new
            if new != old or (new >= 0 and fresh[new] == stamp):
                queue[above] = a
                above += 1
        count = above


@njit(cache=True)
def _order(s, dynamic):
    n, width = len(s.node), len(s.tree) // 2
    order = np.empty(n, np.int32)
    ring, ring_eid = np.empty(n, np.int64), np.empty(n, np.int64)
    touched, queue = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    seen, fresh = np.full(width, -1, np.int64), np.full(n, -1, np.int64)
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
