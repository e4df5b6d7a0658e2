"""The report over all runs present, and the gate behind it."""


rule report:
    """Write results/report/index.html: claims ledger, datasets with verdicts, figures, failures, run times."""
    input:
        products=lambda w: W.products(W.config),
        lock="resources/claims.lock.tsv",
    output:
        page="<report>/index.html",
    log:
        "<log>/report.log",
    localrule: True
    conda:
        "../envs/seedlot.yaml"
    params:
        entry="seedlot.report.site:run",
        run=W.run,
        inventory=lambda w: W.inventory(W.config),
    script:
        "../scripts/job.py"


rule final_gate:
    """Fail when an item failed or a verdict was refused; runs after the report so that the page survives."""
    input:
        unpack(lambda w: W.gate_files(W.config)),
        report="<report>/index.html",
    output:
        gate="<report>/gate.json",
    log:
        "<log>/gate.log",
    localrule: True
    conda:
        "../envs/seedlot.yaml"
    params:
        entry="seedlot.report.gate:run",
    script:
        "../scripts/job.py"
