"""Row sums of a sparse matrix to the last bit, as NumPy adds them.

A SciPy CSR row sum is `numpy.add.reduceat`: the first entry plus the pairwise sum of the others. Scores that
are equal as rationals differ in their last bits by that order, and published removal lists depend on it.
"""

from __future__ import annotations

from seedlot.studies.lgd_na.jit import kernel

_BLOCK = 128  # NumPy's pairwise block


@kernel
def row_sum(values, size):
    """Sum of values[:size] (float64) in the order of numpy.add.reduceat."""
    if size == 0:
        return 0.0
    return values[0] + _pairwise(values, 1, size - 1)


@kernel
def _block_sum(values, first, size):
    if size < 8:
        total = 0.0
        for i in range(first, first + size):
            total += values[i]
        return total
    lane = values[first : first + 8].copy()
    whole = size - size % 8
    for i in range(8, whole, 8):
        for k in range(8):
            lane[k] += values[first + i + k]
    total = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))
    for i in range(first + whole, first + size):
        total += values[i]
    return total


@kernel(signature="float64(float64[::1], int64, int64)")
def _pairwise(values, first, size):
    if size <= _BLOCK:
        return _block_sum(values, first, size)
    half = size // 2
    half -= half % 8
    return _pairwise(values, first, half) + _pairwise(values, first + half, size - half)
