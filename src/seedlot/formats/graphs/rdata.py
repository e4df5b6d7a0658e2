"""R's serialisation (`save()` files, versions 2 and 3, XDR or ASCII) as plain Python values.

Own reader, so that no R and no R object code is needed: nothing is evaluated, functions and byte code are
walked over. pyreadr cannot read lists that are not data frames, rpy2 needs R.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import limits

MAX_DEPTH = 120
NIL, GLOBAL, UNBOUND, MISSING_ARG, BASE_NAMESPACE, BASE, EMPTY = 254, 253, 252, 251, 250, 241, 242
ATOMS = {NIL, GLOBAL, UNBOUND, MISSING_ARG, BASE_NAMESPACE, BASE, EMPTY}
REFERENCE, NAMESPACE, PACKAGE, PERSIST, ALTREP, ATTR_LANG, ATTR_LIST = 255, 249, 248, 247, 238, 240, 239
SYMBOL, PAIRS, CLOSURE, ENVIRONMENT, PROMISE, LANGUAGE, SPECIAL, BUILTIN = 1, 2, 3, 4, 5, 6, 7, 8
CHARS, LOGICAL, INTEGER, REAL, COMPLEX, STRINGS, DOTS, LIST, EXPRESSIONS = 9, 10, 13, 14, 15, 16, 17, 19, 20
BYTECODE, POINTER, WEAK, RAW, S4 = 21, 22, 23, 24, 25
HAS_ATTRIBUTES, HAS_TAG = 0x200, 0x400
NA_INTEGER = -(2**31)


@dataclass
class RList:
    """A vector of any type: items (list or numpy array) and attributes by name."""

    items: list | np.ndarray
    attributes: dict[str, object] = field(default_factory=dict)

    def names(self) -> list[str]:
        """The names attribute as str, '' where it is absent."""
        stated = self.attributes.get("names")
        return [name or "" for name in stated.items] if isinstance(stated, RList) else [""] * len(self.items)

    def classes(self) -> list[str]:
        """The class attribute, empty when there is none."""
        stated = self.attributes.get("class")
        return list(stated.items) if isinstance(stated, RList) else []


def load(data: bytes) -> dict[str, object]:
    """The objects of a decompressed `.rda` by name.

    Vectors are RList, with numpy items for numbers (integers and logicals int32 with NA as -2^31), str or
    None for strings. What has no use as data (functions, environments, pointers) is None. Raises
    SeedlotError for an unknown header, damage, and nesting deeper than MAX_DEPTH.
    """
    head = re.match(rb"RD([XA])([23])\n([XA])\n", data)
    if head is None or head[1] != head[3]:
        raise SeedlotError(
            "not an .rda file: it does not begin with RDX2, RDX3, RDA2 or RDA3", where="byte 0"
        )
    source = Xdr(data, head.end()) if head[1] == b"X" else Ascii(data[head.end() :])
    version = source.integer()
    source.integers(2)
    if version == 3:
        source.chars(source.integer())
    elif version != 2:
        raise SeedlotError(f"serialisation version {version} is not known")
    top = Reader(source).item(0)
    if not isinstance(top, list):
        raise SeedlotError("the .rda file holds no named objects")
    return {tag: value for tag, value in top if tag}


@dataclass
class Xdr:
    """Big-endian binary stream."""

    data: bytes
    at: int

    def take(self, size: int) -> int:
        if size < 0 or self.at + size > len(self.data):
            raise SeedlotError("the .rda file ends early", where=f"byte {self.at} of {len(self.data)}")
        start, self.at = self.at, self.at + size
        return start

    def integer(self) -> int:
        start = self.take(4)
        return int.from_bytes(self.data[start : start + 4], "big", signed=True)

    def _array(self, dtype: str, size: int, count: int) -> np.ndarray:
        start = self.take(size * count)
        return np.frombuffer(self.data, dtype, count, start).astype(dtype[1:])

    def integers(self, count: int) -> np.ndarray:
        return self._array(">i4", 4, count)

    def reals(self, count: int) -> np.ndarray:
        return self._array(">f8", 8, count)

    def raw(self, count: int) -> None:
        self.take(count)

    def chars(self, count: int) -> bytes:
        start = self.take(count)
        return self.data[start : start + count]

    def strings(self, count: int) -> list[str | None]:
        """The items of a character vector: flags, size and bytes of each."""
        data, at, end = self.data, self.at, len(self.data)
        unpack = struct.Struct(">ii").unpack_from
        out: list[str | None] = []
        for _ in range(count):
            if at + 8 > end:
                raise SeedlotError("the .rda file ends early", where=f"byte {at}")
            flags, size = unpack(data, at)
            at += 8
            if flags & 255 != CHARS or size < -1 or at + size > end:
                raise SeedlotError("a character vector of the .rda file is damaged", where=f"byte {at - 8}")
            out.append(None if size == -1 else _text(data[at : at + size]))
            at += max(size, 0)
        self.at = at
        return out

    def require(self, count: int) -> None:
        """Refuse a list of `count` items when not even their heads fit into what is left."""
        if count < 0 or 4 * count > len(self.data) - self.at:
            raise SeedlotError(
                f"a list of {count:,} items does not fit into the file", where=f"byte {self.at}"
            )


_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"b": b"\b", b"f": b"\f", b"a": b"\a"}


class Ascii:
    """The same stream as words; text is escaped so that it holds no blank."""

    def __init__(self, data: bytes):
        self.words, self.at = data.split(), 0

    def word(self) -> bytes:
        if self.at >= len(self.words):
            raise SeedlotError("the .rda file ends early", where=f"word {self.at}")
        self.at += 1
        return self.words[self.at - 1]

    def integer(self) -> int:
        word = self.word()
        if word == b"NA":
            return NA_INTEGER
        if not re.fullmatch(rb"-?\d{1,10}", word) or abs(int(word)) > 2**31:
            raise SeedlotError("expected an integer in the .rda file", where=f"word {self.at}")
        return int(word)

    def integers(self, count: int) -> np.ndarray:
        self.require(count)
        return np.array([self.integer() for _ in range(count)], np.int64)

    def reals(self, count: int) -> np.ndarray:
        self.require(count)
        try:
            return np.array([float(self.word().replace(b"NA", b"nan", 1)) for _ in range(count)], np.float64)
        except ValueError as error:
            raise SeedlotError(f"expected a number in the .rda file: {error}") from error

    def raw(self, count: int) -> None:
        self.require(count)
        self.at += count

    def chars(self, count: int) -> bytes:
        text = self.word() if count > 0 else b""
        return _ESCAPE.sub(lambda hit: _unescape(hit[1]), text)

    def require(self, count: int) -> None:
        if count < 0 or count > len(self.words) - self.at:
            raise SeedlotError(
                f"a list of {count:,} items does not fit into the file", where=f"word {self.at}"
            )


def _unescape(code: bytes) -> bytes:
    return bytes([int(code, 8) & 255]) if code[:1].isdigit() and code[0] < 56 else _PLAIN.get(code, code)


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


class Reader:
    """Items of a stream. `known` is R's table of symbols and environments that later items refer to."""

    def __init__(self, source: Xdr | Ascii):
        self.source, self.known = source, []

    def item(self, depth: int) -> object:
        """One item with everything below it; a pairlist is a list of (tag, value)."""
        if depth > MAX_DEPTH:
            raise SeedlotError(f"the .rda file nests deeper than {MAX_DEPTH} levels")
        return self._item(self.source.integer(), depth)

    def _item(self, flags: int, depth: int) -> object:
        """The item whose flags have been read."""
        kind = flags & 255
        if kind in (PAIRS, LANGUAGE, CLOSURE, PROMISE, DOTS, ATTR_LANG, ATTR_LIST):
            return self._pairs(flags, depth)
        if kind == REFERENCE:
            index = flags >> 8 or self.source.integer()
            if not 1 <= index <= len(self.known):
                raise SeedlotError(f"reference {index} in the .rda file leads nowhere")
            return self.known[index - 1]
        if kind in (SYMBOL, ENVIRONMENT, NAMESPACE, PACKAGE, PERSIST, POINTER, WEAK):
            return self._referable(kind, flags, depth)
        if kind == CHARS:
            return self._chars()
        if kind == ALTREP:
            return self._compact(depth)
        return None if kind in ATOMS else self._vector(kind, flags, depth)

    def _chars(self) -> str | None:
        size = self.source.integer()
        if size == -1:
            return None
        return _text(self.source.chars(size))

    def _pairs(self, flags: int, depth: int) -> list[tuple[str, object]]:
        out = []
        while True:
            if flags & HAS_ATTRIBUTES or flags & 255 in (ATTR_LANG, ATTR_LIST):
                self.item(depth + 1)
            tag = self.item(depth + 1) if flags & HAS_TAG else None
            out.append((tag if isinstance(tag, str) else "", self.item(depth + 1)))
            if flags & 255 not in (PAIRS, LANGUAGE, DOTS, ATTR_LANG, ATTR_LIST):
                self.item(depth + 1)
                return out
            flags = self.source.integer()
            if flags & 255 not in (PAIRS, LANGUAGE, ATTR_LANG, ATTR_LIST):
                self._item(flags, depth + 1)
                return out

    def _referable(self, kind: int, flags: int, depth: int) -> object:
        if kind == SYMBOL:
            name = self.item(depth + 1)
            self.known.append(name if isinstance(name, str) else "")
            return self.known[-1]
        if kind in (NAMESPACE, PACKAGE, PERSIST):
            self.source.integer()
            count = self.source.integer()
            self.source.require(count)
            for _ in range(count):
                self.item(depth + 1)
            self.known.append(None)
            return None
        self.known.append(None)
        if kind == ENVIRONMENT:
            self.source.integer()
        parts = {ENVIRONMENT: 4, POINTER: 2, WEAK: 0}[kind] + (
            kind != ENVIRONMENT and bool(flags & HAS_ATTRIBUTES)
        )
        for _ in range(parts):
            self.item(depth + 1)
        return None

    def _compact(self, depth: int) -> object:
        """R's alternative vectors: a range (length, first, step) is written out, a wrapper is its content."""
        info, state, attributes = (self.item(depth + 1) for _ in range(3))
        name = info[0][1] if isinstance(info, list) and info else None
        if (
            name in ("compact_intseq", "compact_realseq")
            and isinstance(state, RList)
            and len(state.items) == 3
        ):
            length, first, step = (float(v) for v in state.items)

            if not 0 <= length <= limits.MAX_NODES:
                raise SeedlotError(f"a compact vector of {length:g} items is refused")
            items = first + step * np.arange(int(length))
            value = RList(items.astype(np.int32) if name == "compact_intseq" else items)
        elif isinstance(state, list) and state:
            value = state[0][1]
        elif isinstance(state, RList) and isinstance(state.items, list) and state.items:
            value = state.items[0]
        else:
            return None
        if isinstance(value, RList):
            value.attributes |= _named(attributes)
        return value

    def _vector(self, kind: int, flags: int, depth: int) -> RList | None:
        source = self.source
        if kind in (SPECIAL, BUILTIN):
            source.chars(source.integer())
            return None
        if kind == S4:
            self.item(depth + 1) if flags & HAS_ATTRIBUTES else None
            return None
        if kind not in (LOGICAL, INTEGER, REAL, COMPLEX, STRINGS, LIST, EXPRESSIONS, RAW):
            raise SeedlotError(f"R object type {kind} is not read", where="compiled code or damage")
        count = source.integer()
        if count == -1:
            count = (source.integer() << 32) + (source.integer() & 0xFFFFFFFF)
        source.require(count if kind != RAW else 0)
        if kind in (LOGICAL, INTEGER):
            out = RList(source.integers(count))
        elif kind in (REAL, COMPLEX):
            out = RList(source.reals(count * (2 if kind == COMPLEX else 1)))
        elif kind == RAW:
            source.raw(count)
            out = RList([])
        elif kind == STRINGS and isinstance(source, Xdr):
            out = RList(source.strings(count))
        else:
            out = RList([self.item(depth + 1) for _ in range(count)])
        if flags & HAS_ATTRIBUTES:
            out.attributes = _named(self.item(depth + 1))
        return out


def _named(pairs: object) -> dict[str, object]:
    return dict(pairs) if isinstance(pairs, list) else {}
