"""Scores of nodes under the local rules and their exact comparison; engine.py says how it works."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from seedlot.studies.lgd_na.exact import sign_of_sum
from seedlot.studies.lgd_na.jit import kernel
from seedlot.studies.lgd_na.rowsum import row_sum

RULES = {"ra2": 0, "ra2num": 1, "cnd": 2, "degree": 3}
RA2, RA2NUM, CND, DEGREE = RULES.values()
TIES = {"exact": 0, "csr": 1, "round9": 2}
EXACT, CSR, ROUND9 = TIES.values()

# Columns of State.node: one cache line for each node. IMAGE wraps modulo 2^64 on purpose.
DEG, U, C, X, Q, IMAGE, MARK, _PAD = range(8)
FIXED, ADIC = range(2)  # columns of State.unit_fraction, whose row c stands for 1/(1 + c)

State = namedtuple(
    "State",
    # nbr, eid: rows start[i] .. start[i] + length[i] in ascending order, some of the entries already removed
    "rule ties nbr eid start length cn alive node value unit_fraction scale bits unit coarse safe count tree",
)


@kernel
def refresh(s, nodes, count):
    """Renew the scores, as floats, of nodes[:count] from their sums. The integer rules are exact up to 2^53."""
    node, value, bits, unit = s.node, s.value, s.bits, s.unit
    if s.ties != EXACT:
        for t in range(count):
            value[nodes[t]] = _float_score(s, nodes[t])
    elif s.rule == CND:
        for t in range(count):
            value[nodes[t]] = node[nodes[t], X] * unit
    elif s.rule == RA2:
        for t in range(count):
            own = node[nodes[t]]
            d, whole = own[DEG], own[X] >> bits
            part = (own[X] - (whole << bits)) * unit
            value[nodes[t]] = float((d + 1) * whole - d * d - own[U] + own[C]) + (d + 1) * part
    else:
        for t in range(count):
            value[nodes[t]] = float(key(s, nodes[t]))


@kernel
def key(s, i):
    """The score itself (integer rules), or its image modulo 2^64."""
    own = s.node[i]
    d = own[DEG]
    if s.rule == CND:
        return own[IMAGE]
    if s.rule == RA2:
        return (d + 1) * own[IMAGE] - s.scale * (d * d + own[U] - own[C])
    return d * (own[U] - d - own[C]) - own[Q] if s.rule == RA2NUM else d


@kernel
def error(s, i):
    """Bound of |score - value| of node i: the fixed-point truncation of its sums plus the float rounding."""
    own = s.node[i]
    d = own[DEG]
    rounding = (abs(s.value[i]) + 2.0 * (d + 1)) * 2.0**-51
    if s.rule == CND:
        return d * s.unit + rounding
    return (d + 1) * own[U] * s.unit + rounding if s.rule == RA2 else rounding


@kernel
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


@kernel
def winner(s, i, j):
    """The better of two nodes, either of which may be -1 (none)."""
    if i < 0 or j < 0:
        return max(i, j)
    a, b = s.value[i], s.value[j]
    if abs(a - b) > s.coarse + (abs(a) + abs(b)) * 2.0**-49:  # farther apart than any two errors reach
        return i if a > b else j
    better = sign(s, i, j)
    if better == 0:
        return min(i, j)
    return i if better > 0 else j


@kernel
def sign(s, i, j):
    """Sign of score(i) - score(j) for two scores that are close."""
    gap = s.value[i] - s.value[j]
    if s.ties != EXACT:
        return (gap > 0) - (gap < 0)
    a, b = key(s, i), key(s, j)
    if s.rule == RA2NUM or s.rule == DEGREE:
        return (a > b) - (a < b)
    reach = (error(s, i) + error(s, j)) * (1.0 + 2.0**-40)
    if abs(gap) > reach:
        return 1 if gap > 0 else -1
    top = min(
        max(s.node[i, DEG], s.node[j, DEG]), len(s.safe) - 1
    )  # a link shares fewer neighbours than it has
    if a == b and abs(gap) + reach < s.safe[top]:
        return 0
    return exact_sign(s, i, j)


@kernel
def exact_sign(s, i, j):
    """Sign of score(i) - score(j) from the numerators per common-neighbour value."""
    first, second = s.node[i], s.node[j]
    num, den = (
        np.empty(first[DEG] + second[DEG] + 1, np.int64),
        np.empty(first[DEG] + second[DEG] + 1, np.int64),
    )
    used = 1
    num[0], den[0] = 0, 1
    if s.rule == RA2:
        num[0] = (
            second[DEG] * second[DEG] + second[U] - second[C] - first[DEG] * first[DEG] - first[U] + first[C]
        )
    for side in range(2):  # s.count gathers, all zero before and after
        a, turn = (i, 1) if side == 0 else (j, -1)
        for p in range(s.start[a], s.start[a] + s.length[a]):
            if s.alive[s.nbr[p]]:
                s.count[s.cn[s.eid[p]]] += turn * _numerator(s, a, s.nbr[p])
    for side in range(2):
        a = i if side == 0 else j
        for p in range(s.start[a], s.start[a] + s.length[a]):
            c = s.cn[s.eid[p]]
            if s.alive[s.nbr[p]] and s.count[c] != 0:
                num[used], den[used], s.count[c] = s.count[c], c + 1, 0
                used += 1
    return sign_of_sum(num, den, used)


@kernel
def _numerator(s, a, b):
    """What a link to b adds to the numerators of a: X times (d_a + 1) for RA2."""
    return (s.node[a, DEG] + 1) * (s.node[b, DEG] + 1) if s.rule == RA2 else 1
