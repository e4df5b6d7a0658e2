"""A binary min-heap of int64 keys in one array. (numba's heapq on tuples compiles ten times longer.)"""

from __future__ import annotations

from seedlot.studies.lgd_na.jit import kernel


@kernel
def push(heap, size, key):
    """Add a key to heap[:size], which must have room; returns the new size."""
    at = size
    while at > 0:
        up = (at - 1) >> 1
        if heap[up] <= key:
            break
        heap[at] = heap[up]
        at = up
    heap[at] = key
    return size + 1


@kernel
def pop(heap, size):
    """Take the smallest key out of heap[:size]; it is left at heap[size - 1]. Returns the new size."""
    size -= 1
    top, key = heap[0], heap[size]
    at, down = 0, 1
    while down < size:
        if down + 1 < size and heap[down + 1] < heap[down]:
            down += 1
        if heap[down] >= key:
            break
        heap[at] = heap[down]
        at, down = down, 2 * down + 1
    heap[at] = key
    heap[size] = top
    return size
