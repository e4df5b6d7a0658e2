"""LGD-NA, continued: the ledger and the figures.

REQUIRED INPUTS: the tables of lgd_na.smk and lgd_na_measures.smk.
OUTPUTS: study_lgd_na__claims and the ledger; nine figures.
"""

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
