"""Heat equation: simulated fields -> Zarr -> one linear model -> figure. The smallest training study.

REQUIRED INPUTS: receipts of resources/manifests/heat.tsv.
OUTPUTS: core_heat__simulations with its Zarr fields; figure step_error; the ledger of heat_step.
"""


rule heat_curate:
    """HDF5 in PDEBench's layout -> a Zarr store of fields and the index of simulations."""
    input:
        receipts=W.receipts("heat"),
    output:
        fields="<ds>/core_heat__fields/{shard}.json",
        simulations="<ds>/core_heat__simulations/{shard}.parquet",
        outcomes="<work>/heat/items/{shard}.parquet",
        rejects="<work>/heat/rejects/{shard}.parquet",
    log:
        "<log>/heat/curate/{shard}.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        entry="seedlot.sources.heat.curate:run",
        code=W.code("seedlot.sources.heat.curate:run"),
        rows="heat",
        told=W.rows_digest("heat"),
        schema=W.schema("core_heat__simulations"),
        test_share=W.config.sources.heat.test_share,
    script:
        "../scripts/job.py"


rule heat_step_train:
    """Train the linear step; a killed job continues from its newest whole checkpoint."""
    input:
        fields=W.shard_files("heat", "<ds>/core_heat__fields/{shard}.json"),
        simulations=W.shard_files("heat", "<ds>/core_heat__simulations/{shard}.parquet"),
        verdict="<work>/heat/verdict.json",
    output:
        weights="<study>/heat_step/weights.safetensors",
        curve="<study>/heat_step/curve.parquet",
    log:
        "<log>/heat_step/train.log",
    benchmark:
        "<bench>/heat_step/train.tsv"
    conda:
        "../envs/seedlot.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        **W.config.studies.heat_step.model_dump(),
        entry="seedlot.studies.heat_step.train:run",
        code=W.code("seedlot.studies.heat_step.train:run"),
        seed=W.config.seed,
    script:
        "../scripts/job.py"


rule heat_step_evaluate:
    """Held-out errors beside persistence and the exact propagator; the ledger."""
    input:
        fields=W.shard_files("heat", "<ds>/core_heat__fields/{shard}.json"),
        simulations=W.shard_files("heat", "<ds>/core_heat__simulations/{shard}.parquet"),
        verdict="<work>/heat/verdict.json",
        weights="<study>/heat_step/weights.safetensors",
    output:
        errors="<study>/heat_step/errors.parquet",
        modes="<study>/heat_step/modes.parquet",
        ledger="<study>/heat_step/claims.parquet",
    log:
        "<log>/heat_step/evaluate.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        entry="seedlot.studies.heat_step.evaluate:run",
        code=W.code("seedlot.studies.heat_step.evaluate:run"),
        claims=W.claims("heat_step"),
    script:
        "../scripts/job.py"


rule heat_step_figure:
    """Draw errors and multipliers of the trained step."""
    input:
        errors="<study>/heat_step/errors.parquet",
        modes="<study>/heat_step/modes.parquet",
    output:
        svg=report(
            "<fig>/heat_step/step_error.svg",
            category="heat_step",
            labels={"figure": "step error"},
        ),
        data="<fig>/heat_step/step_error.parquet",
    log:
        "<log>/heat_step/figure.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=1000,
        runtime=15,
    params:
        entry="seedlot.studies.heat_step.figures:run",
        code=W.code("seedlot.studies.heat_step.figures:run"),
    script:
        "../scripts/job.py"


W.publish_shards("heat", ["core_heat__simulations"])
W.study(
    "heat_step",
    ["step_error"],
    [f"{W.paths['study']}/heat_step/claims.parquet"],
    ["heat"],
    W.shard_files("heat", f"{W.paths['ds']}/core_heat__fields/{{shard}}.json")
    + [
        f"{W.paths['study']}/heat_step/{name}"
        for name in ("weights.safetensors", "errors.parquet", "modes.parquet")
    ],
)


rule heat_step:
    """Everything of the study heat_step."""
    input:
        lambda w: W.study_products("heat_step"),
