"""Compiled passes over long files; imported only for those of a megabyte and more.

Each text kernel reads only what is regular and stops at the first byte that is not: then `edgelist` reads the
whole text again by way of `tokens`, which knows how to name what is wrong. Below a megabyte the import of
the compiler costs more than the kernels save. Caches lie on disk, one thread, no global state. A kernel
calls kernels of this file only: numba's disk cache notices no edit in another.
"""

from __future__ import annotations

import numpy as np
from numba import njit

NEWLINE, BLANK, ZERO = 10, 32, 48
NO_DELIMITER = 0
ONE, MAX_DIGITS = np.uint64(1), np.uint64(18)


@njit(cache=True, nogil=True)
def _is_blank(byte, delimiter):
    return byte != delimiter and (byte == BLANK or (9 <= byte <= 13 and byte != NEWLINE))


@njit(cache=True, nogil=True)
def _skip_line(buf, at):
    while at < len(buf) and buf[at] != NEWLINE:
        at += 1
    return at + 1


@njit(cache=True, nogil=True)
def _whole(buf, at):
    """(digits at a place as a number, where they end); -1 for none, for more than MAX_DIGITS, for a zero in front."""
    begin, value = at, np.int64(0)
    digit = np.uint8(buf[at] - np.uint8(48))
    while digit < 10:
        value = value * 10 + np.int64(digit)
        at += ONE
        digit = np.uint8(buf[at] - np.uint8(48))
    plain = ONE <= at - begin <= MAX_DIGITS and (buf[begin] != ZERO or at - begin == ONE)
    return (value if plain else np.int64(-1)), at


@njit(cache=True, nogil=True)
def _ink(buf, at, delimiter):
    """Where the next byte that is not blank is."""
    while _is_blank(buf[at], delimiter):
        at += ONE
    return at


@njit(cache=True, nogil=True)
def integer_pairs(buf, at, delimiter, comment, src, dst):
    """Fields 1 and 2 of every record as whole numbers.

    buf: (bytes,) uint8 text that ends in a line feed, which ends every inner loop. at: where the first line
    begins. delimiter: byte, or NO_DELIMITER for runs of blanks. comment: (256,) bool. src, dst: int64 buffers
    with a place for every line. Returns (records, smallest id, largest id); records is -1 when a line is not
    two plain numbers first. Places are unsigned, which spares a test for negative ones at every byte.
    """
    n, at, rows = np.uint64(len(buf)), np.uint64(at), 0
    low, high = np.int64(9223372036854775807), np.int64(-1)
    while at < n:
        at = _ink(buf, at, delimiter)
        if buf[at] == NEWLINE:
            at += ONE
            continue
        if comment[buf[at]]:
            while buf[at] != NEWLINE:
                at += ONE
            at += ONE
            continue
        one, gap = _whole(buf, at)
        at = _ink(buf, gap, delimiter)
        if delimiter != NO_DELIMITER:
            if buf[at] != delimiter:
                return -1, low, high
            at = _ink(buf, at + ONE, delimiter)
        elif at == gap:
            return -1, low, high
        two, gap = _whole(buf, at)
        at = _ink(buf, gap, delimiter)
        if one < 0 or two < 0:
            return -1, low, high
        if buf[at] != NEWLINE:
            if buf[at] != delimiter and (delimiter != NO_DELIMITER or at == gap):
                return -1, low, high
            while buf[at] != NEWLINE:
                at += ONE
        at += ONE
        src[rows], dst[rows] = one, two
        low, high = min(low, one, two), max(high, one, two)
        rows += 1
    return rows, low, high


@njit(cache=True, nogil=True)
def count_records(buf, tab_is_ink, comment):
    """Lines whose first byte that is not blank exists and does not begin a comment."""
    records, fresh = 0, True
    for k in range(len(buf)):
        byte = buf[k]
        if byte == NEWLINE:
            fresh = True
        elif fresh and (
            byte > BLANK or byte < 9 or byte > 13 and byte != BLANK or (byte == 9 and tab_is_ink)
        ):
            records += not comment[byte]
            fresh = False
    return records


@njit(cache=True, nogil=True)
def compact_dense(src, dst, low, span):
    """Positions of ids among the distinct ids, in place, through a table over the id range.

    src, dst: (m,) int64. low: smallest id. span: size of the range. Returns the distinct ids, ascending.
    """
    seen = np.zeros(span, np.uint8)
    for k in range(len(src)):
        seen[src[k] - low] = 1
        seen[dst[k] - low] = 1
    n = 0
    for k in range(span):
        n += seen[k]
    ids = np.empty(n, np.int64)
    if n == span:
        for k in range(span):
            ids[k] = low + k
        for k in range(len(src)):
            src[k] -= low
            dst[k] -= low
        return ids
    place = np.empty(span, np.int32)
    n = 0
    for k in range(span):
        place[k] = n
        if seen[k]:
            ids[n] = low + k
            n += 1
    for k in range(len(src)):
        src[k] = place[src[k] - low]
        dst[k] = place[dst[k] - low]
    return ids


