"""The one Zarr v3 writer: whole shards only, one codec, arrays that xarray opens with names and units."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from zarr.codecs import BytesCodec, ShardingCodec, ZstdCodec

from seedlot.config.errors import SeedlotError, unknown
from seedlot.store.atomic import atomic_folder

# Raised by hand whenever the same values would give other bytes under the same library versions.
FORMAT = 1
ZSTD_LEVEL = 3


@dataclass(frozen=True)
class ArraySpec:
    """Layout and meaning of one array of numbers.

    dims: a name per axis. shape, chunks, shards: lengths per axis; a shard is the unit of writing and holds
    whole chunks, the unit of reading. dtype: a NumPy number type. unit: "1" for pure numbers. A coordinate
    is an array of one axis that carries the name of its axis.
    """

    dims: Sequence[str]
    shape: Sequence[int]
    dtype: str
    chunks: Sequence[int]
    shards: Sequence[int]
    unit: str
    description: str
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def check(self, name: str) -> None:
        """Raise SeedlotError unless the numbers of axes agree and shards hold whole chunks."""
        axes = {len(self.dims), len(self.shape), len(self.chunks), len(self.shards)}
        if len(axes) != 1 or axes == {0}:
            raise SeedlotError("dims, shape, chunks and shards differ in length", where=f"array '{name}'")
        if len(set(self.dims)) != len(self.dims):
            raise SeedlotError(f"an axis name occurs twice in {list(self.dims)}", where=f"array '{name}'")
        if min(*self.shape, *self.chunks, *self.shards) < 1:
            raise SeedlotError("a length below 1", where=f"array '{name}'", todo="leave empty arrays out")
        for axis, chunk, shard in zip(self.dims, self.chunks, self.shards):
            if shard % chunk:
                raise SeedlotError(
                    f"shard length {shard} of axis '{axis}' is no multiple of chunk length {chunk}",
                    where=f"array '{name}'",
                )
        if np.dtype(self.dtype).kind not in "biuf":
            raise SeedlotError(f"type {self.dtype} is no number", where=f"array '{name}'")


class Writer:
    """Fills the arrays of one store, shard by shard. Made by `zarr_writer`, used inside its `with` block."""

    def __init__(self, group: zarr.Group, specs: Mapping[str, ArraySpec]):
        self.specs = dict(specs)
        self.arrays = {name: _create(group, name, spec) for name, spec in self.specs.items()}
        self.missing = {name: set(itertools.product(*_grid(spec))) for name, spec in self.specs.items()}

    def write(self, name: str, values: Any, origin: Sequence[int] | None = None) -> None:
        """Write a block of one or more whole shards of array `name`, its first element at `origin`.

        values: array-like of the array's own type; origin: index per axis, all zeros by default. Each axis
        must start on a shard's boundary and end on one, or at the array's end. Raises SeedlotError for
        unaligned blocks, another type, and shards written twice.
        """
        spec = self._spec(name)
        values = np.asarray(values)
        origin = [0] * len(spec.shape) if origin is None else list(origin)
        if values.dtype != np.dtype(spec.dtype):
            raise SeedlotError(f"block is {values.dtype}, expected {spec.dtype}", where=f"array '{name}'")
        if values.ndim != len(spec.shape) or len(origin) != len(spec.shape):
            raise SeedlotError(f"block of shape {values.shape} at {origin}", where=f"array '{name}'")
        ranges = [
            _shard_range(name, axis, start, start + length, size, shard)
            for axis, start, length, size, shard in zip(
                spec.dims, origin, values.shape, spec.shape, spec.shards
            )
        ]
        shards = set(itertools.product(*ranges))
        again = shards - self.missing[name]
        if again:
            raise SeedlotError(f"shard {min(again)} is written twice", where=f"array '{name}'")
        where = tuple(slice(o, o + n) for o, n in zip(origin, values.shape))
        self.arrays[name][where] = values
        self.missing[name] -= shards

    def write_blocks(self, name: str, lazy: Any) -> None:
        """Write a whole chunked array (as Dask makes them: `.chunks`, `.blocks`) one block at a time.

        Every boundary between its blocks must be a shard's boundary: a shard written in pieces loses
        values when two pieces are written at once. Raises SeedlotError otherwise, before anything is computed.
        """
        spec = self._spec(name)
        if tuple(sum(c) for c in lazy.chunks) != tuple(spec.shape):
            raise SeedlotError(
                f"blocks {lazy.chunks} do not make up shape {spec.shape}", where=f"array '{name}'"
            )
        starts = [np.cumsum([0, *c])[:-1].tolist() for c in lazy.chunks]
        for axis, firsts, lengths, size, shard in zip(
            spec.dims, starts, lazy.chunks, spec.shape, spec.shards
        ):
            for start, length in zip(firsts, lengths):
                _shard_range(name, axis, start, start + length, size, shard)
        for index in itertools.product(*(range(len(c)) for c in lazy.chunks)):
            origin = [starts[axis][i] for axis, i in enumerate(index)]
            self.write(name, lazy.blocks[index], origin)

    def demand_complete(self) -> None:
        """Raise SeedlotError when a shard of any array was never written."""
        for name, left in self.missing.items():
            if left:
                raise SeedlotError(
                    f"{len(left)} shards not written, first {min(left)}", where=f"array '{name}'"
                )

    def _spec(self, name: str) -> ArraySpec:
        if name not in self.specs:
            raise unknown("array", name, self.specs)
        return self.specs[name]


@contextmanager
def zarr_writer(
    path: Path | str, arrays: Mapping[str, ArraySpec], attrs: Mapping[str, Any] | None = None
) -> Iterator[Writer]:
    """Make a Zarr v3 group at `path` with these arrays; the `with` block writes every shard exactly once.

    The store appears at `path` whole, when the block ends and no shard is missing, or not at all. Values
    are zstd-compressed chunks inside shards with a checksummed index. `attrs` go to the group; arrays carry
    `units` and `long_name`. One process writes a store; larger datasets are several stores. Metadata is not
    consolidated, which Zarr v3 does not specify: `xarray.open_zarr(path, consolidated=False)` opens it.
    """
    for name, spec in arrays.items():
        spec.check(name)
    _demand_one_length_per_axis(arrays)
    with atomic_folder(path) as folder:
        group = zarr.create_group(
            store=folder, zarr_format=3, attributes={**(attrs or {}), "seedlot_format": FORMAT}
        )
        writer = Writer(group, arrays)
        yield writer
        writer.demand_complete()


def _create(group: zarr.Group, name: str, spec: ArraySpec) -> zarr.Array:
    inner = [BytesCodec(endian="little"), ZstdCodec(level=ZSTD_LEVEL, checksum=False)]
    return group.create_array(
        name,
        shape=tuple(spec.shape),
        chunks=tuple(spec.shards),
        dtype=spec.dtype,
        serializer=ShardingCodec(chunk_shape=tuple(spec.chunks), codecs=inner),
        compressors=None,
        filters=None,
        fill_value=0,
        dimension_names=tuple(spec.dims),
        attributes={**spec.attrs, "units": spec.unit, "long_name": spec.description},
        config={"write_empty_chunks": True},
    )


def _grid(spec: ArraySpec) -> list[range]:
    return [range(-(-size // shard)) for size, shard in zip(spec.shape, spec.shards)]


def _shard_range(name: str, axis: str, start: int, stop: int, size: int, shard: int) -> range:
    """Shard numbers that [start, stop) covers along one axis, which it must cover whole."""
    if start < 0 or stop > size or start >= stop:
        raise SeedlotError(
            f"[{start}, {stop}) is outside 0..{size} of axis '{axis}'", where=f"array '{name}'"
        )
    if start % shard or (stop % shard and stop != size):
        raise SeedlotError(
            f"block [{start}, {stop}) of axis '{axis}' cuts a shard of length {shard}",
            where=f"array '{name}'",
            todo=f"rechunk so that blocks of axis '{axis}' start and end at multiples of {shard}",
        )
    return range(start // shard, -(-stop // shard))


def _demand_one_length_per_axis(arrays: Mapping[str, ArraySpec]) -> None:
    lengths: dict[str, tuple[int, str]] = {}
    for name, spec in arrays.items():
        for axis, size in zip(spec.dims, spec.shape):
            other_size, other = lengths.setdefault(axis, (size, name))
            if other_size != size:
                raise SeedlotError(f"axis '{axis}' is {size} long in '{name}', {other_size} in '{other}'")
