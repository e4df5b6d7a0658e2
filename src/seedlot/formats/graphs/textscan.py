"""Fast scanning of text made of lines and blank-separated words: whole arrays of numbers at a time.

A file of ten million links is two hundred million bytes; a Python step for each of them takes a minute.
Here the words of a block of lines are found with a handful of passes over the bytes, and unsigned integers
are decoded eight digits at a time. Everything unusual is marked, never guessed at: the caller looks at the
marked words one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from seedlot.config.errors import SeedlotError

BLOCK = 1 << 18
"""Bytes scanned at once; a block and its arrays stay near the processor's cache."""

REASONS = ("", "bad_id", "bad_weight", "no_vertices", "not_finite", "out_of_range", "ragged")
"""Reject reasons as `blame` numbers them; 0 means that nothing is wrong."""

_PAD = b"\0" * 8
_NEWLINE, _BLANK = 10, 32
_CONTROL = bytes(b if b == _NEWLINE or b >= _BLANK else _BLANK for b in range(256))
_NUMERIC = np.zeros(256, bool)
_NUMERIC[list(b"0123456789+-.eE")] = True
_LONGEST_TOGETHER = 40
_POWERS = 10 ** np.arange(16)
_SLAVIC = frozenset(b"\x8a\x8c\x8d\x8e\x8f\x9a\x9c\x9d\x9e\x9f")


def clean(data: bytes) -> bytes:
    """The text with byte-order mark removed, UTF-16 turned into UTF-8, every line ended by a single LF,
    and other control characters (tabs, DOS end-of-file marks, zero bytes) replaced by blanks.

    Line numbers are those of the file. Raises SeedlotError when a UTF-16 mark is followed by other bytes.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode("utf-8")
        except UnicodeError as error:
            raise SeedlotError(f"the file begins like UTF-16 but is not: {error}") from error
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.translate(_CONTROL)


def decode(raw: bytes, encoding: str | None = None) -> tuple[str, str]:
    """Text and the name of the encoding used. Never fails on any bytes unless `encoding` is given.

    encoding None: UTF-8 where the bytes are UTF-8. Otherwise a Windows code page: cp1250 (Central European)
    where letters occur that the two code pages share only for Slavic names (S, Z with caron, and
    neighbours), else cp1252; bytes that the page leaves undefined fall back to latin-1.
    Raises SeedlotError when `encoding` is unknown or does not fit.
    """
    if encoding is not None:
        try:
            return raw.decode(encoding), encoding
        except (LookupError, UnicodeError) as error:
            raise SeedlotError(f"the text is not {encoding}: {error}") from error
    page = "cp1250" if _SLAVIC.intersection(raw) else "cp1252"
    for name in ("ascii", "utf-8", page):
        try:
            return raw.decode(name), name
        except UnicodeError:
            continue
    return raw.decode("latin-1"), "latin-1"


def blocks(data: bytes, start: int, stop: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Cut data[start:stop] into pieces of about `size` bytes that end after a line feed."""
    while start < stop:
        end = start + size
        if end < stop:
            end = data.find(b"\n", end, stop) + 1
        if end <= start or end > stop:
            end = stop
        yield start, end
        start = end


def line_number(data: bytes, offset: int) -> int:
    """1-based number of the line that holds a byte offset."""
    return data.count(b"\n", 0, offset) + 1


