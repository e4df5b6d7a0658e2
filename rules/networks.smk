"""Networks: graph files of many formats -> one table of simple graphs.

REQUIRED INPUTS: receipts of resources/manifests/networks*.tsv.
OUTPUTS: raw_networks__links, core_networks__nets, core_networks__nodes, core_networks__edges.
"""


rule networks_curate:
    """Read the files of one shard; keep every link, and the largest component of the simple graph."""
    input:
        receipts=W.receipts("networks"),
    output:
        nets="<work>/networks/nets/{shard}.parquet",
        links="<ds>/raw_networks__links/{shard}.parquet",
        nodes="<ds>/core_networks__nodes/{shard}.parquet",
        edges="<ds>/core_networks__edges/{shard}.parquet",
        truth="<ds>/sim_networks__truth/{shard}.parquet",
        outcomes="<work>/networks/items/{shard}.parquet",
        rejects="<work>/networks/rejects/{shard}.parquet",
    log:
        "<log>/networks/curate/{shard}.log",
    benchmark:
        "<bench>/networks/curate/{shard}.tsv"
    conda:
        "../envs/seedlot.yaml"
    threads: 1
    resources:
        mem_mb=W.config.sources.networks.mem_mb,
        runtime=120,
    params:
        entry="seedlot.sources.networks.curate:run",
        code=W.code_of_rows("networks", "seedlot.sources.networks.curate:run"),
        rows="networks",
        told=W.rows_digest("networks"),
        schema=W.schema(
            "core_networks__nets",
            "core_networks__nodes",
            "core_networks__edges",
            "raw_networks__links",
            "sim_networks__truth",
        ),
    script:
        "../scripts/job.py"


rule networks_index:
    """Join the shards' networks into one table; mark networks with equal content."""
    input:
        nets=W.shard_files("networks", "<work>/networks/nets/{shard}.parquet"),
        edges=W.shard_files("networks", "<ds>/core_networks__edges/{shard}.parquet"),
    output:
        nets="<ds>/core_networks__nets/all.parquet",
    log:
        "<log>/networks/index.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        entry="seedlot.sources.networks.index:run",
        code=W.code("seedlot.sources.networks.index:run"),
        schema=W.schema("core_networks__nets"),
    script:
        "../scripts/job.py"


W.publish_shards(
    "networks",
    [
        "raw_networks__links",
        "core_networks__nodes",
        "core_networks__edges",
        "sim_networks__truth",
    ],
    {
        "all": {
            "core_networks__nets": f"{W.paths['ds']}/core_networks__nets/all.parquet"
        }
    },
)
