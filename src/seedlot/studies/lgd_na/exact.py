"""Exact sign of a sum of fractions with small denominators, for the comparisons that floats cannot decide."""

from __future__ import annotations

import numpy as np
from numba import njit

_LIMB = np.int64(32)
_MASK = np.int64(0xFFFFFFFF)


@njit(cache=True)
def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@njit(cache=True)
def _common_multiple(den, limbs):
    """Least common multiple of den as (little-endian 32-bit limbs, limbs in use)."""
    multiple = np.zeros(limbs, np.int64)
    multiple[0] = 1
    used = 1
    for t in range(len(den)):
        d = den[t]
        rest = np.int64(0)
        for i in range(used - 1, -1, -1):
            rest = ((rest << _LIMB) | multiple[i]) % d
        factor = d // _gcd(d, rest)
        carry = np.int64(0)
        for i in range(used):
            carry += multiple[i] * factor
            multiple[i] = carry & _MASK
            carry >>= _LIMB
        while carry:
            multiple[used] = carry & _MASK
            carry >>= _LIMB
            used += 1
    return multiple, used


@njit(cache=True)
def sign_of_sum(num, den):
    """Sign (-1, 0, 1) of sum(num[t] / den[t]), computed in integers of any length.

    num: int64 [c], |num| < 2**63; den: int64 [c], 1 <= den < 2**31. With L the least common multiple the
    sum is sum(num * (L / den)) / L; L fits the limbs because log2(L) <= sum(log2(den)).
    """
    bits = 0.0
    for t in range(len(den)):
        bits += np.log2(float(den[t]) + 1.0)
    limbs = int(bits) // 32 + 3
    multiple, used = _common_multiple(den, limbs)
    total = np.zeros(limbs + 4, np.int64)  # signed limbs: each holds < 2**34 per term until carried
    quotient = np.zeros(limbs, np.int64)
    for t in range(len(den)):
        rest = np.int64(0)
        for i in range(used - 1, -1, -1):
            rest = (rest << _LIMB) | multiple[i]
            quotient[i] = rest // den[t]
            rest %= den[t]
        sign = np.int64(1) if num[t] > 0 else np.int64(-1)
        size = np.uint64(abs(num[t]))
        for part in range(2):
            word = (size >> np.uint64(32 * part)) & np.uint64(0xFFFFFFFF)
            if word == 0:
                continue
            for i in range(used):
                product = np.uint64(quotient[i]) * word
                total[i + part] += sign * np.int64(product & np.uint64(0xFFFFFFFF))
                total[i + part + 1] += sign * np.int64(product >> np.uint64(32))
    carry = np.int64(0)
    nonzero = False
    for i in range(len(total)):
        carry += total[i]
        nonzero |= (carry & _MASK) != 0
        carry >>= _LIMB  # arithmetic shift: floor division, so the last carry is the sign
    if carry < 0:
        return -1
    return 1 if nonzero or carry > 0 else 0
