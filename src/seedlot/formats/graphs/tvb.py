"""The Virtual Brain's connectivity archives: `weights.txt` in a zip, region names in `centres.txt`.

Own reader of three members (the TVB library would bring a simulator). Entry (i, j) of the weights is the
strength from region j to region i, so that a link runs from the column to the row. A record is a non-zero
weight. Members may lie in a folder and may be bzip2-compressed.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import matrix, tokens
from seedlot.formats.graphs.arrays import from_matrix
from seedlot.formats.graphs.model import RawGraph
from seedlot.formats.graphs.open import ZipBox, unpack


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The connectome of an archive; labels from `centres.txt` where it has one name a region.

    There are no options. Directed unless the weights are symmetric. Weights that are not finite numbers
    become rejects. Raises SeedlotError without `weights.txt`, or when it is not square.
    """
    for key in args:
        if key != "format":
            raise SeedlotError(f"this format has no reader option '{key}'")
    box = ZipBox(data, "connectivity archive")
    weights = matrix.parse(_member(box, "weights"))
    graph = from_matrix(weights.T)
    if any(PurePosixPath(n).name.startswith("centres.txt") for n in box.names):
        graph.labels = _names(_member(box, "centres"), graph.n)
    return [graph]


def _member(box: ZipBox, stem: str) -> bytes:
    hits = [n for n in box.names if PurePosixPath(n).name in (f"{stem}.txt", f"{stem}.txt.bz2")]
    if len(hits) != 1:
        raise SeedlotError(f"expected one {stem}.txt in the archive, found {len(hits)}", where=box.where)
    return unpack(box.read(hits[0]), where=hits[0])


def _names(data: bytes, n: int) -> list[str] | None:
    rows = [row.split() for row in tokens.decode(tokens.normalise(data)).splitlines() if row.strip()]
    if len(rows) != n or not all(row and row[0] for row in rows):
        return None
    return [row[0] for row in rows]


def count(data: bytes, args: dict) -> int:
    """Non-zero weights, by the counter of text matrices."""
    return matrix.count(_member(ZipBox(data, "connectivity archive"), "weights"), {})
