"""Bounds that keep a hostile or broken file from taking the machine down."""

from __future__ import annotations

from seedlot.config.errors import SeedlotError

MAX_BYTES = 2 << 30
"""Largest decompressed file, in bytes."""

MAX_RATIO = 1_000
"""Largest decompressed : compressed ratio, applied above RATIO_FREE bytes of output."""

RATIO_FREE = 16 << 20
"""Output below this size is never called a bomb, in bytes."""

MAX_MEMBERS = 100_000
"""Most members of an archive."""

MAX_NODES = 50_000_000
"""Most nodes of one network. Never allocate by a declared size before it is known to be consistent with
the bytes at hand: a header or a largest id is a claim, not a measurement."""

MAX_REJECTS = 100_000
"""Most rejected records of one network; more of them mean that the file is not in this format."""

MAX_REJECT_TEXT = 200
"""Characters kept of a rejected record."""

FREE_NODES = 100_000
"""Declared nodes that need no evidence; see check_nodes."""

ISOLATED_PER_BYTE = 8
"""Declared nodes allowed for each byte of the file beyond FREE_NODES."""


def check_nodes(declared: int, size: int, where: str) -> int:
    """Accept a declared node count, or refuse it before anything of its size is allocated.

    declared: the count a header states. size: bytes of the decompressed file. A count that no file of this
    size can mean (10^12 nodes in 40 bytes) raises SeedlotError; the count is returned otherwise.
    """
    if declared < 0 or declared > MAX_NODES or declared > FREE_NODES + ISOLATED_PER_BYTE * size:
        raise SeedlotError(
            f"the file declares {declared:,} nodes, which its {size:,} bytes cannot hold",
            where=where,
            todo="check the header; the largest network read is "
            f"{MAX_NODES:,} nodes, and isolated nodes must be in proportion to the file",
        )
    return declared


def check_rejects(count: int, where: str) -> None:
    """Stop reading a file that is plainly in another format."""
    if count > MAX_REJECTS:
        raise SeedlotError(
            f"more than {MAX_REJECTS:,} records cannot be read",
            where=where,
            todo="the file is probably in another format: name it with the format column",
        )