@dataclass
class Words:
    """The words of a block of text.

    buf: the bytes, padded by 8 zeros. starts, ends: (w,) int64 offsets of the words in `buf`.
    first, count: (l,) int64, index of the first word and number of words of each line that has any.
    line: (l,) int64, 0-based physical line within the block. lines: physical lines begun in the block.
    """

    buf: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    first: np.ndarray
    count: np.ndarray
    line: np.ndarray
    lines: int

    def integers(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (int64) of the words `index` and whether each is a plain unsigned integer below 10^16."""
        return integers(self.buf, self.starts[index], self.ends[index])

    def numbers(self, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values (float64) of the words `index` and whether each is a finite decimal number."""
        return numbers(self.buf, self.starts[index], self.ends[index])

    def word(self, index: int) -> bytes:
        """The bytes of one word."""
        return self.buf[self.starts[index] : self.ends[index]].tobytes()

    def text(self, row: int) -> str:
        """The words of one line, from the first to the last, at most 400 bytes of it."""
        begin = int(self.starts[self.first[row]])
        end = int(self.ends[self.first[row] + self.count[row] - 1])
        return self.buf[begin : min(end, begin + 400)].tobytes().decode("utf-8", "replace")


def scan(data: bytes, start: int, stop: int, comment: bytes = b"%") -> Words:
    """Find the words of data[start:stop], leaving out lines whose first word begins with `comment`.

    data: text from `clean`. Words are runs of bytes above 32.
    """
    piece = data[start:stop]
    buf = np.frombuffer(piece + _PAD, np.uint8)
    inked = buf > _BLANK
    edges = np.flatnonzero(inked[1:] != inked[:-1]) + 1
    if inked[0]:
        edges = np.concatenate([[0], edges])
    starts, ends = edges[0::2], edges[1::2]
    breaks = np.flatnonzero(buf == _NEWLINE)
    bounds = np.concatenate([[0], np.searchsorted(starts, breaks), [len(starts)]])
    count = np.diff(bounds)
    line = np.flatnonzero(count)
    first, count = bounds[line], count[line]
    words = Words(buf, starts, ends, first, count, line, len(breaks))
    if comment and comment in piece:
        keep = buf[starts[first]] != comment[0]
        words.first, words.count, words.line = first[keep], count[keep], line[keep]
    return words


def integers(buf: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Decode unsigned decimal integers, eight digits at a time.

    buf: uint8 with 8 bytes of padding. starts, ends: (k,) offsets, starts < ends.
    Returns values (k,) int64 and ok (k,) bool; a value is meaningless where ok is False (a sign, another
    character, more than 16 digits).
    """
    size = ends - starts
    value, ok = _eight(buf, starts, np.minimum(size, 8))
    long = np.flatnonzero(size > 8)
    if len(long):
        rest = np.minimum(size[long] - 8, 8)
        low, fine = _eight(buf, starts[long] + 8, rest)
        value[long] = value[long] * 10 ** rest.astype(np.int64) + low
        ok[long] &= fine & (size[long] <= 16)
    return value, ok


def _eight(buf: np.ndarray, starts: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values of words of at most 8 bytes: all digits of a word sit in one 64-bit integer."""
    u = np.uint64
    windows = np.ndarray((len(buf) - 7,), "<u8", buffer=buf, strides=(1,))
    shift = ((8 - size) * 8).astype(u)
    digits = windows[starts] << shift
    digits ^= u(0x3030303030303030) << shift
    carry = (digits + u(0x0606060606060606)) | digits
    ok = ((carry & u(0xF0F0F0F0F0F0F0F0)) == 0) & (size > 0)
    digits = (digits * u(10) + (digits >> u(8))) & u(0x00FF00FF00FF00FF)
    digits = (digits * u(100) + (digits >> u(16))) & u(0x0000FFFF0000FFFF)
    digits = (digits * u(10000) + (digits >> u(32))) & u(0x00000000FFFFFFFF)
    return digits.astype(np.int64), ok


def numbers(buf: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Decode decimal numbers with sign, point and exponent.

    Returns values (k,) float64 and ok (k,) bool; NaN where ok is False. Words such as nan and inf are not ok.
    """
    if not len(starts):
        return np.zeros(0), np.zeros(0, bool)
    value, ok = _fixed_point(buf, starts, ends)
    odd = np.flatnonzero(~ok)
    if len(odd):
        value[odd], ok[odd] = _decimal(buf, starts[odd], ends[odd])
    return value, ok


def _fixed_point(buf: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers like -12.75 with at most 15 digits: all digits as one integer, divided by a power of ten.

    Both are exact in float64, so the quotient is the nearest float64, as strtod gives it.
    """
    minus = buf[starts] == ord("-")
    starts = starts + minus
    if not (buf[:-8] == ord(".")).any():
        whole, ok = integers(buf, starts, ends)
        return np.where(minus, -1.0, 1.0) * whole, ok & (ends - starts <= 15)
    points = np.flatnonzero(buf == ord("."))
    at = np.searchsorted(points, starts)
    point = np.minimum(np.append(points, len(buf))[at], ends)
    digits = np.maximum(ends - point - 1, 0)
    whole, whole_ok = integers(buf, starts, point)
    part, part_ok = integers(buf, np.minimum(point + 1, ends), ends)
    size = point - starts + digits
    ok = (whole_ok | (point == starts)) & (part_ok | (digits == 0)) & (size > 0) & (size <= 15)
    whole, part = np.where(whole_ok, whole, 0), np.where(part_ok, part, 0)
    scale = _POWERS[np.minimum(digits, 15)]
    return np.where(minus, -1.0, 1.0) * ((whole * scale + part) / scale), ok


def _decimal(buf: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size = ends - starts
    width = int(min(size.max(), _LONGEST_TOGETHER))
    where = starts[:, None] + np.arange(width)
    inside = np.arange(width) < size[:, None]
    cells = np.where(inside, buf[np.minimum(where, len(buf) - 1)], 0).astype(np.uint8)
    ok = (_NUMERIC[cells] | ~inside).all(axis=1) & (size <= _LONGEST_TOGETHER)
    value = np.full(len(starts), np.nan)
    text = np.ascontiguousarray(cells[ok]).view(f"S{width}").ravel()
    try:
        value[ok] = text.astype(np.float64)
    except ValueError:
        value[ok] = [_float(word) for word in text.tolist()]
    for k in np.flatnonzero(size > _LONGEST_TOGETHER).tolist():
        word = buf[starts[k] : ends[k]]
        ok[k] = _NUMERIC[word].all()
        value[k] = _float(word.tobytes()) if ok[k] else np.nan
    return value, ok & np.isfinite(value)


def _float(word: bytes) -> float:
    try:
        return float(word)
    except ValueError:
        return float("nan")


def blame(reason: np.ndarray, where: np.ndarray, word: str) -> None:
    """Give the rows `where` (bool or indices) of a uint8 array the reason `word`, unless they have one."""
    if where.dtype != bool or where.any():
        chosen = np.zeros(len(reason), bool)
        chosen[where] = True
        reason[chosen & (reason == 0)] = REASONS.index(word)


def cell_reason(word: bytes) -> Literal["bad_weight", "not_finite"]:
    """Why a word is no usable number: it reads as NaN or infinity, or not as a number at all."""
    try:
        float(word)
    except ValueError:
        return "bad_weight"
    return "not_finite"
