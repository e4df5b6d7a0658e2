"""LGD-NA: network dismantling by latent-geometry rules and baselines.

REQUIRED INPUTS: core_networks__nets, __nodes, __edges.
OUTPUTS: study_lgd_na__runs, __curves, __timings (one file per method), rankings, checks of geometry and function.
"""

LGD = W.config.studies.lgd_na
LGD_RAW = "<study>/lgd_na/_work/{method}/{shard}"


rule lgd_na_dismantle:
    """Dismantle the networks of one shard with one method: all modes, all reinsertions."""
    input:
        nets="<work>/networks/nets/{shard}.parquet",
        nodes="<ds>/core_networks__nodes/{shard}.parquet",
        edges="<ds>/core_networks__edges/{shard}.parquet",
    output:
        runs=f"{LGD_RAW}/runs.parquet",
        curves=f"{LGD_RAW}/curves.parquet",
        timings=f"{LGD_RAW}/timings.parquet",
        outcomes=f"{LGD_RAW}/outcomes.parquet",
    log:
        "<log>/lgd_na/dismantle/{method}/{shard}.log",
    benchmark:
        "<bench>/lgd_na/dismantle/{method}/{shard}.tsv"
    conda:
        "../envs/seedlot.yaml"
    threads: LGD.threads
    resources:
        mem_mb=LGD.mem_mb,
        runtime=lambda w: W.bounded_minutes(
            "networks", w.shard, len(LGD.modes) * LGD.budget_s
        ),
    params:
        **{
            k: getattr(LGD, k)
            for k in ("modes", "reinserts", "stop", "ties", "seed", "budget_s")
        },
        entry="seedlot.studies.lgd_na.dismantle:run",
        code=W.code(
            "seedlot.studies.lgd_na.dismantle:run",
            "seedlot.studies.lgd_na.methods.{method}",
        ),
        method="{method}",
        schema=W.schema(
            "study_lgd_na__runs", "study_lgd_na__curves", "study_lgd_na__timings"
        ),
    script:
        "../scripts/job.py"


rule lgd_na_collect:
    """Join the shards of one method into one published file per table."""
    input:
        **{
            name: W.shard_files("networks", f"{LGD_RAW}/{name}.parquet")
            for name in ("runs", "curves", "timings", "outcomes")
        },
    output:
        runs="<ds>/study_lgd_na__runs/{method}.parquet",
        curves="<ds>/study_lgd_na__curves/{method}.parquet",
        timings="<ds>/study_lgd_na__timings/{method}.parquet",
        outcomes="<work>/lgd_na/outcomes/{method}.parquet",
    log:
        "<log>/lgd_na/collect/{method}.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=LGD.mem_mb,
        runtime=30,
    params:
        entry="seedlot.studies.lgd_na.collect:run",
        code=W.code("seedlot.studies.lgd_na.collect:run"),
    script:
        "../scripts/job.py"


W.publish(
    "lgd_na",
    {
        m: {
            f"study_lgd_na__{t}": f"{W.paths['ds']}/study_lgd_na__{t}/{m}.parquet"
            for t in ("runs", "curves", "timings")
        }
        for m in LGD.methods
    },
    items=[f"{W.paths['work']}/lgd_na/outcomes/{m}.parquet" for m in LGD.methods],
)


rule lgd_na_rank:
    """Rank the methods per domain and in the field, in pairs, dynamic against static, with intervals."""
    input:
        runs=expand("<ds>/study_lgd_na__runs/{method}.parquet", method=LGD.methods),
        nets="<ds>/core_networks__nets/all.parquet",
        networks_verdict="<work>/networks/verdict.json",
        runs_verdict="<work>/lgd_na/verdict.json",
    output:
        ranks="<ds>/study_lgd_na__ranks/all.parquet",
        pairs="<ds>/study_lgd_na__pairs/all.parquet",
        sets="<ds>/study_lgd_na__sets/all.parquet",
        modes="<ds>/study_lgd_na__modes/all.parquet",
    log:
        "<log>/lgd_na/rank.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        entry="seedlot.studies.lgd_na.ranks:run",
        code=W.code("seedlot.studies.lgd_na.ranks:run"),
        claims=W.claims("lgd_na"),
    script:
        "../scripts/job.py"
