"""Join the shards of one method into one published file per table."""

from __future__ import annotations

from seedlot.contracts.model import contract
from seedlot.store.job import Job
from seedlot.store.parquet import read_table, write_table
from seedlot.store.rejects import write_items


def run(job: Job) -> None:
    """Inputs and outputs: runs, curves, timings (tables of the study) and outcomes, many files to one each."""
    for name in ("runs", "curves", "timings"):
        promise = contract(f"study_lgd_na__{name}")
        write_table(job.output[name], read_table(job.paths(name)), promise.arrow_schema(), promise.key)
    write_items(job.output["outcomes"], read_table(job.paths("outcomes")).to_pylist())
