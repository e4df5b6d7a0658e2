"""NumPy `.npy` and `.npz`: dense matrices, scipy.sparse archives, and (m, 2) or (2, m) integer link arrays.

numpy's own reader with allow_pickle=False, after a look at the header: the array's size must match the bytes
at hand, so that a declared shape cannot make it allocate. A record is a non-zero entry, a stored entry of a
sparse matrix, or a row of a link array.
"""

from __future__ import annotations

import ast
import io
import math
import struct

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits
from seedlot.formats.graphs.arrays import by_ids, count_matrix, from_matrix
from seedlot.formats.graphs.model import RawGraph, Reject
from seedlot.formats.graphs.open import ZipBox, sniff

OPTIONS = ("array", "directed", "kind")
SPARSE = {"data.npy", "indices.npy", "indptr.npy", "shape.npy"}
MAGIC = b"\x93NUMPY"


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of an array.

    args: array, the name inside an `.npz` (needed when it holds several and is no scipy.sparse archive);
    kind, 'matrix' or 'links' (default: links when integer of shape (m, 2) with m != 2, or (2, m) with m > 2);
    directed (bool; default: asymmetry for matrices, False for links). Rejects: 'not_finite' entries,
    'bad_id' rows with a negative id. Raises SeedlotError for objects (pickles), damage and other shapes.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    return [to_graph(_load(data, args), args)]


def to_graph(value, args: dict) -> RawGraph:
    """A RawGraph from an array or a scipy.sparse matrix; see `read` for kind and directed."""
    if not isinstance(value, np.ndarray):
        return _sparse(value, args.get("directed"))
    kind = args.get("kind", "links" if _is_links(value) else "matrix")
    if kind not in ("matrix", "links"):
        raise unknown("kind of array", str(kind), ("matrix", "links"))
    if kind == "matrix":
        return from_matrix(value, directed=args.get("directed"))
    pairs = _pairs(value)
    good = (pairs >= 0).all(axis=1)
    limits.check_rejects(int((~good).sum()), "link array")
    rejects = [Reject(None, int(k), "bad_id", str(pairs[k].tolist())) for k in np.flatnonzero(~good)]
    return by_ids(
        pairs[good, 0],
        pairs[good, 1],
        name="",
        directed=bool(args.get("directed", False)),
        read=len(pairs),
        rejects=rejects,
    )


def size_of(value, args: dict) -> int:
    """Records of `to_graph`, from totals."""
    if not isinstance(value, np.ndarray):
        return _sparse_size(value, args.get("directed"))
    if args.get("kind", "links" if _is_links(value) else "matrix") == "matrix":
        return count_matrix(value, args.get("directed"))
    return value.size // 2


def _is_links(value: np.ndarray) -> bool:
    return value.dtype.kind in "iu" and value.ndim == 2 and 2 in value.shape and value.shape != (2, 2)


def _pairs(value: np.ndarray) -> np.ndarray:
    """(m, 2) int64 of an integer link array."""
    if not (value.dtype.kind in "iu" and value.ndim == 2 and 2 in value.shape):
        raise SeedlotError(
            f"expected an (m, 2) array of integers, found {value.dtype} of shape {value.shape}"
        )
    pairs = value if value.shape[1] == 2 else value.T
    if pairs.dtype == np.uint64 and pairs.size and pairs.max() > np.iinfo(np.int64).max:
        raise SeedlotError("a node id does not fit into 63 bits")
    return pairs.astype(np.int64)


def _sparse(matrix, directed: bool | None) -> RawGraph:
    symmetric = matrix.shape == matrix.T.shape and (matrix != matrix.T).nnz == 0
    directed = not symmetric if directed is None else directed
    entries = matrix.tocoo()
    rows, columns, value = entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
    pick = value != 0 if directed else (value != 0) & (rows <= columns)
    rows, columns, value = rows[pick], columns[pick], value[pick].astype(np.float64)
    good = np.isfinite(value)
    limits.check_rejects(int((~good).sum()), "matrix")
    return RawGraph(
        name="",
        n=limits.check_nodes(max(matrix.shape), 16 * entries.nnz, "matrix"),
        labels=None,
        id_base=0,
        src=rows[good],
        dst=columns[good],
        directed=directed,
        weight=value[good],
        read=len(rows),
        kept=int(good.sum()),
        rejects=[
            Reject(None, int(k), "not_finite", f"row {rows[k]} column {columns[k]}")
            for k in np.flatnonzero(~good)
        ],
    )


