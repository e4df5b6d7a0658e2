"""Integer link arrays out of Python pickles, without running anything that a pickle could run.

Own gate in front of the standard library's unpickler: before a byte is unpickled, `pickletools` lists the
operations, and the file is refused unless every name it imports is on a list of six that rebuild NumPy
arrays of numbers. The unpickler itself then resolves only those names, to functions of ours that check
dtype and size. Lists, tuples and dictionaries of arrays and plain numbers are accepted around them.
A record is a row of an (m, 2) array, or a non-zero entry of a square matrix, as in `npy`.
"""

from __future__ import annotations

import io
import pickle
import pickletools

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs.model import RawGraph
from seedlot.formats.graphs.npy import size_of, to_graph

OPTIONS = ("key", "kind", "directed")
CORES = ("numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric")
ALLOWED = {
    *((core, "_reconstruct") for core in CORES[:2]),
    *((core, "scalar") for core in CORES[:2]),
    *((core, "_frombuffer") for core in CORES[2:]),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("_codecs", "encode"),
    ("__builtin__", "bytes"),
    ("builtins", "bytes"),
}
MAX_OPERATIONS = 20_000_000
"""Operations of a pickle that are looked at before it is refused as too long."""
DAMAGE = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, UnicodeError, MemoryError,
    OverflowError, RecursionError, ImportError, pickle.UnpicklingError,
)  # fmt: skip


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of an array, or one network for each array of a list or dictionary.

    args: key (of a dictionary, or position from 0), kind and directed as in `npy`. Raises SeedlotError,
    before any code can run, for a pickle that imports anything else than the parts of a number array.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    graphs = []
    for name, value in _arrays(data, args):
        graph = to_graph(value, args)
        graph.name = name
        graphs.append(graph)
    return graphs


def count(data: bytes, args: dict) -> int:
    """Rows or non-zero entries from totals of the arrays."""
    return sum(size_of(value, args) for _, value in _arrays(data, args))


def _arrays(data: bytes, args: dict) -> list[tuple[str, np.ndarray]]:
    inspect(data)
    try:
        value = Gate(io.BytesIO(data)).load()
    except DAMAGE as error:
        raise SeedlotError(f"the pickle is damaged: {type(error).__name__} {error}") from error
    items = list(value.items()) if isinstance(value, dict) else [("", value)]
    if isinstance(value, (list, tuple)) and not _is_rows(value):
        items = list(enumerate(value))
    wanted = args.get("key")
    if wanted is not None:
        items = [(k, v) for k, v in items if str(k) == str(wanted)]
    found = [(str(k)[:200], _array(v)) for k, v in items]
    found = [(k, v) for k, v in found if v is not None]
    if not found:
        raise SeedlotError(
            "the pickle holds no array of whole numbers", where=None if wanted is None else str(wanted)
        )
    return found


def _is_rows(value: list | tuple) -> bool:
    """A list of pairs of whole numbers, the link list of plain Python."""
    return bool(value) and all(
        isinstance(row, (list, tuple)) and len(row) == 2 and all(type(k) is int for k in row) for row in value
    )


def _array(value: object) -> np.ndarray | None:
    if isinstance(value, (list, tuple)) and _is_rows(value):
        if not all(abs(k) < 2**62 for row in value for k in row):
            raise SeedlotError("a node id of the pickle does not fit into 63 bits")
        value = np.array(value, np.int64)
    value = value.filled if isinstance(value, _Array) else value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biu" and value.ndim == 2:
        return value
    return None


