"""Claims: the text, the rules of judgement, and what planted tables must yield."""

import copy
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from seedlot.config.errors import SeedlotError
from seedlot.report.ledger import SCHEMA
from seedlot.store.job import Job
from seedlot.studies.lgd_na import claims, claims_text
from seedlot.studies.lgd_na.claims_judge import Effect, Finding, in_range, read_effects, upper_bound, verdict
from seedlot.studies.lgd_na.claims_measure import Tables, measure
from seedlot.studies.lgd_na.ranks_frame import write_rows

FROZEN, CLAIMS = claims_text.load()
BY_ID = {c.id: c for c in CLAIMS}
FIFA = {"raw_sha256": BY_ID["fifa_ra2"].get("scope")["raw_sha256"], "n": 414, "m": 4805}


def page(tmp_path: Path, edit) -> Path:
    """claims.yaml after an edit."""
    text = yaml.safe_load(claims_text.FILE.read_text())
    edit(text)
    out = tmp_path / "claims.yaml"
    out.write_text(yaml.safe_dump(text))
    return out


def test_every_claim_says_what_where_and_against_what():
    for claim in CLAIMS:
        assert claim.statement and claim.scale and len(claim.digest) == 64
        assert claim.kind == "untestable" or {"name", "unit", "direction"} <= set(claim.get("metric"))
        assert claim.kind != "untestable" or claim.get("reason")


def test_frozen_methods_are_exactly_the_methods_that_exist():
    from seedlot.studies.lgd_na.method import method_names

    names = set(method_names())
    assert set(FROZEN.methods) <= names
    assert {FROZEN.reference, *FROZEN.local_methods, *FROZEN.ablation, *FROZEN.lgd_rules} <= set(
        FROZEN.methods
    )


def test_digest_changes_with_statement_frozen_set_and_scale_but_not_with_layout(tmp_path):
    def digest(edit):
        return {c.id: c.digest for c in claims_text.load(page(tmp_path, edit))[1]}["nbc_first"]

    same = digest(lambda t: None)
    assert same == BY_ID["nbc_first"].digest
    assert digest(lambda t: t["claims"][0].update(statement="other")) != same
    assert digest(lambda t: t["frozen"].update(min_nodes=40)) != same
    assert digest(lambda t: t["scales"]["catalogue"].update(networks=10)) != same
    assert digest(lambda t: t["claims"][1].update(statement="other")) == same


def test_a_misspelt_method_in_a_claim_names_the_nearest(tmp_path):
    broken = page(tmp_path, lambda t: t["claims"][0].update(methods=["ncb"]))
    with pytest.raises(SeedlotError, match="nbc"):
        claims_text.load(broken)


def test_two_claims_with_one_id_are_refused(tmp_path):
    with pytest.raises(SeedlotError, match="share one id"):
        claims_text.load(page(tmp_path, lambda t: t["claims"].append(copy.deepcopy(t["claims"][0]))))


@pytest.mark.parametrize(
    "low, high, value, smallest, want",
    [
        (0.3, 0.9, 0.6, 0.25, "agrees"),
        (-0.1, 0.9, 0.4, 0.25, "undecided"),
        (-0.9, -0.3, -0.6, 0.25, "disagrees"),
        (0.05, 0.15, 0.1, 0.25, "disagrees"),  # there, but smaller than anything of interest
        (0.01, 0.39, 0.2, 0.25, "undecided"),  # the interval reaches an effect of interest
        (None, None, 0.6, 0.25, "undecided"),
    ],
)
def test_one_effect_is_read_from_interval_and_smallest_effect(low, high, value, smallest, want):
    se = None if low is None else (high - low) / 2 / 1.96
    assert read_effects([Effect("x", value, low, high, se)], smallest, 0.95)[0] == want


