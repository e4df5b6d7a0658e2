"""Domain spans: lengths of joined spans -> ledger and figure. The smallest study on joined tables.

REQUIRED INPUTS: join_proteins__spans.
OUTPUTS: figure span_length; the ledger of domain_spans.
"""


rule domain_spans_evaluate:
    """Span lengths per entry and the method checks."""
    input:
        spans="<ds>/join_proteins__spans/all.parquet",
        verdict="<work>/proteins/verdict.json",
    output:
        summary="<study>/domain_spans/summary.parquet",
        ledger="<study>/domain_spans/claims.parquet",
    log:
        "<log>/domain_spans/evaluate.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        entry="seedlot.studies.domain_spans.evaluate:run",
        code=W.code("seedlot.studies.domain_spans.evaluate:run"),
        claims=W.claims("domain_spans"),
    script:
        "../scripts/job.py"


rule domain_spans_figure:
    """Draw the span length of each entry."""
    input:
        summary="<study>/domain_spans/summary.parquet",
    output:
        svg=report(
            "<fig>/domain_spans/span_length.svg",
            category="domain_spans",
            labels={"figure": "span length"},
        ),
        data="<fig>/domain_spans/span_length.parquet",
    log:
        "<log>/domain_spans/figure.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=1000,
        runtime=15,
    params:
        entry="seedlot.studies.domain_spans.figures:run",
        code=W.code("seedlot.studies.domain_spans.figures:run"),
        min_proteins=W.config.studies.domain_spans.min_proteins,
    script:
        "../scripts/job.py"


W.study(
    "domain_spans",
    ["span_length"],
    [f"{W.paths['study']}/domain_spans/claims.parquet"],
    ["uniprot", "interpro", "proteins"],
    [f"{W.paths['study']}/domain_spans/summary.parquet"],
)


rule domain_spans:
    """Everything of the study domain_spans."""
    input:
        lambda w: W.study_products("domain_spans"),
