"""Delimited text to columns without a Python loop over lines.

numpy finds the fields, pyarrow converts them (its string casts and its dictionary encoding are as fast as
hand-written C and refuse what they cannot read). Own code because no CSV reader at hand handles runs of
blanks, comment lines, ragged lines and line numbers of bad records together; pandas does some of it ten
times slower.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seedlot.config.errors import SeedlotError

UNIT = b"\x1f"
MISSING = (b"", b"-", b"NA", b"N/A", b"NaN", b"nan", b"None", b"null", b".", b"?", b"\\N")
_BLANK = np.zeros(256, bool)
_BLANK[list(b" \t\r\v\f")] = True
MAX_NUMBER = 64


def normalise(data: bytes) -> bytes:
    """Text without a UTF-8 byte-order mark, every line ended by a line feed (CRLF and a lone CR end lines too).

    UTF-16 (by its mark) is recoded to UTF-8.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", errors="replace").encode()
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def decode(raw: bytes) -> str:
    """UTF-8 where valid, else Windows-1252 (a superset of printable Latin-1), which never fails here."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


@dataclass(frozen=True)
class Fields:
    """The records of a text and the byte spans of their fields.

    buf: (bytes,) uint8. line: (m,) int64, 1-based line of each record. first: (m,) index of a record's
    first field in start/end. width: (m,) fields of each record. start, end: byte spans, blanks trimmed.
    """

    buf: np.ndarray
    line: np.ndarray
    first: np.ndarray
    width: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def __len__(self) -> int:
        return len(self.line)

    def take(self, rows: np.ndarray | slice) -> Fields:
        """The same text with only the given records."""
        return Fields(self.buf, self.line[rows], self.first[rows], self.width[rows], self.start, self.end)

    def column(self, k: int) -> pa.Array:
        """Field k of every record as large_binary; every record must have more than k fields."""
        at = self.first + k
        return gather(self.buf, self.start[at], self.end[at])

    def cells(self, width: int, first: int = 0) -> pa.Array:
        """Fields first..width-1 of every record, row by row, as large_binary; each record has that many."""
        at = (self.first[:, None] + np.arange(first, width)).ravel()
        return gather(self.buf, self.start[at], self.end[at])

    def encode(self, *ks: int) -> tuple[list[str], list[np.ndarray]]:
        """Distinct labels of some fields in order of first appearance, and each field as (m,) int64 codes."""
        at = (self.first[:, None] + np.array(ks)).ravel()
        coded = gather(self.buf, self.start[at], self.end[at]).dictionary_encode()
        code = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64).reshape(-1, len(ks))
        return strings(coded.dictionary), [code[:, j] for j in range(len(ks))]

    def text(self, row: int) -> str:
        """One record as written (its fields joined by blanks are not: the span of the record)."""
        last = self.first[row] + self.width[row] - 1
        raw = self.buf[self.start[self.first[row]] : self.end[last]][:800].tobytes()
        return decode(raw.replace(UNIT, b","))


def gather(buf: np.ndarray, start: np.ndarray, end: np.ndarray) -> pa.Array:
    """Spans of a buffer as one large_binary array."""
    size = end - start
    offsets = np.zeros(len(size) + 1, np.int64)
    np.cumsum(size, out=offsets[1:])
    total = int(offsets[-1])
    at = np.arange(total) + np.repeat(start - offsets[:-1], size)
    return pa.Array.from_buffers(
        pa.large_binary(), len(size), [None, pa.py_buffer(offsets), pa.py_buffer(buf[at])]
    )


def split(data: bytes, delimiter: bytes | None, comments: bytes = b"#%") -> Fields:
    """Records and fields of a normalised text.

    delimiter: one byte, or None for runs of blanks. comments: bytes that start a comment line. Blank lines
    and comment lines are not records. With a one-byte delimiter, fields in double quotes may hold
    delimiters and line ends, doubled quotes stand for one.
    """
    lines = None
    if delimiter is not None and b'"' in data:
        data, lines = _unquote(data, delimiter)
        delimiter = UNIT
    buf = np.frombuffer(data, np.uint8)
    if not len(buf):
        none = np.zeros(0, np.int64)
        return Fields(buf, none, none, none, none, none)
    stops = np.flatnonzero(buf == 10)
    if not data.endswith(b"\n"):
        stops = np.append(stops, len(buf))
    begins = np.concatenate(([0], stops[:-1] + 1)) if len(stops) else stops
    start, end = _words(buf) if delimiter is None else _cells(buf, delimiter[0], stops)
    first = np.searchsorted(start, begins)
    if delimiter is not None:
        first = np.searchsorted(end, begins)
    width = np.diff(np.append(first, len(start)))
    record = width > 0
    head = np.minimum(first, max(len(start) - 1, 0))
    if len(start):
        empty = (width == 1) & (start[head] == end[head])
        mark = buf[np.minimum(start[head], len(buf) - 1)]
        record &= ~empty & ~np.isin(mark, np.frombuffer(comments, np.uint8))
    rows = np.flatnonzero(record)
    line = rows + 1 if lines is None else lines[rows]
    return Fields(buf, line, first[rows], width[rows], start, end)


def after_first_record(data: bytes, comments: bytes) -> int:
    """Where the line after the first record begins."""
    at = 0
    while at < len(data):
        stop = data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        row = data[at:stop].strip()
        at = stop + 1
        if row and row[0] not in comments:
            break
    return min(at, len(data))


def _words(buf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spans of runs of non-blank bytes."""
    ink = np.zeros(len(buf) + 2, np.int8)
    ink[1:-1] = ~(_BLANK[buf] | (buf == 10))
    edge = np.diff(ink)
    return np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)


