"""Dynamic against static order of one method, paired by network."""

from __future__ import annotations

from typing import Any

import numpy as np

from seedlot.studies.lgd_na import stats
from seedlot.studies.lgd_na.claims_text import Frozen
from seedlot.studies.lgd_na.ranks_frame import Runs


def mode_rows(runs: Runs, frozen: Frozen) -> list[dict[str, Any]]:
    """Rows of the modes table: every method and reinsertion that has both modes on at least one network."""
    rows = []
    nets = runs.nets
    for evidence in sorted(set(nets.evidence.tolist())):
        for size in ("main", "small"):
            large = nets.n >= frozen.min_nodes
            here = (nets.evidence == evidence) & (large if size == "main" else ~large)
            for reinsert in ("none", "r1", "r2", "r3"):
                found = [_mode_row(runs, frozen, here, method, reinsert) for method in frozen.methods]
                block = [{"evidence": evidence, "size": size, **row} for row in found if row]
                adjusted = stats.holm([row["wilcoxon_p"] for row in block])
                rows += [{**row, "holm_p": p} for row, p in zip(block, adjusted, strict=True)]
    return rows


def _mode_row(
    runs: Runs, frozen: Frozen, here: np.ndarray, method: str, reinsert: str
) -> dict[str, Any] | None:
    dynamic = runs.auc.get((method, "dynamic", reinsert))
    static = runs.auc.get((method, "static", reinsert))
    if dynamic is None or static is None:
        return None
    use = here & ~np.isnan(dynamic) & ~np.isnan(static)
    if not use.any():
        return None
    nets = runs.nets.where(use)
    log = stats.log_ratio(static[use], dynamic[use])
    low = high = se = None
    if len(set(nets.family.tolist())) >= frozen.min_families and not np.isnan(log).all():
        boot = stats.resample(nets.domain, nets.family, frozen.replicates, frozen.bootstrap_seed)
        draws = stats.weighted_medians(log, boot.weights)
        low, high = stats.interval(draws, frozen.level)
        se = float(np.nanstd(draws, ddof=1))
    wins, ties, losses = stats.win_tie_loss(dynamic[use], static[use])
    known = np.where(np.isnan(log), np.inf, log)
    worst = int(np.argmin(known)) if losses and known.min() < 0 else None
    return {
        "method": method,
        "reinsert": reinsert,
        "n_networks": int(use.sum()),
        "n_families": len(set(nets.family.tolist())),
        "log_ratio": float(np.nanmedian(log)) if not np.isnan(log).all() else None,
        "log_ratio_low": low,
        "log_ratio_high": high,
        "log_ratio_se": se,
        "n_log": int((~np.isnan(log)).sum()),
        **{"wins": wins, "ties": ties, "losses": losses},
        "worst_net_id": None if worst is None else str(nets.net_id[worst]),
        "worst_log_ratio": None if worst is None else float(known[worst]),
        "wilcoxon_p": stats.wilcoxon_p(stats.family_means(log, nets.family)),
    }
