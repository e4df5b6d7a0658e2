"""Simulated protein2ipr.dat, written from the format's documentation: six tab-separated columns, no header.

Columns: accession, InterPro entry, entry name, member signature, start, end (1-based, both ends included),
sorted by accession. As in the real file an accession stands in many rows, and one domain may be given twice
by two signatures with slightly different ends.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import numpy as np

from seedlot.catalog.manifest import Row
from seedlot.catalog.simulated import simulate
from seedlot.store.job import Job
from seedlot.worlds.proteome import proteome


def protein2ipr(n: int, seed: int) -> str:
    """The text of a protein2ipr.dat for `n` simulated proteins."""
    rng = np.random.default_rng([seed, 1])
    lines = []
    for protein in sorted(proteome(n, seed), key=lambda p: p.uid):
        for span in protein.spans:
            lines.append(
                f"{protein.uid}\t{span.entry}\t{span.name}\t{span.signature}\t{span.start0 + 1}\t{span.end0}"
            )
            if rng.random() < 0.3:
                start, end = span.start0 + 1 + int(rng.integers(0, 4)), span.end0 - int(rng.integers(0, 4))
                profile = "PS" + span.signature[2:].zfill(5)
                lines.append(f"{protein.uid}\t{span.entry}\t{span.name}\t{profile}\t{start}\t{end}")
    return "\n".join(lines) + "\n"


def raw_bytes(row: Row) -> bytes:
    """The raw file of one manifest row, whose url is `sim:<generator>?n=..&seed=..`."""
    query = dict(parse_qsl(urlsplit(row.url).query))
    return protein2ipr(int(query["n"]), int(query["seed"])).encode("ascii")


def run(job: Job) -> None:
    """Write the raw files of the rows of one receipt."""
    rows = [Row.from_dict(row) for row in job.params["rows"]]
    simulate(rows, job.root, "interpro", job.output["receipt"], raw_bytes)
