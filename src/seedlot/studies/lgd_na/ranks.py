"""Rank the methods: per domain and in the field, in pairs, dynamic against static, with intervals and tests.

Rule of ties: on each network the methods get average ranks of auc_paper (lowest first, equal to 12 decimals
means tied); a domain's value is the mean over its networks, the field's value the mean over the domains with
enough families. Only like is ranked with like: one mode, one reinsertion, one kind of evidence, one size.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.contracts.gate import require_inputs
from seedlot.store.job import Job
from seedlot.studies.lgd_na import stats
from seedlot.studies.lgd_na.claims_text import Frozen, load
from seedlot.studies.lgd_na.ranks_frame import Matrix, Runs, matrix, write_rows
from seedlot.studies.lgd_na.ranks_frame import load as load_runs
from seedlot.studies.lgd_na.stats_modes import mode_rows

FIELD, ALL, PAPER = "*", "all", "paper:"
Row = dict[str, Any]


def run(job: Job) -> None:
    """Inputs: runs, nets (one or many Parquet files each), any verdicts. Outputs: ranks, pairs, sets, modes."""
    require_inputs(job)
    frozen, _ = load()
    runs = load_runs(job.paths("runs"), job.paths("nets"))
    if not runs.auc:
        raise SeedlotError(
            "no finished run to rank",
            where=str(job.paths("runs")[0]),
            todo="look at the items table: every run is over budget or failed",
        )
    ranks, pairs, sets = rank_rows(runs, frozen)
    write_rows(job.output["ranks"], "study_lgd_na__ranks", ranks)
    write_rows(job.output["pairs"], "study_lgd_na__pairs", pairs)
    write_rows(job.output["sets"], "study_lgd_na__sets", sets)
    write_rows(job.output["modes"], "study_lgd_na__modes", mode_rows(runs, frozen))


def rank_rows(runs: Runs, frozen: Frozen) -> tuple[list[Row], list[Row], list[Row]]:
    """Rows of the ranks, pairs and sets tables for every set that has at least one network."""
    ranks: list[Row] = []
    pairs: list[Row] = []
    sets: list[Row] = []
    for key, one in every_set(runs, frozen):
        boot = stats.resample(one.nets.domain, one.nets.family, frozen.replicates, frozen.bootstrap_seed)
        summary = SetSummary(one, boot, frozen)
        sets.append({**key, **summary.set_row()})
        for domain in summary.groups():
            ranks += [{**key, **row} for row in summary.rank_rows(domain)]
            pairs += [{**key, **row} for row in summary.pair_rows(domain)]
    return ranks, pairs, sets


def every_set(runs: Runs, frozen: Frozen) -> Iterator[tuple[Row, Matrix]]:
    """Each comparable set with its key: evidence, scope, size, mode, reinsert."""
    scopes = {"complete": frozen.methods, "local": frozen.local_methods, "ablation": frozen.ablation}
    nets = runs.nets
    for evidence in sorted(set(nets.evidence.tolist())):
        for size in ("main", "small"):
            large = nets.n >= frozen.min_nodes
            here = (nets.evidence == evidence) & (large if size == "main" else ~large)
            for mode, reinsert in runs.modes():
                for scope, methods in scopes.items():
                    one = matrix(runs, methods, mode, reinsert, here, frozen.reference)
                    if one is not None:
                        key = {"evidence": evidence, "scope": scope, "size": size}
                        yield {**key, "mode": mode, "reinsert": reinsert}, one


class SetSummary:
    """All numbers of one set: ranks, intervals and tests by domain, in the field ('*') and pooled ('all')."""

    def __init__(self, one: Matrix, boot: stats.Resampled, frozen: Frozen):
        self.one, self.boot, self.frozen = one, boot, frozen
        self.ranks = stats.average_ranks(one.auc)
        self.domains = sorted(set(one.nets.domain.tolist()))
        self.families = {d: self._families(one.nets.domain == d) for d in self.domains}
        self.field = [d for d in self.domains if self.families[d] >= frozen.min_families]
        blocks = stats.family_means(one.auc, one.nets.family)
        self.blocks = stats.average_ranks(blocks)
        self.friedman = stats.friedman(blocks, 1 - frozen.level)
        self.log = np.stack(
            [stats.log_ratio(one.auc[:, k], one.reference) for k in range(len(one.methods))], 1
        )

    def _families(self, here: np.ndarray) -> int:
        return len(set(self.one.nets.family[here].tolist()))

    def groups(self) -> list[str]:
        """Domains, the paper's domains (unions of ours), then the field and the pool."""
        paper = [PAPER + name for name in self.frozen.paper_domains]
        return [*self.domains, *(g for g in paper if self.rows_of(g).any()), FIELD, ALL]

    def rows_of(self, group: str) -> np.ndarray:
        """(N,) mask of the networks behind a group; the field's are those of the domains that enter it."""
        domain = self.one.nets.domain
        if group == ALL:
            return np.ones(len(domain), dtype=bool)
        if group.startswith(PAPER):
            name = group.removeprefix(PAPER)
            return np.isin(np.char.lower(domain), [name, *self.frozen.paper_domains[name]])
        return np.isin(domain, self.field) if group == FIELD else domain == group

    def means(self, group: str) -> tuple[np.ndarray, np.ndarray]:
        """Mean ranks (K,) of a group and their bootstrap draws (B, K); NaN where nothing can be said."""
        here = self.rows_of(group)
        nothing = np.full(len(self.one.methods), np.nan)
        if not here.any():
            return nothing, nothing[None, :]
        if group == FIELD:
            value = np.mean([self.ranks[self.rows_of(d)].mean(axis=0) for d in self.field], axis=0)
            return value, self.boot.field_means(self.ranks, self.field)
        value = self.ranks[here].mean(axis=0)
        if self._families(here) < self.frozen.min_families:
            return value, nothing[None, :]
        weights = self.boot.weights[:, here]
        return value, weights @ self.ranks[here] / weights.sum(axis=1, keepdims=True)

    def _counts(self, here: np.ndarray) -> Row:
        return {"n_networks": int(here.sum()), "n_families": self._families(here)}

    def set_row(self) -> Row:
        """What was compared and Friedman's test over families."""
        one, test = self.one, self.friedman
        return {
            **self._counts(np.ones(len(one.auc), dtype=bool)),
            "n_methods": len(one.methods),
            "methods": list(one.methods),
            "absent": list(one.absent),
            "field_domains": self.field,
            "grey_domains": [d for d in self.domains if d not in self.field],
            "n_incomplete": one.n_incomplete,
            "left_out": [f"{m}={n}" for m, n in one.left_out.items() if n],
            "n_blocks": len(self.blocks),
            "friedman_chi2": test.chi2 if test else None,
            "friedman_p": test.p if test else None,
            "critical_difference": test.critical_difference if test else None,
        }

    def rank_rows(self, group: str) -> list[Row]:
        """One row per method: mean rank with interval, and the comparison with dynamic degree."""
        here, one = self.rows_of(group), self.one
        value, draws = self.means(group)
        known = here & ~np.isnan(one.reference)
        rows = []
        for k, method in enumerate(one.methods):
            low, high = stats.interval(draws[:, k], self.frozen.level)
            log = np.where(here, self.log[:, k], np.nan)
            log_low, log_high = (None, None)
            if self._families(here) >= self.frozen.min_families:
                log_low, log_high = stats.interval(
                    stats.weighted_medians(log, self.boot.weights), self.frozen.level
                )
            wins, ties, losses = stats.win_tie_loss(one.auc[known, k], one.reference[known])
            rows.append(
                {
                    "domain": group,
                    "method": method,
                    **self._counts(here),
                    "n_methods": len(one.methods),
                    "enters_field": group == FIELD or group in self.field,
                    "mean_rank": float(value[k]),
                    "rank_low": low,
                    "rank_high": high,
                    "family_rank": float(self.blocks[:, k].mean())
                    if group == ALL and len(self.blocks)
                    else None,
                    "mean_auc": float(one.auc[here, k].mean()) if here.any() else None,
                    "log_ratio": _median(log),
                    "log_ratio_low": log_low,
                    "log_ratio_high": log_high,
                    "n_log": int((~np.isnan(log)).sum()),
                    **{"wins": wins, "ties": ties, "losses": losses},
                    "wilcoxon_p": self._wilcoxon(log),
                }
            )
        return _with_holm(rows)

    def pair_rows(self, group: str) -> list[Row]:
        """One row per unordered pair, the lesser name first; tests only for the pool."""
        here, one = self.rows_of(group), self.one
        value, draws = self.means(group)
        place = {m: k for k, m in enumerate(one.methods)}
        rows = []
        for a, b in combinations(sorted(one.methods), 2):
            i, j = place[a], place[b]
            gap = draws[:, j] - draws[:, i]
            low, high = stats.interval(gap, self.frozen.level)
            wins, ties, losses = stats.win_tie_loss(one.auc[here, i], one.auc[here, j])
            log = np.full(len(here), np.nan)
            log[here] = stats.log_ratio(one.auc[here, i], one.auc[here, j])
            rows.append(
                {
                    **{"domain": group, "method": a, "other": b},
                    **self._counts(here),
                    "rank_difference": float(value[j] - value[i]),
                    "difference_low": low,
                    "difference_high": high,
                    "difference_se": None if low is None else float(np.std(gap, ddof=1)),
                    "log_ratio": _median(log),
                    **{"wins": wins, "ties": ties, "losses": losses},
                    "wilcoxon_p": self._wilcoxon(log) if group == ALL else None,
                }
            )
        return _with_holm(rows)

    def _wilcoxon(self, log: np.ndarray) -> float | None:
        """Wilcoxon's p over family means of a paired log-ratio (N,), NaN left out."""
        return stats.wilcoxon_p(stats.family_means(log, self.one.nets.family))


def _median(values: np.ndarray) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None


def _with_holm(rows: list[Row]) -> list[Row]:
    adjusted = stats.holm([row["wilcoxon_p"] for row in rows])
    return [{**row, "holm_p": p} for row, p in zip(rows, adjusted, strict=True)]
