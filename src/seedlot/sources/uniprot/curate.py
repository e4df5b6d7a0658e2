"""UniProtKB FASTA -> core_uniprot__proteins.

Records are split by Biopython's SimpleFastaParser, which is fast and right; the header grammar
`>db|accession|entry name ...` is read here, because the columns are the point.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from seedlot.catalog.manifest import Row
from seedlot.catalog.receipts import fetched
from seedlot.contracts.model import contract
from seedlot.store.job import Job
from seedlot.store.parquet import write_table
from seedlot.store.rejects import write_items, write_rejects

HEADER = re.compile(r"(sp|tr)\|([A-Z0-9]{6}|[A-Z0-9]{10})\|(\S+)")
SEQUENCE = re.compile(r"[A-Z]+\Z")


def count(path: Path) -> int:
    """Records in a FASTA file: lines that begin with '>'."""
    with path.open("rb") as handle:
        return sum(line.startswith(b">") for line in handle)


def read(path: Path, item: str, evidence: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(kept rows, reject rows) of one FASTA file."""
    from Bio.SeqIO.FastaIO import SimpleFastaParser

    kept: dict[str, dict[str, Any]] = {}
    rejects = []
    with path.open(encoding="utf-8", errors="replace") as handle:
        for record, (title, sequence) in enumerate(SimpleFastaParser(handle), 1):
            match = HEADER.match(title)
            if not match:
                reason = "header_not_uniprot"
            elif not SEQUENCE.match(sequence):
                reason = "sequence_empty" if not sequence else "sequence_letter"
            elif match[2] in kept:
                reason = "accession_repeated"
            else:
                kept[match[2]] = {
                    "uid": match[2],
                    "entry_name": match[3],
                    "reviewed": match[1] == "sp",
                    "length": len(sequence),
                    "sequence": sequence,
                    "evidence": evidence,
                }
                continue
            rejects.append(
                {"item": item, "file": path.name, "record": record, "reason": reason, "text": title}
            )
    return list(kept.values()), rejects


def run(job: Job) -> None:
    """Curate the FASTA files of one shard."""
    rows = {r["item"]: Row.from_dict(r) for r in job.params["rows"]}
    table, rejects, items = [], [], []
    for receipt in fetched(job.paths("receipts"), items):
        path = job.root / receipt.path
        evidence = "simulated" if rows[receipt.item].origin == "simulated" else "real"
        kept, bad = read(path, receipt.item, evidence)
        counts = {"read": count(path), "kept": len(kept), "rejected": len(bad)}
        items.append({"item": receipt.item, "status": "ok", **counts})
        table += kept
        rejects += bad
    schema = contract("core_uniprot__proteins").arrow_schema()
    write_table(job.output["proteins"], pa.Table.from_pylist(table, schema=schema), schema, ["uid"])
    write_items(job.output["outcomes"], items)
    write_rejects(job.output["rejects"], rejects)
