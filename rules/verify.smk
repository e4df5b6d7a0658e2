"""Verification, the same for every source and study: check each part, judge all parts together."""


rule verify_check:
    """Count violations of the contracts in one part of a subject's tables."""
    input:
        unpack(W.check_inputs),
    output:
        checks="<work>/{subject}/checks/{part}.parquet",
    log:
        "<log>/{subject}/check/{part}.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        entry="seedlot.contracts.check:run",
        tables=lambda w: W.tables_of_part(w.subject, w.part),
        checks=lambda w: W.checks(*W.tables_of_part(w.subject, w.part)),
    script:
        "../scripts/job.py"


rule verify_judge:
    """Judge the check tables of one source or study; the verdict lists lots, counts and failed checks."""
    input:
        unpack(W.judge_inputs),
    output:
        verdict="<work>/{subject}/verdict.json",
        docs="<work>/{subject}/verdict.html",
    log:
        "<log>/{subject}/judge.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        entry="seedlot.contracts.judge:run",
        subject="{subject}",
        run=W.run,
        tables=lambda w: W.tables_of(w.subject),
        checks=lambda w: W.checks(*W.tables_of(w.subject)),
    script:
        "../scripts/job.py"