@njit(cache=True, nogil=True)
def _slot(first, second, mask):
    """Where in a table a key begins to look."""
    code = (first ^ (second * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xD6E8FEB86659FD93)
    return (code ^ (code >> np.uint64(32))) & mask


@njit(cache=True, nogil=True)
def _grow(table):
    """A table with twice the slots and the same entries."""
    wide = np.zeros((2 * len(table), 3), np.uint64)
    mask = np.uint64(len(wide) - 1)
    for k in range(len(table)):
        if table[k, 2]:
            slot = _slot(table[k, 0], table[k, 1], mask)
            while wide[slot, 2]:
                slot = (slot + np.uint64(1)) & mask
            wide[slot] = table[k]
    return wide


@njit(cache=True, nogil=True)
def _key(buf, begin, end):
    """Two words for a name: its bytes when there are at most 15, else two digests of them; with the length."""
    first, second = np.uint64(0), np.uint64(end - begin) << np.uint64(56)
    if end - begin <= 15:
        for k in range(begin, min(end, begin + 8)):
            first |= np.uint64(buf[k]) << np.uint64(8 * (k - begin))
        for k in range(begin + 8, end):
            second |= np.uint64(buf[k]) << np.uint64(8 * (k - begin - 8))
        return first, second
    first = np.uint64(1469598103934665603)
    second |= np.uint64(255) << np.uint64(48)
    for k in range(begin, end):
        first = (first ^ np.uint64(buf[k])) * np.uint64(1099511628211)
    return first, second


@njit(cache=True, nogil=True)
def _same(buf, one, other, size):
    """Whether two spans hold the same bytes."""
    k = 0
    while k < size and buf[one + k] == buf[other + k]:
        k += 1
    return k == size


@njit(cache=True, nogil=True)
def counted_blocks(buf, at, unit, big, counts):
    """Walk blocks of an 8-byte count and that many units; returns where the last one ends, or -1 - k when
    block k passes the end of the bytes. counts: (blocks,) int64, filled."""
    n = len(buf)
    for block in range(len(counts)):
        if at + 8 > n:
            return -1 - block
        size = np.uint64(0)
        for k in range(8):
            size |= np.uint64(buf[at + k]) << np.uint64(8 * (7 - k) if big else 8 * k)
        if size > np.uint64((n - at - 8) // unit):
            return -1 - block
        counts[block] = np.int64(size)
        at += 8 + np.int64(size) * unit
    return at


@njit(cache=True, nogil=True)
def label_pairs(buf, at, delimiter, comment, src, dst, begins, sizes):
    """Fields 1 and 2 of every record as names numbered in order of first appearance.

    Arguments as in `integer_pairs`; begins, sizes: int64 buffers with two places for every line, filled
    with the span of each distinct name. Returns (records, names); records is -1 when a line has fewer than
    two fields that are not empty. Names of up to 15 bytes are compared inside the table, one access to
    memory a name; longer ones by digest and then byte by byte.
    """
    n, rows, names = len(buf), 0, 0
    table = np.zeros((1 << 10, 3), np.uint64)
    mask = np.uint64(len(table) - 1)
    while at < n:
        while at < n and _is_blank(buf[at], delimiter):
            at += 1
        if at >= n or buf[at] == NEWLINE:
            at += 1
            continue
        if comment[buf[at]]:
            at = _skip_line(buf, at)
            continue
        for side in range(2):
            begin, end = at, at
            while at < n and buf[at] != NEWLINE and buf[at] != delimiter:
                blank = _is_blank(buf[at], delimiter)
                if blank and delimiter == NO_DELIMITER:
                    break
                at += 1
                if not blank:
                    end = at
            if end == begin:
                return -1, names
            if 3 * names >= 2 * len(table):
                table = _grow(table)
                mask = np.uint64(len(table) - 1)
            first, second = _key(buf, begin, end)
            slot = _slot(first, second, mask)
            while True:
                name = np.int64(table[slot, 2]) - 1
                if name < 0:
                    name = names
                    table[slot, 0], table[slot, 1], table[slot, 2] = first, second, np.uint64(names + 1)
                    begins[names], sizes[names] = begin, end - begin
                    names += 1
                    break
                found = table[slot, 0] == first and table[slot, 1] == second
                if found and end - begin > 15:
                    found = sizes[name] == end - begin and _same(buf, begins[name], begin, end - begin)
                if found:
                    break
                slot = (slot + np.uint64(1)) & mask
            if side == 0:
                src[rows] = name
                if delimiter != NO_DELIMITER:
                    if at >= n or buf[at] != delimiter:
                        return -1, names
                    at += 1
                while at < n and _is_blank(buf[at], delimiter):
                    at += 1
            else:
                dst[rows] = name
                at = _skip_line(buf, at)
        rows += 1
    return rows, names