def _sparse_size(matrix, directed: bool | None) -> int:
    from scipy.sparse import triu

    symmetric = (matrix != matrix.T).nnz == 0
    return int((matrix if (directed is None and not symmetric) or directed else triu(matrix)).count_nonzero())


def _load(data: bytes, args: dict):
    """The wanted array, or a scipy.sparse matrix for a scipy archive."""
    if data.startswith(MAGIC):
        return load_array(data, "array")
    if sniff(data) != "zip":
        raise SeedlotError("not a .npy or .npz file: the first bytes are not NumPy's", where="byte 0")
    box = ZipBox(data, "npz")
    if set(box.names) >= SPARSE and "array" not in args:
        return _scipy(box)
    names = [name.removesuffix(".npy") for name in box.names if name.endswith(".npy")]
    wanted = args.get("array", names[0] if len(names) == 1 else None)
    if wanted not in names:
        raise unknown("array", str(wanted), names, where="option 'array'")
    return load_array(box.read(f"{wanted}.npy"), wanted)


def load_array(data: bytes, where: str) -> np.ndarray:
    """One .npy array of plain numbers whose declared size is exactly the bytes that follow."""
    try:
        start, shape, dtype = _header(data)
    except (
        ValueError,
        TypeError,
        LookupError,
        SyntaxError,
        struct.error,
        RecursionError,
        MemoryError,
    ) as error:
        raise SeedlotError(f"the .npy header is damaged: {error}", where=where) from error
    if dtype.hasobject or dtype.kind not in "biuf":
        raise SeedlotError(f"an array of {dtype} is refused: only plain numbers are read", where=where)
    if math.prod(shape) * dtype.itemsize != len(data) - start:
        raise SeedlotError(f"the .npy header declares {shape} of {dtype}, {len(data) - start:,} bytes follow")
    try:
        return np.load(io.BytesIO(data), allow_pickle=False)
    except ValueError as error:
        raise SeedlotError(f"the .npy header is damaged: {error}", where=where) from error


def _header(data: bytes) -> tuple[int, tuple[int, ...], np.dtype]:
    """(bytes before the values, shape, dtype) of a .npy file."""
    size, start = struct.unpack_from("<H" if data[6] == 1 else "<I", data, 8)[0], 10 if data[6] == 1 else 12
    if data[:6] != MAGIC or data[6] not in (1, 2, 3) or size > 1 << 16 or start + size > len(data):
        raise ValueError("unknown version, or a header longer than the file")
    head = ast.literal_eval(data[start : start + size].decode("latin-1"))
    shape = tuple(int(k) for k in head["shape"])
    if any(k < 0 for k in shape):
        raise ValueError(f"shape {shape}")
    return start + size, shape, np.dtype(head["descr"])


def _scipy(box: ZipBox):
    """A scipy.sparse archive in compressed rows or columns, checked before scipy sees it."""
    from scipy.sparse import csc_array, csr_array

    parts = {
        name: load_array(box.read(f"{name}.npy"), name) for name in ("data", "indices", "indptr", "shape")
    }
    layout = box.read("format.npy").replace(b"\0", b"")[-3:] if "format.npy" in box.names else b"csr"
    if layout not in (b"csr", b"csc"):
        raise SeedlotError(f"a sparse matrix stored as {layout!r} is not read", todo="save it as csr or csc")
    shape = tuple(int(k) for k in parts["shape"].ravel())
    if len(shape) != 2 or shape[0] != shape[1] or len(parts["indptr"].ravel()) != shape[0] + 1:
        raise SeedlotError(f"a sparse matrix of shape {shape} is not square, or its index does not fit")
    made = csr_array if layout == b"csr" else csc_array
    try:
        matrix = made((parts["data"], parts["indices"], parts["indptr"]), shape=shape)
        matrix.check_format(full_check=True)
    except (ValueError, TypeError) as error:
        raise SeedlotError(f"the sparse matrix is damaged: {error}") from error
    matrix.sum_duplicates()
    return matrix


def count(data: bytes, args: dict) -> int:
    """Non-zero entries, stored entries or pairs, from totals of the array."""
    return size_of(_load(data, args), args)
