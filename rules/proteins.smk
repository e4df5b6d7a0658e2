"""Proteins: UniProt sequences and InterPro matches -> joined spans.

REQUIRED INPUTS: receipts of resources/manifests/uniprot.tsv and interpro.tsv.
OUTPUTS: core_uniprot__proteins, core_interpro__matches, join_proteins__spans.
"""


rule uniprot_curate:
    """UniProtKB FASTA -> core_uniprot__proteins."""
    input:
        receipts=W.receipts("uniprot"),
    output:
        proteins="<ds>/core_uniprot__proteins/{shard}.parquet",
        outcomes="<work>/uniprot/items/{shard}.parquet",
        rejects="<work>/uniprot/rejects/{shard}.parquet",
    log:
        "<log>/uniprot/curate/{shard}.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        entry="seedlot.sources.uniprot.curate:run",
        code=W.code("seedlot.sources.uniprot.curate:run"),
        rows="uniprot",
        told=W.rows_digest("uniprot"),
        schema=W.schema("core_uniprot__proteins"),
    script:
        "../scripts/job.py"


rule interpro_curate:
    """protein2ipr.dat -> core_interpro__matches, 0-based half-open."""
    input:
        receipts=W.receipts("interpro"),
    output:
        matches="<ds>/core_interpro__matches/{shard}.parquet",
        outcomes="<work>/interpro/items/{shard}.parquet",
        rejects="<work>/interpro/rejects/{shard}.parquet",
    log:
        "<log>/interpro/curate/{shard}.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        entry="seedlot.sources.interpro.curate:run",
        code=W.code("seedlot.sources.interpro.curate:run"),
        rows="interpro",
        told=W.rows_digest("interpro"),
        schema=W.schema("core_interpro__matches"),
        batch_rows=W.config.sources.interpro.batch_rows,
    script:
        "../scripts/job.py"


rule proteins_join:
    """Merge matches to spans and give each the length of its protein."""
    input:
        proteins=W.shard_files("uniprot", "<ds>/core_uniprot__proteins/{shard}.parquet"),
        matches=W.shard_files("interpro", "<ds>/core_interpro__matches/{shard}.parquet"),
        uniprot_verdict="<work>/uniprot/verdict.json",
        interpro_verdict="<work>/interpro/verdict.json",
    output:
        spans="<ds>/join_proteins__spans/all.parquet",
    log:
        "<log>/proteins/join.log",
    conda:
        "../envs/seedlot.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        entry="seedlot.joins.proteins.spans:run",
        code=W.code("seedlot.joins.proteins.spans:run"),
        schema=W.schema("join_proteins__spans"),
    script:
        "../scripts/job.py"


for name, table in (
    ("uniprot", "core_uniprot__proteins"),
    ("interpro", "core_interpro__matches"),
):
    W.publish_shards(name, [table])
W.publish(
    "proteins",
    {
        "all": {
            "join_proteins__spans": f"{W.paths['ds']}/join_proteins__spans/all.parquet"
        }
    },
)
