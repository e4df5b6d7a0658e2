"""LGD-NA, continued: what is measured on the runs, the ledger, and the figures.

REQUIRED INPUTS: the tables of lgd_na.smk and of networks.smk.
OUTPUTS: study_lgd_na__geometry, __functional, __hardening, __claims; nine figures; the ledger.
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
# figure: (entry in seedlot.studies.lgd_na, tables it is drawn from)
LGD_FIGURES = {
    "curves": ("figures_curves:run", ["nets", "runs", "curves"]),
    "rank_heatmap": ("figures_ranks:heatmap", ["ranks"]),
    "critical_difference": ("figures_ranks:critical", ["ranks", "sets"]),
    "pareto": ("figures_cost:pareto", ["nets", "runs", "timings"]),
    "scaling": ("figures_cost:scaling", ["nets", "timings"]),
    "network": ("figures_network:run", ["nets", "edges", "curves"]),
    "hardening": ("figures_hardening:run", ["hardening"]),
    "geometry": ("figures_geometry:run", ["geometry"]),
    "functional": ("figures_functional:run", ["nets", "functional"]),
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


rule lgd_na_evaluate:
    """Judge the paper's claims on the tables of this run: the ledger."""
    input:
        **{
            t: LGD_TABLES[t]
            for t in (
                "nets",
                "runs",
                "timings",
                "pairs",
                "sets",
                "modes",
                "geometry",
                "hardening",
            )
        },
        **LGD_VERDICTS,
        official=W.shard_files(
            "networks", "<study>/lgd_na/_official/{shard}/runs.parquet"
        ),
    output:
        ledger="<study>/lgd_na/claims.parquet",
        details="<ds>/study_lgd_na__claims/all.parquet",
    log:
        "<log>/lgd_na/evaluate.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        entry="seedlot.studies.lgd_na.claims:run",
        code=W.code("seedlot.studies.lgd_na.claims:run"),
        claims=W.claims("lgd_na"),
        schema=W.schema("study_lgd_na__claims"),
    script:
        "../scripts/job.py"


rule lgd_na_figure:
    """Draw one figure of the study from its tables."""
    input:
        unpack(
            lambda w: {t: W.expanded(LGD_TABLES[t]) for t in LGD_FIGURES[w.figure][1]}
        ),
    output:
        svg=report(
            "<fig>/lgd_na/{figure}.svg",
            category="lgd_na",
            labels={"figure": "{figure}"},
        ),
        data="<fig>/lgd_na/{figure}.parquet",
    log:
        "<log>/lgd_na/figure/{figure}.log",
    wildcard_constraints:
        figure="|".join(LGD_FIGURES),
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        entry=lambda w: f"seedlot.studies.lgd_na.{LGD_FIGURES[w.figure][0]}",
        code=lambda w: W.code(f"seedlot.studies.lgd_na.{LGD_FIGURES[w.figure][0]}")(w),
    script:
        "../scripts/job.py"


W.publish(
    "lgd_na_results",
    {
        "all": {
            f"study_lgd_na__{t}": f"{W.paths['ds']}/study_lgd_na__{t}/all.parquet"
            for t in (
                "ranks",
                "pairs",
                "sets",
                "modes",
                "geometry",
                "functional",
                "hardening",
                "claims",
            )
        }
    },
)
W.study(
    "lgd_na",
    list(LGD_FIGURES),
    [f"{W.paths['study']}/lgd_na/claims.parquet"],
    ["networks", "lgd_na", "lgd_na_results"],
    [
        f"{W.paths['study']}/lgd_na/_work/{m}/{s}/{name}.parquet"
        for m in LGD.methods
        for s in W.shards("networks")
        for name in ("runs", "curves", "timings", "outcomes")
    ]
    + W.shard_files("networks", f"{W.paths['work']}/networks/nets/{{shard}}.parquet"),
)


rule lgd_na:
    """Everything of the study lgd_na."""
    input:
        lambda w: W.study_products("lgd_na"),
