"""What the tables of a run say about each kind of claim. Every function returns a Finding or None (no data)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seedlot.studies.lgd_na import stats
from seedlot.studies.lgd_na.claims_judge import Effect, Finding, fill, in_range, read_effects
from seedlot.studies.lgd_na.claims_text import Claim, Frozen

Row = dict[str, Any]
REINSERTS = ("none", "r1", "r2", "r3")


@dataclass
class Tables:
    """Rows of the study's tables; one that a run did not make is empty."""

    pairs: list[Row] = field(default_factory=list)
    sets: list[Row] = field(default_factory=list)
    modes: list[Row] = field(default_factory=list)
    runs: list[Row] = field(default_factory=list)
    official: list[Row] = field(default_factory=list)
    nets: list[Row] = field(default_factory=list)
    timings: list[Row] = field(default_factory=list)
    hardening: list[Row] = field(default_factory=list)
    geometry: list[Row] = field(default_factory=list)


def measure(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """The finding of one claim on one kind of evidence."""
    return KINDS[claim.kind](claim, frozen, tables, evidence) if claim.kind in KINDS else None


def better(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """Each method against each other: difference of mean ranks in the field, or in one domain."""
    scope = claim.get("scope")
    key = {"evidence": evidence, "scope": "complete", "size": "main"}
    key |= {"mode": scope["mode"], "reinsert": scope["reinsert"]}
    domain = f"paper:{scope['domain']}" if "domain" in scope else "*"
    rows = _where(tables.pairs, key | {"domain": domain})
    rows = [r for r in rows if r["rank_difference"] is not None]
    sets = _where(tables.sets, key)
    if not rows:
        return None
    effects, missing = [], set()
    for a in claim.get("methods"):
        for b in claim.get("against"):
            effect = _pair(rows, a, b)
            if effect:
                effects.append(effect)
            else:
                missing |= {m for m in (a, b) if m not in sets[0]["methods"]}
    if not effects or any(m in missing for m in claim.get("methods")):
        return None
    out = Finding(n=rows[0]["n_networks"], families=rows[0]["n_families"], domains=1)
    if domain == "*":
        out.domains = len(sets[0]["field_domains"])
    observed, worst = read_effects(effects, claim.get("metric")["smallest_effect"], frozen.level)
    fill(out, observed, worst, frozen.level)
    _lacking(out, missing)
    return _scaled(out, claim)


def _lacking(out: Finding, missing: set[str]) -> None:
    """Name methods without a run: a claim about all of them can then be contradicted, not confirmed."""
    if missing:
        out.notes.append(f"no finished run of {', '.join(sorted(missing))}")
        if out.observed == "agrees":
            out.observed = "undecided"


def _pair(rows: list[Row], a: str, b: str) -> Effect | None:
    """The rank difference of a pair, positive when a is better."""
    low, high = sorted((a, b))
    row = next((r for r in rows if (r["method"], r["other"]) == (low, high)), None)
    if row is None:
        return None
    name, value = f"{a} against {b}", row["rank_difference"]
    bounds = (row["difference_low"], row["difference_high"])
    if a == low:
        return Effect(name, value, *bounds, row["difference_se"])
    turned = tuple(None if x is None else -x for x in reversed(bounds))
    return Effect(name, -value, *turned, row["difference_se"])


def dynamic_mean(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """Every method's median log(AUC static / AUC dynamic)."""
    rows = _mode_rows(claim, tables, evidence, sizes=("main",))
    rows = [r for r in rows if r["log_ratio"] is not None]
    if not rows:
        return None
    effects = [
        Effect(r["method"], r["log_ratio"], r["log_ratio_low"], r["log_ratio_high"], r["log_ratio_se"])
        for r in rows
    ]
    least = min(rows, key=lambda r: r["n_networks"])
    out = Finding(n=least["n_networks"], families=least["n_families"], domains=_domains(tables, evidence))
    observed, worst = read_effects(effects, claim.get("metric")["smallest_effect"], frozen.level)
    fill(out, observed, worst, frozen.level)
    out.notes.append(
        "static wins " + ", ".join(f"{r['losses']} of {r['n_networks']} ({r['method']})" for r in rows)
    )
    return _scaled(out, claim)


def dynamic_never_loses(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """The literal reading: how many pairs of method and network static wins. One is enough to contradict it."""
    rows = _mode_rows(claim, tables, evidence, sizes=("main", "small"))
    if not rows:
        return None
    losses, total = sum(r["losses"] for r in rows), sum(r["n_networks"] for r in rows)
    out = Finding(observed="disagrees" if losses else "agrees", value=losses / total)
    by_size = [[r for r in rows if r["size"] == size] for size in {r["size"] for r in rows}]
    out.n = sum(max(r["n_networks"] for r in same) for same in by_size)
    out.families = sum(max(r["n_families"] for r in same) for same in by_size)
    out.domains, out.at_scale = _domains(tables, evidence), bool(losses)
    out.have = (
        f"{total} pairs, {losses} lost"
        if losses
        else f"{total} pairs, only the whole catalogue could confirm it"
    )
    out.notes.append(f"static wins {losses} of {total} pairs of method and network")
    lost = [r for r in rows if r["worst_log_ratio"] is not None]
    if lost:
        worst = min(lost, key=lambda r: r["worst_log_ratio"])
        share = 100 * (1 - float(np.exp(worst["worst_log_ratio"])))
        out.notes.append(
            f"most clearly {worst['method']} on {worst['worst_net_id']}, AUC {share:.1f} % lower"
        )
    return out


def _mode_rows(claim: Claim, tables: Tables, evidence: str, sizes: tuple[str, ...]) -> list[Row]:
    rows = _where(tables.modes, {"evidence": evidence, "reinsert": claim.get("scope")["reinsert"]})
    return [r for r in rows if r["method"] in claim.get("methods") and r["size"] in sizes]


def gain_range(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """Mean gain of each rule over networks, with an interval that draws families within domains."""
    dose = tuple(round(1000 * claim.get("scope")[k]) for k in ("nodes", "links"))
    duplicates = {
        r["net_id"] for r in tables.nets if r["duplicate_of"] is not None or r["n"] < frozen.min_nodes
    }
    rows = [r for r in _where(tables.hardening, {"evidence": evidence}) if r["net_id"] not in duplicates]
    rows = [r for r in rows if (r["nodes_permille"], r["links_permille"]) == dose and r["gain"] is not None]
    effects, counts = [], []
    for method in claim.get("methods"):
        mine = _one_per_network([r for r in rows if r["method"] == method])
        if mine:
            effects.append(_mean_effect(method, mine, frozen))
            counts.append(mine)
    if not effects:
        return None
    least = min(counts, key=len)
    out = Finding(
        n=len(least), families=len({r["family"] for r in least}), seeds=len({r["seed"] for r in rows})
    )
    out.domains = len({r["domain"] for r in least})
    metric = claim.get("metric")
    observed, worst = in_range(effects, metric["low"], metric["high"])
    fill(out, observed, worst, frozen.level)
    _lacking(out, set(claim.get("methods")) - {e.name for e in effects})
    out.notes.append("mean gains " + ", ".join(f"{e.name} {e.value:+.0%}" for e in effects))
    return _scaled(out, claim)


def _one_per_network(rows: list[Row]) -> list[Row]:
    """The mean gain over seeds of each network."""
    nets: dict[str, list[Row]] = {}
    for r in rows:
        nets.setdefault(r["net_id"], []).append(r)
    return [{**group[0], "gain": float(np.mean([r["gain"] for r in group]))} for group in nets.values()]


def _mean_effect(name: str, rows: list[Row], frozen: Frozen) -> Effect:
    """Mean of `gain` with a family bootstrap; no interval below the frozen number of families."""
    values = np.array([r["gain"] for r in rows])
    families = np.array([r["family"] for r in rows])
    if len(set(families.tolist())) < frozen.min_families:
        return Effect(name, float(values.mean()), None, None, None)
    domain = np.array([r["domain"] for r in rows])
    boot = stats.resample(domain, families, frozen.replicates, frozen.bootstrap_seed)
    draws = boot.weights @ values / boot.weights.sum(axis=1)
    return Effect(name, float(values.mean()), *stats.interval(draws, frozen.level), float(draws.std(ddof=1)))


def time_ratio(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """Median log ratio of CPU seconds on large networks that both methods finished."""
    scope, (fast,), (slow,) = claim.get("scope"), claim.get("methods"), claim.get("against")
    nets = {r["net_id"]: r for r in tables.nets if r["evidence"] == evidence and r["duplicate_of"] is None}
    seconds = {
        (r["net_id"], r["method"]): r["cpu_s"] for r in _where(tables.timings, {"mode": scope["mode"]})
    }
    ok = {(r["net_id"], r["method"]) for r in _where(tables.runs, {"mode": scope["mode"], "status": "ok"})}
    rows = []
    for net_id, net in sorted(nets.items()):
        both = [(net_id, fast), (net_id, slow)]
        if net["n"] >= scope["min_nodes"] and all(k in ok and seconds.get(k) for k in both):
            rows.append({**net, "gain": float(np.log(seconds[both[1]] / seconds[both[0]]))})
    if not rows:
        return None
    values = np.array([r["gain"] for r in rows])
    domain, family = (np.array([r[k] for r in rows]) for k in ("domain", "family"))
    out = Finding(n=len(rows), families=len(set(family.tolist())), domains=len(set(domain.tolist())))
    effect = Effect(f"{slow} over {fast}", float(np.median(values)), None, None, None)
    if out.families >= frozen.min_families:
        boot = stats.resample(domain, family, frozen.replicates, frozen.bootstrap_seed)
        draws = stats.weighted_medians(values, boot.weights)
        bounds = stats.interval(draws, frozen.level)
        effect = Effect(effect.name, effect.value, *bounds, float(np.nanstd(draws, ddof=1)))
    fill(out, *read_effects([effect], claim.get("metric")["smallest_effect"], frozen.level), frozen.level)
    out.notes.append(f"median factor {float(np.exp(effect.value)):.0f}")
    return _scaled(out, claim)


def geometry(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """Correlation on the planted network less that on its rewiring, by rule and temperature, paired by seed."""
    from scipy.special import stdtrit

    wanted = [round(100 * x) for x in claim.get("scope")["temperatures"]]
    rows = [r for r in _where(tables.geometry, {"evidence": evidence}) if r["temperature_pct"] in wanted]
    value = {(r["temperature_pct"], r["quantity"], r["wiring"], r["seed"]): r["correlation"] for r in rows}
    seeds = sorted({r["seed"] for r in rows})
    effects = []
    for heat in sorted({r["temperature_pct"] for r in rows}):
        for rule in claim.get("methods"):
            both = [[value.get((heat, rule, wiring, s)) for wiring in ("planted", "rewired")] for s in seeds]
            gaps = np.array([a - b for a, b in both if a is not None and b is not None])
            if len(gaps) >= 2:
                se = float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
                half = float(stdtrit(len(gaps) - 1, (1 + frozen.level) / 2)) * se
                mean = float(gaps.mean())
                effects.append(
                    Effect(f"{rule} at temperature {heat / 100:g}", mean, mean - half, mean + half, se)
                )
    if not effects:
        return None
    out = Finding(n=len({(r["temperature_pct"], r["seed"]) for r in rows}), seeds=len(seeds))
    fill(out, *read_effects(effects, claim.get("metric")["smallest_effect"], frozen.level), frozen.level)
    null = [r["correlation"] for r in rows if (r["quantity"], r["wiring"]) == ("degree_product", "planted")]
    null = [v for v in null if v is not None]
    if null:
        out.notes.append(f"the degree product itself reaches {np.mean(null):+.2f}")
    return _scaled(out, claim)


def published(claim: Claim, frozen: Frozen, tables: Tables, evidence: str) -> Finding | None:
    """Published AUCs and removals of one network, which is recognised by its raw bytes and its size."""
    scope, method = claim.get("scope"), claim.get("methods")[0]
    match = {k: scope[k] for k in ("raw_sha256", "n", "m")}
    net = next((r for r in _where(tables.nets, match) if r["evidence"] == evidence), None)
    if net is None:
        return None
    official = claim.get("official")
    key = {"net_id": net["net_id"], "mode": scope["mode"], "method": method}
    default = _distance(claim, [r for r in _where(tables.runs, key) if r["tie_rule"] != official])
    other = _distance(claim, _where(tables.runs + tables.official, key | {"tie_rule": official}))
    out = Finding(n=1, families=1, domains=1, at_scale=True)
    decisive = other if official else default
    if decisive is None:
        out.notes.append(
            f"no finished run of {method}{f' with ties {official}' if official else ''} on {net['net_id']}"
        )
        return out
    tolerance = claim.get("metric")["tolerance"]
    gap, removals = decisive
    out.value, out.observed = gap, "agrees" if gap <= tolerance and not removals else "disagrees"
    source = f"official (ties {official}): " if official else ""
    out.notes.append(f"{source}largest difference {gap:.1e}, removals {', '.join(removals) or 'equal'}")
    if official:
        out.official, out.value = gap, default[0] if default else None
        if default:
            wrong = ", ".join(default[1]) or "equal"
            out.notes.append(f"corrected (exact ties, the default): {default[0]:.1e}, removals {wrong}")
    return out


def _distance(claim: Claim, runs: list[Row]) -> tuple[float, list[str]] | None:
    """(largest |AUC - published|, removals that differ); None unless every reinsertion has a finished run."""
    done = {r["reinsert"]: r for r in runs if r["status"] == "ok"}
    table = claim.get("published")
    if any(name not in done for name in REINSERTS):
        return None
    gap = max(abs(done[name]["auc_paper"] - table[name][0]) for name in REINSERTS)
    wrong = [
        f"{name} {done[name]['n_removals']} for {table[name][1]}"
        for name in REINSERTS
        if done[name]["n_removals"] != table[name][1]
    ]
    return gap, wrong


def _where(rows: list[Row], key: Row) -> list[Row]:
    return [r for r in rows if all(r[k] == v for k, v in key.items())]


def _domains(tables: Tables, evidence: str) -> int:
    """Domains that enter the field mean of dynamic orders without reinsertion."""
    key = {"evidence": evidence, "scope": "complete", "size": "main", "mode": "dynamic", "reinsert": "none"}
    found = _where(tables.sets, key)
    return len(found[0]["field_domains"]) if found else 0


def _scaled(out: Finding, claim: Claim) -> Finding:
    """Say whether a finding has what the claim's scale asks for."""
    have = {"networks": out.n, "families": out.families, "domains": out.domains}
    out.at_scale = all(have[name] >= least for name, least in claim.scale.items())
    out.have = ", ".join(
        f"{have[name]} {name} where {least} are asked for" for name, least in claim.scale.items()
    )
    return out


KINDS: dict[str, Callable[[Claim, Frozen, Tables, str], Finding | None]] = {
    "better": better,
    "dynamic_mean": dynamic_mean,
    "dynamic_never_loses": dynamic_never_loses,
    "gain_range": gain_range,
    "time_ratio": time_ratio,
    "geometry": geometry,
    "published": published,
}
