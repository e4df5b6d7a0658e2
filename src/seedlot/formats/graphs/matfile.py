"""Adjacency matrices in MATLAB `.mat` files.

Version 5 by our own `mat5`; version 7.3, which is HDF5, by h5py (MATLAB's column order means that arrays
arrive transposed). Version 4 is not read. A record is a non-zero entry; a symmetric matrix gives one
triangle.
"""

from __future__ import annotations

import io
import math

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits
from seedlot.formats.graphs.mat5 import variables
from seedlot.formats.graphs.model import RawGraph
from seedlot.formats.graphs.npy import size_of, to_graph

OPTIONS = ("variable", "directed", "kind")
DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OSError,
    EOFError,
    RuntimeError,
    ArithmeticError,
    MemoryError,
)
"""What h5py raises on damaged files."""


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The network of one variable.

    args: variable (needed when not exactly one square matrix is in the file), directed and kind as in
    `npy`. Raises SeedlotError for damage, and for variables that are not numeric matrices.
    """
    for key in args:
        if key not in (*OPTIONS, "format"):
            raise unknown("reader option", key, OPTIONS)
    return [to_graph(_load(data, args.get("variable")), args)]


def count(data: bytes, args: dict) -> int:
    """Non-zero entries from totals of the matrix."""
    return size_of(_load(data, args.get("variable")), args)


def _load(data: bytes, wanted: str | None):
    try:
        if b"\x89HDF\r\n\x1a\n" in data[:2048]:
            return _hdf5(data, wanted)
    except DAMAGE as error:
        raise SeedlotError(f"the .mat file is damaged: {type(error).__name__} {error}") from error
    return _version5(data, wanted)


def _choose(shapes: dict[str, tuple], wanted: str | None) -> str:
    """The wanted variable, or the only square matrix of at least 2 x 2."""
    if wanted is not None:
        if wanted not in shapes:
            raise unknown("variable", wanted, shapes)
        return wanted
    square = [name for name, s in shapes.items() if len(s) == 2 and s[0] == s[1] and s[0] > 1]
    if len(square) != 1:
        raise SeedlotError(
            f"the .mat file holds {len(square)} square matrices: {', '.join(list(shapes)[:20])}",
            todo="name one with the reader argument 'variable'",
        )
    return square[0]


def _version5(data: bytes, wanted: str | None):
    listed = variables(data)
    variable = listed[_choose({name: found.shape for name, found in listed.items()}, wanted)]
    limits.check_nodes(max(variable.shape), limits.MAX_RATIO * len(data), variable.name)
    value = variable.value()
    if not isinstance(value, np.ndarray) and value.shape[0] != value.shape[1]:
        raise SeedlotError(f"the sparse matrix '{variable.name}' of shape {value.shape} is not square")
    return value


def _plain(value: np.ndarray, name: str) -> np.ndarray:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf" or value.ndim != 2:
        raise SeedlotError(f"the variable '{name}' is not a matrix of real numbers")
    return value


def _hdf5(data: bytes, wanted: str | None):
    import h5py

    with h5py.File(io.BytesIO(data), "r") as file:
        sets, groups = {}, {}
        for name in file:
            link = file.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                continue
            if isinstance(file[name], h5py.Dataset):
                sets[name] = file[name].shape
            elif "MATLAB_sparse" in file[name].attrs:
                rows = int(file[name].attrs["MATLAB_sparse"])
                groups[name] = (rows, len(file[name]["jc"]) - 1)
        name = _choose(sets | groups, wanted)
        if name in groups:
            return _hdf5_sparse(file[name], groups[name])
        size = math.prod(file[name].shape) * file[name].dtype.itemsize
        stored = file[name].id.get_storage_size()
        if size > min(limits.MAX_BYTES, max(limits.RATIO_FREE, limits.MAX_RATIO * stored)):
            raise SeedlotError(f"the variable '{name}' declares {size:,} bytes, {stored:,} are stored")
        return _plain(file[name][()].T, name)


def _hdf5_sparse(group, shape: tuple[int, int]):
    """MATLAB's sparse layout: column starts jc, row indices ir, values data."""
    from scipy.sparse import csc_array

    if shape[0] != shape[1]:
        raise SeedlotError(f"the sparse matrix of shape {shape} is not square")
    for part in ("jc", "ir", "data"):
        size = group[part].size * group[part].dtype.itemsize if part in group else 0
        stored = group[part].id.get_storage_size() if part in group else 0
        if size > max(limits.RATIO_FREE, limits.MAX_RATIO * stored):
            raise SeedlotError(
                f"the sparse matrix declares {size:,} bytes of '{part}', {stored:,} are stored"
            )
    starts = group["jc"][()].astype(np.int64)
    rows = group["ir"][()].astype(np.int64) if "ir" in group else np.zeros(0, np.int64)
    value = group["data"][()] if "data" in group else np.zeros(0)
    matrix = csc_array((value.astype(np.float64), rows, starts), shape=shape)
    matrix.check_format(full_check=True)
    matrix.sum_duplicates()
    return matrix.tocsr()
