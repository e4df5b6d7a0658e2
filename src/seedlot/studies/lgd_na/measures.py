"""Measures of one removal order: how early and how far it breaks the network."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

import numpy as np


@dataclass(frozen=True)
class Measures:
    """n_removals: T, removals until the LCC has at most `stop` nodes. auc_paper, r_schneider,
    second_lcc_peak_q: see the functions of those names."""

    n_removals: int
    auc_paper: float
    r_schneider: float | None
    second_lcc_peak_q: float


def stop_size(n: int, stop: float) -> int:
    """ceil(stop * n) nodes in decimal arithmetic (0.1 of 30 nodes is 3, not 4)."""
    return int((Decimal(str(stop)) * n).to_integral_value(rounding=ROUND_CEILING))


def removals_to(lcc: np.ndarray, stop: int) -> int | None:
    """First t with lcc[t] <= stop, lcc counted from the intact graph at t = 0; None when never reached."""
    below = np.flatnonzero(lcc <= stop)
    return int(below[0]) if len(below) else None


def measure(lcc: np.ndarray, second: np.ndarray, stop: int) -> Measures:
    """Measures of the curves (int [n + 1], after 0..n removals) of a whole removal order of n nodes."""
    n, steps = len(lcc) - 1, removals_to(lcc, stop)
    return Measures(steps, auc_paper(lcc[1 : steps + 1], n), r_schneider(lcc), second_lcc_peak_q(second))


def auc_paper(lcc_after: np.ndarray, n: int) -> float:
    """Simpson integral, spacing 1, of LCC/n over the T points after each removal up to the stop, over n.

    The intact graph is not a point and nothing is padded, so T = 1 gives 0.0 and only runs on one network
    with one stop compare. Lower is a better attack.
    """
    return simpson(np.asarray(lcc_after, np.float64) / n) / n if n else 0.0


def simpson(y: np.ndarray) -> float:
    """Composite Simpson rule with spacing 1 over the points y, float64 [k].

    Odd k: weights 1 4 2 4 ... 4 1 over 3. Even k > 2: that rule on the first k - 1 points plus, for the last
    interval, the parabola through the last three points, (5 y[-1] + 8 y[-2] - y[-3]) / 12. k = 2: trapezoid.
    k < 2: 0.0.
    """
    k = len(y)
    if k < 2:
        return 0.0
    if k == 2:
        return float(y[0] + y[1]) / 2
    if k % 2 == 0:
        return simpson(y[:-1]) + float(5 * y[-1] + 8 * y[-2] - y[-3]) / 12
    return float(y[0] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum() + y[-1]) / 3


def r_schneider(lcc: np.ndarray) -> float:
    """Mean of LCC/n after 1, 2, ..., n removals: the robustness R of the whole order, 0 <= R < 1/2 + 1/n."""
    n = len(lcc) - 1
    return float(lcc[1:].sum(dtype=np.int64)) / (n * n) if n else 0.0


def second_lcc_peak_q(second: np.ndarray) -> float:
    """Share of nodes removed when the second largest component is largest for the first time."""
    n = len(second) - 1
    return float(np.argmax(second)) / n if n else 0.0
