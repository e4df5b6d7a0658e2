"""From numbers to a verdict. Pure rules, the same for every claim.

A claim's effect is oriented so that a positive value supports it. With a smallest effect of interest s:
agrees when every interval lies above zero and every value reaches s; disagrees when some upper bound, at a
level shared among all the comparisons, lies below s; else undecided. A verdict is reproduced, contradicted or
inconclusive only on real data at the claim's scale; below it the same reading is `observed`, no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from seedlot.studies.lgd_na.stats import detectable

VERDICT = {"agrees": "reproduced", "disagrees": "contradicted", "undecided": "inconclusive"}
CHECK = {"agrees": "passed", "disagrees": "failed", "undecided": "none", "none": "none"}


@dataclass(frozen=True)
class Effect:
    """One comparison: value, its interval and standard error (None when nothing can be said), and a name."""

    name: str
    value: float
    low: float | None
    high: float | None
    se: float | None


@dataclass
class Finding:
    """What one kind of evidence says about a claim. at_scale: may it earn a verdict; have: the scale it has."""

    observed: str = "none"
    value: float | None = None
    low: float | None = None
    high: float | None = None
    mde: float | None = None
    n: int = 0
    families: int = 0
    domains: int = 0
    seeds: int = 0
    at_scale: bool = False
    have: str = ""
    notes: list[str] = field(default_factory=list)
    official: float | None = None


def read_effects(effects: list[Effect], smallest: float, level: float) -> tuple[str, Effect]:
    """(observed, the effect that decides) of comparisons that must all hold: the least favourable one, and where
    some are surely below the smallest effect that counts, the least favourable of those."""
    below = [e for e in effects if upper_bound(e, level, len(effects)) < smallest]
    worst = min(below or effects, key=lambda e: e.value)
    if below:
        return "disagrees", worst
    if all(e.low is not None and e.low > 0 and e.value >= smallest for e in effects):
        return "agrees", worst
    return "undecided", worst


def upper_bound(effect: Effect, level: float, comparisons: int) -> float:
    """One-sided upper bound at a level shared among the comparisons (Bonferroni); inf without a standard error."""
    from scipy.special import ndtri

    if effect.se is None:
        return np.inf
    return effect.value + float(ndtri(1 - (1 - level) / 2 / comparisons)) * effect.se


def in_range(effects: list[Effect], low: float, high: float) -> tuple[str, Effect]:
    """(observed, the effect furthest out) of values that must all lie in [low, high]."""
    known = [e for e in effects if e.low is not None and e.high is not None]
    outside = [e for e in known if e.high < low or e.low > high]
    worst = min(outside or effects, key=lambda e: min(e.value - low, high - e.value))
    if outside:
        return "disagrees", worst
    if len(known) == len(effects) and all(e.low >= low and e.high <= high for e in effects):
        return "agrees", worst
    return "undecided", worst


def fill(finding: Finding, observed: str, worst: Effect, level: float) -> None:
    """Put the decisive effect into a finding."""
    finding.observed = observed
    finding.value, finding.low, finding.high = worst.value, worst.low, worst.high
    finding.mde = None if worst.se is None else detectable(worst.se, level)
    finding.notes.append(f"decided by {worst.name}")


def verdict(real: Finding | None, simulated: Finding | None, why_not: str) -> tuple[str, str, str]:
    """(verdict, method_check, reason) of a claim from what real and simulated data say (None: nothing)."""
    check = CHECK[simulated.observed] if simulated else "none"
    if real is None or real.observed == "none":
        notes = (real.notes if real else []) or [why_not]
        if simulated and simulated.observed != "none":
            notes = [*notes, f"simulated data: {simulated.observed}", *simulated.notes]
        return "not_testable", check, _sentence(notes)
    if not real.at_scale:
        notes = [f"below the claim's scale ({real.have}); here the numbers say: {real.observed}", *real.notes]
        return "not_testable", check, _sentence(notes)
    return VERDICT[real.observed], check, _sentence(real.notes)


def _sentence(notes: list[str]) -> str:
    return "; ".join(n for n in notes if n)