def _cells(buf: np.ndarray, delimiter: int, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spans between delimiters and line ends, blanks trimmed."""
    end = np.flatnonzero((buf == delimiter) | (buf == 10))
    if len(stops) and stops[-1] == len(buf):
        end = np.append(end, len(buf))
    start = np.concatenate(([0], end[:-1] + 1)) if len(end) else end
    blank = _BLANK.copy()
    blank[delimiter] = False
    if not len(buf) or not blank[buf].any():
        return start, end
    ink = np.flatnonzero(~(blank[buf] | (buf == 10)) & (buf != delimiter))
    lead = (start < end) & blank[buf[np.minimum(start, len(buf) - 1)]]
    place = np.searchsorted(ink, start[lead])
    start = start.copy()
    start[lead] = np.minimum(np.append(ink, len(buf))[place], end[lead])
    tail = (start < end) & blank[buf[end - 1]]
    end = end.copy()
    end[tail] = ink[np.searchsorted(ink, end[tail]) - 1] + 1
    return start, end


def _unquote(data: bytes, delimiter: bytes) -> tuple[bytes, np.ndarray]:
    """The text with quotes undone, UNIT between fields, and the line on which each record starts."""
    rows, lines, last = [], [], 0
    text = io.StringIO(data.decode("latin-1"), newline="")
    source = csv.reader(text, delimiter=delimiter.decode("latin-1"), skipinitialspace=True)
    try:
        for row in source:
            rows.append(
                "\x1f".join(c.replace("\n", " ").replace("\r", " ").replace("\x1f", " ") for c in row)
            )
            lines.append(last + 1)
            last = source.line_num
    except csv.Error as error:
        raise SeedlotError(f"broken quotes: {error}", where=f"line {source.line_num}") from error
    return "\n".join(rows).encode("latin-1"), np.array(lines, np.int64)


def integers(cells: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """(m,) int64 values and (m,) bool whether the cell is a decimal integer that int64 holds.

    A value without a fraction written as a float ('12.0') counts; a bad cell has the value -1.
    """
    try:
        whole = pc.cast(cells.cast(pa.large_string(), safe=False), pa.int64())
        return whole.to_numpy(zero_copy_only=False), np.ones(len(cells), bool)
    except pa.ArrowInvalid:
        value, good = numbers(cells)
        good &= (np.abs(value) < 2.0**53) & (value == np.rint(value))
        out = np.where(good, value, -1).astype(np.int64)
        wide = pc.match_substring_regex(cells, "^[0-9]{16,18}$").to_numpy(zero_copy_only=False)
        for k in np.flatnonzero(wide):
            out[k], good[k] = int(cells[int(k)].as_py()), True
        return out, good


_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$"


def numbers(cells: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """(m,) float64 values and (m,) bool whether the cell is a finite decimal number; bad cells are NaN."""
    try:
        value = pc.cast(cells.cast(pa.large_string(), safe=False), pa.float64())
    except pa.ArrowInvalid:
        shaped = pc.and_(
            pc.match_substring_regex(cells, _NUMBER), pc.less_equal(pc.binary_length(cells), MAX_NUMBER)
        )
        plain = pc.if_else(shaped, cells, pa.scalar(b"nan", pa.large_binary()))
        plain = pc.replace_substring_regex(plain, r"^\+", "")
        plain = pc.replace_substring_regex(plain, r"\.($|[eE])", r".0\1")
        value = pc.cast(plain.cast(pa.large_string()), pa.float64())
    out = np.array(value)
    good = np.isfinite(out)
    out[~good] = np.nan
    return out, good


def missing(cells: pa.Array) -> np.ndarray:
    """(m,) bool: the cell says in a usual way that there is no value."""
    return pc.is_in(cells, pa.array(MISSING, pa.large_binary())).to_numpy(zero_copy_only=False)


def strings(cells: pa.Array) -> list[str]:
    """The cells as str, see `decode`."""
    try:
        return cells.cast(pa.large_string()).to_pylist()
    except pa.ArrowInvalid:
        return [decode(cell) for cell in cells.to_pylist()]


def count_quoted(data: bytes, delimiter: bytes, comments: bytes) -> int:
    """Records of a text with quoted fields, by walking from quote to quote instead of parsing it.

    A quote opens only at the start of a field and closes at the next lone quote; line ends in between
    belong to the field.
    """
    opening = re.compile(rb"(?:^|(?<=[\n\r" + re.escape(delimiter) + rb']))"', re.MULTILINE)
    closing = re.compile(rb'(?:[^"]|"")*+"?')
    out, at = [], 0
    while hit := opening.search(data, at):
        stop = closing.match(data, hit.end()).end()
        out += [data[at : hit.end() - 1], b"q" * (hit.end() + 1 < stop)]
        at = stop
    out.append(data[at:])
    rows = b"".join(out).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    blank = b" \r\n\v\f" if delimiter == b"\t" else b" \t\r\n\v\f"
    return sum(bool(row.strip(blank)) and row.strip(blank)[0] not in comments for row in rows)
