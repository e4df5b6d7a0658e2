"""Evaluate the paper's claims on the tables of a run: the ledger, and one row of details per claim."""

from __future__ import annotations

from typing import Any

from seedlot.contracts.gate import require_inputs
from seedlot.report.ledger import write_ledger
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na.claims_judge import Finding, verdict
from seedlot.studies.lgd_na.claims_measure import Tables, measure
from seedlot.studies.lgd_na.claims_text import Claim, Frozen, load
from seedlot.studies.lgd_na.ranks_frame import write_rows

RUNS = ("net_id", "method", "mode", "reinsert", "status", "tie_rule", "n_removals", "auc_paper")
COLUMNS = {
    "pairs": None,
    "sets": None,
    "modes": None,
    "runs": RUNS,
    "official": RUNS,
    "nets": ("net_id", "domain", "family", "evidence", "n", "m", "duplicate_of", "raw_sha256"),
    "timings": ("net_id", "method", "mode", "cpu_s"),
    "hardening": None,
    "geometry": None,
}
NOT_RUN = "this run holds no data that speak to the claim"


def run(job: Job) -> None:
    """Inputs: pairs, sets, modes, runs, nets; timings, hardening, geometry, official (runs of the
    published implementation's tie rule) where the run has them.

    Params: target (what `snakemake` is asked for to repeat this, default lgd_na). Outputs: ledger, details.
    """
    require_inputs(job)
    frozen, claims = load()
    tables = Tables(
        **{
            name: read_table(job.paths(name), columns).to_pylist()
            for name, columns in COLUMNS.items()
            if name in job.input
        }
    )
    target = job.params.get("target", "lgd_na")
    rows = [claim_row(claim, frozen, tables, target, str(job.output["details"])) for claim in claims]
    write_ledger(job.output["ledger"], rows)
    write_rows(job.output["details"], "study_lgd_na__claims", rows)


def claim_row(claim: Claim, frozen: Frozen, tables: Tables, target: str, trace: str) -> dict[str, Any]:
    """One row of the ledger and of the details: the verdict and all that it rests on."""
    real = measure(claim, frozen, tables, "real")
    simulated = measure(claim, frozen, tables, "simulated")
    speaks = simulated is not None and simulated.observed != "none"
    word, check, reason = verdict(real, simulated, claim.get("reason") or ("" if speaks else NOT_RUN))
    on_real = real is not None and real.observed != "none"
    shown = real if on_real else simulated if simulated else real or Finding()
    metric = claim.get("metric", {})
    note = claim.get("note")
    return {
        "study": "lgd_na",
        "claim": claim.id,
        "statement": claim.statement,
        "verdict": word,
        "method_check": check,
        "observed": shown.observed,
        "metric": metric.get("name", "none"),
        "unit": metric.get("unit", "none"),
        "value": shown.value,
        "ci_low": shown.low,
        "ci_high": shown.high,
        "threshold": threshold(metric),
        "mde": shown.mde,
        "n": shown.n,
        "families": shown.families,
        "domains": shown.domains,
        "seeds": shown.seeds,
        "evidence": "real" if on_real else "simulated" if simulated else "none",
        "scale": ", ".join(f"{least} {name}" for name, least in claim.scale.items())
        + (f"; here {shown.have}" if shown.have else ""),
        "reason": " ".join(f"{reason}. {note}".split()) if note else reason,
        "official_value": shown.official,
        "cost": cost(claim, tables) if on_real else None,
        "text_digest": claim.digest,
        "repeat": f"snakemake --cores 1 {target}",
        "trace": trace,
    }


def threshold(metric: dict[str, Any]) -> str:
    """What a value is held against, in words."""
    if "low" in metric:
        return f"within {metric['low']:g} to {metric['high']:g}"
    if "tolerance" in metric:
        return f"at most {metric['tolerance']:g}"
    return f"interval above 0, value at least {metric['smallest_effect']:g}" if metric else "none"


def cost(claim: Claim, tables: Tables) -> float | None:
    """CPU seconds of all runs of the methods a claim compares; None when none was timed."""
    names = {*claim.get("methods", ()), *claim.get("against", ())}
    spent = [r["cpu_s"] for r in tables.timings if r["method"] in names and r["cpu_s"] is not None]
    return float(sum(spent)) if spent else None