def inspect(data: bytes) -> None:
    """Refuse a pickle by its list of operations; nothing is built or imported.

    Raises SeedlotError naming the first import outside ALLOWED, on out-of-band references, and on damage.
    """
    strings: list[str] = []
    memo: dict[int, str] = {}
    try:
        for number, (code, value, at) in enumerate(pickletools.genops(data)):
            if number > MAX_OPERATIONS:
                raise SeedlotError(f"the pickle has more than {MAX_OPERATIONS:,} operations")
            if code.name in ("GLOBAL", "INST"):
                _allow(tuple(value.split(" ", 1)), at)
            elif code.name == "STACK_GLOBAL":
                _allow(tuple(strings[-2:]), at)
            elif code.name in FORBIDDEN:
                raise SeedlotError(f"the pickle uses {code.name}: refused before running", where=f"byte {at}")
            elif "UNICODE" in code.name:
                strings.append(value)
            elif code.name in ("MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT"):
                if value is not None and value > number:
                    raise SeedlotError(f"the pickle asks for {value:,} memo places", where=f"byte {at}")
                memo[len(memo) if value is None else value] = strings[-1] if strings else ""
            elif code.name in ("BINGET", "LONG_BINGET", "GET"):
                strings.append(memo.get(value, ""))
    except DAMAGE as error:
        raise SeedlotError(f"the pickle is damaged: {type(error).__name__} {error}") from error


FORBIDDEN = ("PERSID", "BINPERSID", "EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "OBJ", "NEWOBJ", "NEWOBJ_EX")


def _allow(name: tuple[str, ...], at: int) -> None:
    if name not in ALLOWED:
        raise SeedlotError(
            f"the pickle imports '{'.'.join(name)[:100]}': refused before running",
            where=f"byte {at}",
            todo="only arrays of whole numbers are read; save the links as .npy or as text",
        )


class Gate(pickle.Unpickler):
    """Resolves the allowed names to checked stand-ins and nothing else."""

    def find_class(self, module: str, name: str):
        """The stand-in for an allowed name."""
        _allow((module, name), -1)
        return {
            "_reconstruct": _Array,
            "scalar": lambda dtype, raw=b"": _from_bytes(dtype, (), raw)[()],
            "_frombuffer": lambda raw, dtype, shape, order: _from_bytes(dtype, shape, raw, order),
            "ndarray": _Marker,
            "dtype": _Dtype,
            "encode": lambda text, encoding: text.encode(_codec(encoding)),
            "bytes": lambda *parts: bytes(*(p for p in parts if not isinstance(p, int))),
        }[name]


def _codec(name: str) -> str:
    if name not in ("latin1", "latin-1", "utf-8"):
        raise pickle.UnpicklingError(f"encoding {name!r}")
    return name


class _Marker:
    """Stands for numpy.ndarray, which the pickle names but never calls."""


class _Dtype:
    """A dtype of plain numbers: its code at construction, its byte order in the state."""

    def __init__(self, code: str, *_: object):
        if not isinstance(code, str) or code[:1] not in "biuf" or not code[1:].isdigit():
            raise pickle.UnpicklingError(f"dtype {code!r}")
        self.dtype = np.dtype(code)

    def __setstate__(self, state: tuple) -> None:
        if state[1] in ("<", ">"):
            self.dtype = self.dtype.newbyteorder(state[1])


class _Array:
    """Stands for an array until its state, once checked, gives it shape and values."""

    filled: np.ndarray | None = None

    def __init__(self, *_: object):
        """The pickle's placeholder arguments (class, shape, code) carry no information."""

    def __setstate__(self, state: tuple) -> None:
        _, shape, dtype, fortran, raw = state
        self.filled = _from_bytes(dtype, shape, raw, "F" if fortran else "C")


def _from_bytes(dtype: _Dtype, shape: tuple, raw: bytes, order: str = "C") -> np.ndarray:
    """An array whose declared shape is exactly its bytes."""
    kind = dtype.dtype
    if not isinstance(raw, (bytes, bytearray)) or np.prod([float(k) for k in shape]) * kind.itemsize != len(
        raw
    ):
        raise pickle.UnpicklingError(f"{len(raw)} bytes do not fill shape {shape}")
    return np.frombuffer(raw, kind).reshape(shape, order=order)
