"""Exact sign of a sum of fractions with small denominators, for the comparisons that floats cannot decide."""

from __future__ import annotations

import numpy as np

from seedlot.studies.lgd_na.jit import kernel

_LIMB = np.int64(32)
_MASK = np.int64(0xFFFFFFFF)


@kernel
def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@kernel
def _common_multiple(den, terms, multiple):
    """Least common multiple of den[:terms] into little-endian 32-bit limbs; returns the limbs in use."""
    multiple[0], used = 1, 1
    for t in range(terms):
        rest = np.int64(0)
        for i in range(used - 1, -1, -1):
            rest = ((rest << _LIMB) | multiple[i]) % den[t]
        factor = den[t] // _gcd(den[t], rest)
        carry = np.int64(0)
        for i in range(used):
            carry += multiple[i] * factor
            multiple[i] = carry & _MASK
            carry >>= _LIMB
        while carry:
            multiple[used] = carry & _MASK
            carry >>= _LIMB
            used += 1
    return used


@kernel
def _add(total, quotient, used, num):
    """total += num * quotient over `used` limbs; total holds signed limbs that are not carried yet."""
    sign = np.int64(1) if num > 0 else np.int64(-1)
    size = np.uint64(abs(num))
    for part in range(2):
        word = (size >> np.uint64(32 * part)) & np.uint64(0xFFFFFFFF)
        for i in range(used):
            product = np.uint64(quotient[i]) * word
            total[i + part] += sign * np.int64(product & np.uint64(0xFFFFFFFF))
            total[i + part + 1] += sign * np.int64(product >> np.uint64(32))


@kernel
def sign_of_sum(num, den, terms):
    """Sign (-1, 0, 1) of the sum of num[t] / den[t] over the first `terms` terms, in integers of any length.

    num: int64, |num| < 2**63; den: int64, 1 <= den < 2**31. With L the least common multiple of the den, the sum
    is sum(num * (L / den)) / L; log2(L) <= sum(log2(den)) gives the room for L.
    """
    bits = 0.0
    for t in range(terms):
        bits += np.log2(den[t] + 1.0)
    limbs = int(bits) // 32 + 3
    multiple, quotient = np.zeros(limbs, np.int64), np.zeros(limbs, np.int64)
    total = np.zeros(limbs + 4, np.int64)  # each term adds less than 2**33 to a limb
    used = _common_multiple(den, terms, multiple)
    for t in range(terms):
        rest = np.int64(0)
        for i in range(used - 1, -1, -1):
            rest = (rest << _LIMB) | multiple[i]
            quotient[i] = rest // den[t]
            rest %= den[t]
        _add(total, quotient, used, num[t])
    carry = np.int64(0)
    nonzero = False
    for i in range(len(total)):
        carry += total[i]
        nonzero |= (carry & _MASK) != 0
        carry >>= _LIMB  # arithmetic shift: floor division, so the last carry holds the sign
    if carry < 0:
        return -1
    return 1 if nonzero or carry > 0 else 0