def test_a_claim_over_several_pairs_needs_all_and_is_decided_by_the_worst():
    good, bad = Effect("good", 2.0, 1.5, 2.5, 0.25), Effect("bad", -1.0, -1.5, -0.5, 0.25)
    assert read_effects([good, bad], 0.1, 0.95) == ("disagrees", bad)
    assert read_effects([good, good], 0.1, 0.95)[0] == "agrees"


def test_contradicting_one_of_many_pairs_pays_for_the_number_of_looks():
    effect = Effect("x", -0.1, -0.2, 0.0, 0.05)
    assert upper_bound(effect, 0.95, 1) == pytest.approx(-0.1 + 1.96 * 0.05, abs=1e-4)
    assert upper_bound(effect, 0.95, 20) == pytest.approx(-0.1 + 3.0233 * 0.05, abs=1e-3)


def test_a_range_claim_needs_the_whole_interval_inside_or_outside():
    assert in_range([Effect("x", 0.5, 0.4, 0.6, 0.05)], 0.36, 0.95)[0] == "agrees"
    assert in_range([Effect("x", 0.5, 0.2, 0.6, 0.1)], 0.36, 0.95)[0] == "undecided"
    assert in_range([Effect("x", 2.0, 1.8, 2.2, 0.1)], 0.36, 0.95)[0] == "disagrees"


@pytest.mark.parametrize(
    "observed, at_scale, word",
    [
        ("agrees", True, "reproduced"),
        ("disagrees", True, "contradicted"),
        ("undecided", True, "inconclusive"),
        ("agrees", False, "not_testable"),
        ("disagrees", False, "not_testable"),
    ],
)
def test_only_real_data_at_scale_earn_a_verdict(observed, at_scale, word):
    real = Finding(observed=observed, at_scale=at_scale, have="10 of 738 networks")
    got, check, reason = verdict(real, None, "")
    assert (got, check) == (word, "none")
    assert at_scale or observed in reason


def test_simulated_data_only_pass_or_fail_a_method_check():
    simulated = Finding(observed="agrees", at_scale=True)
    assert verdict(None, simulated, "no real data")[:2] == ("not_testable", "passed")
    assert verdict(None, Finding(observed="disagrees", at_scale=True), "")[:2] == ("not_testable", "failed")


def net(name="fifa", **more):
    base = {"net_id": name, "domain": "covert", "family": name, "evidence": "real", "duplicate_of": None}
    return base | {"n": 100, "m": 300, "raw_sha256": "0" * 64} | more


def fifa_runs(method: str, published: dict, shift: float = 0.0, removals: int = 0, ties: str = "exact"):
    return [
        {
            "net_id": "fifa",
            "method": method,
            "mode": "dynamic",
            "reinsert": r,
            "status": "ok",
            "tie_rule": ties,
        }
        | {"auc_paper": auc + shift, "n_removals": n + removals}
        for r, (auc, n) in published.items()
    ]


@pytest.mark.parametrize(
    "shift, removals, word",
    [(9e-6, 0, "reproduced"), (1.2e-5, 0, "contradicted"), (0.0, 1, "contradicted")],
)
def test_published_numbers_hold_to_the_fifth_decimal_and_the_last_removal(shift, removals, word):
    claim = BY_ID["fifa_ra2"]
    tables = Tables(nets=[net(**FIFA)], runs=fifa_runs("ra2", claim.get("published"), shift, removals))
    assert claims.claim_row(claim, FROZEN, tables, "t", "f")["verdict"] == word


def test_published_numbers_wait_for_every_reinsertion_and_for_the_very_file():
    claim = BY_ID["fifa_ra2"]
    runs = fifa_runs("ra2", claim.get("published"))
    for tables in (
        Tables(nets=[net(**FIFA)], runs=runs[:3]),
        Tables(nets=[net(**{**FIFA, "m": 4806})], runs=runs),
        Tables(),
    ):
        assert claims.claim_row(claim, FROZEN, tables, "t", "f")["verdict"] == "not_testable"


