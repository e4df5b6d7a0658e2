"""Span lengths per InterPro entry, and the two method checks."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from seedlot.contracts.gate import require_pass
from seedlot.report.ledger import method_check, write_ledger
from seedlot.store.job import Job

KINASE, KINASE_RESIDUES = "IPR000719", 260


def summary(spans: pl.DataFrame) -> pl.DataFrame:
    """Per entry: spans, proteins, quartiles of the span length in residues, mean coverage of the protein."""
    length = pl.col("end0") - pl.col("start0")
    return (
        spans.group_by("interpro_id")
        .agg(
            pl.len().alias("spans"),
            pl.col("uid").n_unique().alias("proteins"),
            length.quantile(0.25, "linear").alias("q25_residues"),
            length.median().alias("median_residues"),
            length.quantile(0.75, "linear").alias("q75_residues"),
            (length / pl.col("protein_length")).mean().alias("mean_coverage"),
        )
        .sort("interpro_id")
    )


def overlapping(spans: pl.DataFrame) -> int:
    """Neighbouring spans of one entry on one protein that overlap."""
    ordered = spans.sort("uid", "interpro_id", "start0")
    before = pl.col("end0").shift(1).over("uid", "interpro_id")
    return ordered.filter(pl.col("start0") < before).height


def run(job: Job) -> None:
    """Write the summary and the ledger."""
    require_pass(job.path("verdict"), ["join_proteins__spans"])
    spans = pl.read_parquet(job.paths("spans"))
    table = summary(spans)
    table.write_parquet(job.output["summary"])
    kinase = table.filter(pl.col("interpro_id") == KINASE).row(0, named=True)
    claims = Path(__file__).with_name("claims.yaml")
    off = abs(kinase["median_residues"] - KINASE_RESIDUES)
    rows = [
        method_check(claims, "domain_spans", "kinase_length", off, kinase["spans"], "domain_spans"),
        method_check(
            claims, "domain_spans", "one_span_per_domain", overlapping(spans), spans.height, "domain_spans"
        ),
    ]
    write_ledger(job.output["ledger"], rows)
