"""Seedlot: raw public science data to certified datasets, certified datasets to reproduced papers."""

from snakemake.utils import min_version

from seedlot.workflow.core import Workflow

min_version("9.27")


configfile: "config/config.yaml"


W = Workflow(config)


pathvars:
    **W.paths,


include: "rules/common.smk"
include: "rules/networks.smk"
include: "rules/heat.smk"
include: "rules/proteins.smk"
include: "rules/domain_spans.smk"
include: "rules/lgd_na.smk"
include: "rules/lgd_na_measures.smk"
include: "rules/lgd_na_results.smk"
include: "rules/verify.smk"
include: "rules/report.smk"


onstart:
    W.lock()


onsuccess:
    W.unlock()


onerror:
    W.unlock()


rule all:
    """Every figure, ledger and published table of the studies in the config key `targets`, the report and the gate."""
    default_target: True
    input:
        lambda w: W.products(W.config) + W.unfinished(W.config),
        "<report>/index.html",
        "<report>/gate.json",
