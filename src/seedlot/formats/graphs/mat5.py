"""Numeric and sparse variables of MATLAB `.mat` files, version 5, either byte order, compressed or not.

Own reader: scipy.io.loadmat reads good files correctly but ends the process with a segmentation fault on
some damaged ones. Cells, structures, objects and text are listed as absent: they are no adjacency matrices.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import limits

TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8", 16: "u1"}
CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
SPARSE, COMPRESSED, MATRIX = 5, 15, 14
COMPLEX = 0x08
BLOCK = 1 << 20


@dataclass(frozen=True)
class Variable:
    """A matrix that is listed but not decoded. shape: rows, columns. parts: the elements after the name, as
    (type code, bytes). code: class of the values. order: byte order."""

    name: str
    shape: tuple[int, ...]
    code: int
    is_complex: bool
    parts: tuple[tuple[int, bytes], ...]
    order: str

    def value(self):
        """The values: (rows, columns) ndarray, or a scipy.sparse csr_array. Raises SeedlotError on damage."""
        if self.is_complex or len(self.shape) != 2:
            raise SeedlotError(f"the variable '{self.name}' is not a matrix of real numbers")
        return self._sparse() if self.code == SPARSE else self._dense()

    def _numbers(self, k: int) -> np.ndarray:
        if k >= len(self.parts) or self.parts[k][0] not in TYPES:
            raise SeedlotError(f"the variable '{self.name}' lacks its values")
        dtype = np.dtype(self.order + TYPES[self.parts[k][0]])
        raw = self.parts[k][1]
        return np.frombuffer(raw, dtype, len(raw) // dtype.itemsize)

    def _dense(self) -> np.ndarray:
        values = self._numbers(0)
        if len(values) != math.prod(self.shape):
            raise SeedlotError(f"'{self.name}' declares shape {self.shape}, {len(values):,} values follow")
        with np.errstate(invalid="ignore", over="ignore"):
            return values.astype(CLASSES[self.code]).reshape(self.shape, order="F")

    def _sparse(self):
        """Row indices, column starts and values."""
        from scipy.sparse import csc_array

        rows, starts, values = (
            self._numbers(k).astype(np.int64) if k < 2 else self._numbers(k) for k in range(3)
        )
        if len(starts) != self.shape[1] + 1 or not 0 <= starts[-1] <= min(len(rows), len(values)):
            raise SeedlotError(
                f"the sparse matrix '{self.name}' does not fit its declared shape {self.shape}"
            )
        size = int(starts[-1])
        try:
            matrix = csc_array((values[:size].astype(np.float64), rows[:size], starts), shape=self.shape)
            matrix.check_format(full_check=True)
        except ValueError as error:
            raise SeedlotError(f"the sparse matrix '{self.name}' is damaged: {error}") from error
        matrix.sum_duplicates()
        return matrix.tocsr()


def variables(data: bytes) -> dict[str, Variable]:
    """Numeric and sparse matrices by name. Raises SeedlotError on damage and on decompression bombs."""
    if len(data) < 128 or data[126:128] not in (b"IM", b"MI"):
        raise SeedlotError("not a .mat file of version 5 or 7.3", where="byte 126")
    order = "<" if data[126:128] == b"IM" else ">"
    found, spent = {}, 0
    for kind, body in _elements(data, 128, order):
        if kind == COMPRESSED:
            body = _inflate(body, limits.MAX_RATIO * len(data), spent)
            spent += len(body)
            kind, body = next(_elements(body, 0, order), (0, b""))
        variable = _variable(body, order) if kind == MATRIX else None
        if variable is not None:
            found[variable.name] = variable
    return found


def _elements(data: bytes, at: int, order: str) -> Iterator[tuple[int, bytes]]:
    """(type code, bytes) of the elements one after another; refuses one that passes the end."""
    while at + 8 <= len(data):
        kind, size = struct.unpack_from(order + "II", data, at)
        if kind >> 16:
            kind, size, start, step = kind & 0xFFFF, kind >> 16, at + 4, 8
        else:
            start, step = at + 8, 8 + size + (-size % 8 if kind != COMPRESSED else 0)
        if start + size > len(data) or (step == 8 and size > 4):
            raise SeedlotError("the .mat file ends early", where=f"element at byte {at} of {len(data)}")
        yield kind, data[start : start + size]
        at += step


def _inflate(body: bytes, most: int, spent: int) -> bytes:
    """A compressed element within the limits."""
    machine, out = zlib.decompressobj(), bytearray()
    most = min(limits.MAX_BYTES, max(limits.RATIO_FREE, most))
    try:
        while body and not machine.eof:
            out += machine.decompress(body, BLOCK)
            body = machine.unconsumed_tail
            if spent + len(out) > most:
                raise SeedlotError(f"the .mat file expands beyond {most:,} bytes: refused as a bomb")
    except zlib.error as error:
        raise SeedlotError(f"the .mat file is damaged: {error}") from error
    return bytes(out)


def _variable(body: bytes, order: str) -> Variable | None:
    """The heads of a matrix element; None for classes that are not numbers."""
    parts = list(_elements(body, 0, order))
    if len(parts) < 3 or len(parts[0][1]) < 4 or parts[1][0] != 5 or len(parts[1][1]) % 4:
        return None
    flags = struct.unpack_from(order + "I", parts[0][1])[0]
    code = flags & 255
    if code != SPARSE and code not in CLASSES:
        return None
    shape = tuple(int(k) for k in np.frombuffer(parts[1][1], order + "i4"))
    if any(k < 0 for k in shape):
        raise SeedlotError(f"a variable of the .mat file declares shape {shape}")
    name = parts[2][1].decode("latin-1")
    return Variable(name, shape, code, bool(flags >> 8 & COMPLEX), tuple(parts[3:]), order)
