"""Simulated UniProtKB FASTA, written from the format's documentation (header `>sp|accession|name text OS= OX= ...`)."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from seedlot.catalog.manifest import Row
from seedlot.catalog.simulated import simulate
from seedlot.store.job import Job
from seedlot.worlds.proteome import proteome

WIDTH = 60  # residues per line in UniProt's own files


def fasta(n: int, seed: int) -> str:
    """FASTA text of `n` simulated proteins."""
    lines = []
    for protein in proteome(n, seed):
        name = f"{protein.uid}_SIMUL"
        lines.append(f">sp|{protein.uid}|{name} Simulated protein OS=Simulated organism OX=0 PE=5 SV=1")
        lines += [protein.sequence[i : i + WIDTH] for i in range(0, len(protein.sequence), WIDTH)]
    return "\n".join(lines) + "\n"


def raw_bytes(row: Row) -> bytes:
    """The raw file of one manifest row, whose url is `sim:<generator>?n=..&seed=..`."""
    query = dict(parse_qsl(urlsplit(row.url).query))
    return fasta(int(query["n"]), int(query["seed"])).encode("ascii")


def run(job: Job) -> None:
    """Write the raw files of the rows of one receipt."""
    rows = [Row.from_dict(row) for row in job.params["rows"]]
    simulate(rows, job.root, "uniprot", job.output["receipt"], raw_bytes)
