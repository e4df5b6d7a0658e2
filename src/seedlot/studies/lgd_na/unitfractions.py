"""Images of the fractions 1/1, 1/2, ... modulo 2^64, and what equal images of two sums prove."""

from __future__ import annotations

import numpy as np

from seedlot.config.errors import SeedlotError


def fraction_bits(degree: int, reach: int, products: bool = False) -> int:
    """Fraction bits F with which sums of at most `reach` stay below 2^62.

    degree: the largest degree. reach: the largest sum over a node's links, which no removal raises. products:
    scores multiply (degree + 1) by such sums; SeedlotError when that reaches 2^61.
    """
    if products and (degree + 1) * reach >= 1 << 61:
        raise SeedlotError(
            f"node scores reach (max degree + 1) * (sum of degrees around a node) = {(degree + 1) * reach}, "
            "above the 2^61 that exact integers are kept to",
            todo="use the method cnd or degree, which have no such products",
        )
    return 61 - max(reach, 1).bit_length()


def two_adic(top: int) -> tuple[int, np.ndarray]:
    """(E, table): table[c] = 2^E / (1 + c) modulo 2^64 for c < top; exact because 2^E holds every
    power of two that divides a 1 + c. Stored as int64, whose products wrap the same way."""
    scale_bits = top.bit_length()
    values = np.arange(1, top + 1, dtype=np.uint64)
    low = values & (~values + np.uint64(1))
    odd = values // low
    inverse = odd.copy()  # right to 3 bits, and each Newton step doubles that
    for _ in range(5):
        inverse *= np.uint64(2) - odd * inverse
    return scale_bits, ((np.uint64(1 << scale_bits) // low) * inverse).view(np.int64)


def safe_gaps(top: int, scale_bits: int) -> np.ndarray:
    """gaps[k], float64 [top + 1]: the distance of two scores below which equal images prove equality, for scores
    whose denominators 1 + c are all at most k (0.0 where nothing is proved).

    The difference times 2^E times the odd part of lcm(1..k) is an integer that 2^64 divides.
    """
    sieve, log_odd = np.ones(top + 1, np.bool_), np.zeros(top + 1)
    for p in range(2, top + 1):
        if not sieve[p]:
            continue
        sieve[p * p :: p] = False
        power = p
        while p > 2 and power <= top:
            log_odd[power] += np.log2(p)
            power *= p
    spare = 63.9 - scale_bits - np.cumsum(log_odd)
    return np.where(spare > -1000, np.exp2(np.maximum(spare, -1000.0)), 0.0)
