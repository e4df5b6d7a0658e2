"""UniProt x InterPro -> join_proteins__spans: matches of an entry on a protein merged to spans."""

from __future__ import annotations

import polars as pl

from seedlot.contracts.gate import require_pass
from seedlot.contracts.model import contract
from seedlot.store.job import Job
from seedlot.store.parquet import write_table


def merge_spans(matches: pl.DataFrame) -> pl.DataFrame:
    """Merge overlapping or touching half-open intervals per (uid, interpro_id); adds n_matches.

    A new span starts where a match begins after everything before it has ended.
    """
    by = ["uid", "interpro_id"]
    ordered = matches.sort([*by, "start0", "end0"]).with_columns(
        pl.col("end0").cum_max().shift(1).over(by).alias("reach")
    )
    opens = (pl.col("reach").is_null() | (pl.col("start0") > pl.col("reach"))).cast(pl.Int32)
    return (
        ordered.with_columns(opens.cum_sum().over(by).alias("span"))
        .group_by([*by, "span"])
        .agg(
            pl.col("start0").min(),
            pl.col("end0").max(),
            pl.len().cast(pl.Int32).alias("n_matches"),
            pl.col("evidence").first(),
        )
        .drop("span")
    )


def run(job: Job) -> None:
    """Join the two published tables; both verdicts must have passed."""
    require_pass(job.path("uniprot_verdict"), ["core_uniprot__proteins"])
    require_pass(job.path("interpro_verdict"), ["core_interpro__matches"])
    proteins = pl.read_parquet(job.paths("proteins"), columns=["uid", "length", "evidence"])
    spans = merge_spans(pl.read_parquet(job.paths("matches")))
    joined = spans.join(
        proteins.rename({"length": "protein_length", "evidence": "protein_evidence"}), on="uid", how="inner"
    )
    same = pl.col("evidence") == pl.col("protein_evidence")
    joined = joined.with_columns(pl.when(same).then("evidence").otherwise(pl.lit("mixed")).alias("evidence"))
    made = contract("join_proteins__spans")
    table = joined.select(made.arrow_schema().names).to_arrow()
    write_table(job.output["spans"], table, made.arrow_schema(), made.key)