def test_cnd_is_judged_by_the_published_arithmetic_and_shows_the_exact_one_beside_it():
    claim = BY_ID["fifa_cnd"]
    tables = Tables(nets=[net(**FIFA)], runs=fifa_runs("cnd", claim.get("published"), 4e-4))
    assert claims.claim_row(claim, FROZEN, tables, "t", "f")["verdict"] == "not_testable"
    tables.official = fifa_runs("cnd", claim.get("published"), ties="csr")
    row = claims.claim_row(claim, FROZEN, tables, "t", "f")
    assert row["verdict"] == "reproduced"
    assert (row["official_value"], row["value"]) == (0.0, pytest.approx(4e-4))


def pair(a, b, gap, **more):
    base = {"evidence": "real", "scope": "complete", "size": "main", "mode": "dynamic", "reinsert": "none"}
    base |= {"domain": "*", "method": a, "other": b, "n_networks": 800, "n_families": 500}
    low, high = (gap - 0.1, gap + 0.1)
    effect = {"rank_difference": gap, "difference_low": low, "difference_high": high, "difference_se": 0.05}
    return base | effect | more


def field_tables(gaps: dict, domains: int = 20, **more) -> Tables:
    key = {"evidence": "real", "scope": "complete", "size": "main", "mode": "dynamic", "reinsert": "none"}
    one = key | {"field_domains": [f"d{i}" for i in range(domains)], "methods": list(FROZEN.methods)} | more
    return Tables(pairs=[pair(a, b, g, **more) for (a, b), g in gaps.items()], sets=[one])


def test_best_rule_turns_pairs_around_and_names_the_deciding_one():
    tables = field_tables({("cnd", "ra2"): 1.0, ("cnd", "ra2num"): -2.0})
    finding = measure(BY_ID["cnd_best_rule"], FROZEN, tables, "real")
    assert (finding.observed, finding.value) == ("disagrees", -2.0)
    assert "cnd against ra2num" in finding.notes[0]
    turned = measure(
        BY_ID["second_biomolecular"],
        FROZEN,
        field_tables({("cnd", "ra2"): -1.5}, domain="paper:biomolecular"),
        "real",
    )
    assert (turned.value, turned.low, turned.high) == (1.5, pytest.approx(1.4), pytest.approx(1.6))


@pytest.mark.parametrize("domains, word", [(20, "reproduced"), (15, "not_testable")])
def test_a_catalogue_claim_needs_half_of_the_papers_domains(domains, word):
    tables = field_tables({("cnd", "ra2"): 1.0, ("cnd", "ra2num"): 2.0}, domains)
    assert claims.claim_row(BY_ID["cnd_best_rule"], FROZEN, tables, "t", "f")["verdict"] == word


def test_better_than_all_cannot_be_confirmed_while_a_method_was_not_run():
    tables = field_tables({("cnd", "ra2"): 1.0})
    tables.sets[0]["methods"] = ["cnd", "ra2"]
    finding = measure(BY_ID["cnd_best_rule"], FROZEN, tables, "real")
    assert finding.observed == "undecided" and "ra2num" in " ".join(finding.notes)


def mode_row(method, losses, worst=None):
    row = {"evidence": "real", "size": "main", "method": method, "reinsert": "none", "n_networks": 30}
    row |= {"n_families": 20, "wins": 30 - losses, "ties": 0, "losses": losses, "log_ratio": 0.2}
    row |= {"log_ratio_low": 0.1, "log_ratio_high": 0.3, "log_ratio_se": 0.05}
    return row | {"worst_net_id": worst, "worst_log_ratio": -0.1 if worst else None}


def test_always_is_contradicted_by_one_network_and_never_confirmed_by_a_few():
    claim = BY_ID["dynamic_never_loses"]
    lost = claims.claim_row(claim, FROZEN, Tables(modes=[mode_row("cnd", 1, "netx")]), "t", "f")
    assert lost["verdict"] == "contradicted" and "netx" in lost["reason"]
    kept = claims.claim_row(claim, FROZEN, Tables(modes=[mode_row("cnd", 0)]), "t", "f")
    assert (kept["verdict"], kept["observed"]) == ("not_testable", "agrees")


