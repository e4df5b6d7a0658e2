"""LGD-NA, continued: what is measured beside the dismantling runs.

REQUIRED INPUTS: the tables of lgd_na.smk and of networks.smk.
OUTPUTS: study_lgd_na__geometry, __functional, __hardening; CND runs with the published tie rule.
"""

LGD_TABLES = {
    "nets": "<ds>/core_networks__nets/all.parquet",
    "edges": W.shard_files("networks", "<ds>/core_networks__edges/{shard}.parquet"),
    **{
        t: expand(f"<ds>/study_lgd_na__{t}/{{method}}.parquet", method=LGD.methods)
        for t in ("runs", "curves", "timings")
    },
    **{
        t: f"<ds>/study_lgd_na__{t}/all.parquet"
        for t in (
            "ranks",
            "pairs",
            "sets",
            "modes",
            "geometry",
            "functional",
            "hardening",
        )
    },
}
LGD_VERDICTS = {
    "networks_verdict": "<work>/networks/verdict.json",
    "runs_verdict": "<work>/lgd_na/verdict.json",
}


rule lgd_na_geometry:
    """Does the link weight estimate latent distance? Simulated hyperbolic networks, within degree-product strata."""
    output:
        geometry="<ds>/study_lgd_na__geometry/all.parquet",
    log:
        "<log>/lgd_na/geometry.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        entry="seedlot.studies.lgd_na.geometry:run",
        code=W.code("seedlot.studies.lgd_na.geometry:run"),
        schema=W.schema("study_lgd_na__geometry"),
    script:
        "../scripts/job.py"


rule lgd_na_functional:
    """Efficiency, outbreak, reachability and rate dynamics along removal orders."""
    input:
        **{t: LGD_TABLES[t] for t in ("nets", "edges", "curves")},
        **LGD_VERDICTS,
    output:
        functional="<ds>/study_lgd_na__functional/all.parquet",
    log:
        "<log>/lgd_na/functional.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        entry="seedlot.studies.lgd_na.functional:run",
        code=W.code("seedlot.studies.lgd_na.functional:run"),
        schema=W.schema("study_lgd_na__functional"),
    script:
        "../scripts/job.py"


rule lgd_na_harden:
    """Add a few links around the most critical nodes and dismantle again."""
    input:
        **{t: LGD_TABLES[t] for t in ("nets", "edges")},
        networks_verdict=LGD_VERDICTS["networks_verdict"],
    output:
        hardening="<ds>/study_lgd_na__hardening/all.parquet",
    log:
        "<log>/lgd_na/harden.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        **{k: getattr(LGD, k) for k in ("stop", "ties", "seed", "budget_s")},
        entry="seedlot.studies.lgd_na.harden:run",
        code=W.code(
            "seedlot.studies.lgd_na.harden:run",
            *(f"seedlot.studies.lgd_na.methods.{m}" for m in LGD.harden_methods),
        ),
        schema=W.schema("study_lgd_na__hardening"),
        methods=LGD.harden_methods,
        shares=LGD.harden_shares,
        max_links=LGD.harden_max_links,
    script:
        "../scripts/job.py"


rule lgd_na_official:
    """CND with ties as floating-point row sums break them, as published; only the ledger reads it."""
    input:
        nets="<work>/networks/nets/{shard}.parquet",
        nodes="<ds>/core_networks__nodes/{shard}.parquet",
        edges="<ds>/core_networks__edges/{shard}.parquet",
    output:
        **{
            t: f"<study>/lgd_na/_official/{{shard}}/{t}.parquet"
            for t in ("runs", "curves", "timings", "outcomes")
        },
    log:
        "<log>/lgd_na/official/{shard}.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=LGD.mem_mb,
        runtime=lambda w: W.bounded_minutes("networks", w.shard, LGD.budget_s),
    params:
        **{k: getattr(LGD, k) for k in ("reinserts", "stop", "seed", "budget_s")},
        entry="seedlot.studies.lgd_na.dismantle:run",
        code=W.code(
            "seedlot.studies.lgd_na.dismantle:run",
            "seedlot.studies.lgd_na.methods.cnd",
        ),
        schema=W.schema(
            "study_lgd_na__runs", "study_lgd_na__curves", "study_lgd_na__timings"
        ),
        method="cnd",
        modes=["dynamic"],
        ties="csr",
    script:
        "../scripts/job.py"