def test_gain_is_averaged_over_seeds_before_networks():
    rows = [
        {"net_id": f"n{i}", "evidence": "real", "domain": "d", "family": f"f{i}", "method": m, "seed": s}
        | {"nodes_permille": 10, "links_permille": 10, "gain": 0.5 + (0.1 if s else -0.1)}
        for i in range(8)
        for m in FROZEN.lgd_rules
        for s in (0, 1)
    ]
    finding = measure(BY_ID["hardening_1pct"], FROZEN, Tables(hardening=rows), "real")
    assert (finding.observed, finding.n, finding.seeds) == ("agrees", 8, 2)
    assert (finding.low, finding.high) == (pytest.approx(0.5), pytest.approx(0.5))


def test_speed_is_compared_on_large_networks_that_both_finished():
    nets = [net(f"n{i}", n=2000 if i else 50) for i in range(25)]
    runs = [
        {"net_id": f"n{i}", "method": m, "mode": "dynamic", "reinsert": "none", "status": "ok"}
        for i in range(25)
        for m in ("ra2", "nbc")
    ]
    runs[-1]["status"] = "over_budget"
    timings = [
        {"net_id": f"n{i}", "method": m, "mode": "dynamic", "cpu_s": s}
        for i in range(25)
        for m, s in (("ra2", 1.0), ("nbc", 100.0))
    ]
    row = claims.claim_row(
        BY_ID["rule_faster_than_nbc"], FROZEN, Tables(nets=nets, runs=runs, timings=timings), "t", "f"
    )
    assert (row["verdict"], row["n"], row["cost"]) == ("reproduced", 23, pytest.approx(25 * 101))


def test_an_untestable_claim_says_why():
    row = claims.claim_row(BY_ID["paris_brussels"], FROZEN, Tables(), "t", "f")
    assert row["verdict"] == "not_testable" and "not published" in row["reason"]


def test_job_writes_the_ledger_and_the_details_of_every_claim(tmp_path):
    rows = [
        {
            "temperature_pct": t,
            "seed": s,
            "quantity": q,
            "wiring": w,
            "evidence": "simulated",
            "n": 100,
            "m": 400,
        }
        | {"strata": 5, "correlation": 0.5 + 0.01 * s if w == "planted" else 0.0, "correlation_plain": 0.1}
        for t in (10, 40, 70)
        for s in range(1, 6)
        for q in ("ra2", "ra2num", "cnd")
        for w in ("planted", "rewired")
    ]
    write_rows(tmp_path / "geometry.parquet", "study_lgd_na__geometry", rows)
    out = {k: tmp_path / f"{k}.parquet" for k in ("ledger", "details")}
    claims.run(Job("claims", {"geometry": tmp_path / "geometry.parquet"}, out, {"target": "lgd_na"}))
    ledger = pq.read_table(out["ledger"])
    assert ledger.schema.names == SCHEMA.names and ledger.num_rows == len(CLAIMS)
    row = next(r for r in ledger.to_pylist() if r["claim"] == "weights_estimate_distance")
    assert (row["verdict"], row["method_check"], row["evidence"], row["seeds"]) == (
        *("not_testable", "passed", "simulated"),
        5,
    )
    assert pq.read_table(out["details"]).num_rows == len(CLAIMS)


def test_the_comparison_that_is_named_is_one_that_decided():
    effects = [Effect("a", -0.4, -1.5, 0.7, 0.6), Effect("b", 0.1, 0.05, 0.15, 0.02)]
    observed, decisive = read_effects(effects, 0.25, 0.95)
    assert (observed, decisive.name) == ("disagrees", "b")
    outside = [Effect("a", 0.4, -1.5, 2.0, 0.6), Effect("b", 0.9, 0.85, 0.95, 0.02)]
    assert in_range(outside, 0.5, 0.8)[1].name == "b"
