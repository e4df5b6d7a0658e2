"""Statistics of the comparison: average ranks, family bootstrap, Wilcoxon, Holm, Friedman and Nemenyi.

Networks of one family (one system, one series of snapshots) are not independent, so tests take one value
per family and the bootstrap draws families, within their domain. All functions are pure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EXACT_PAIRS = 60
DECIMALS = 12  # AUCs are ratios of integers summed in one order: equal results agree far below this


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks 1..K along the last axis, lowest value first, tied values sharing the mean of their places.

    values: (..., K) float64 without NaN; compared after rounding to 12 decimals. Returns float64, same shape.
    """
    x = np.round(np.asarray(values, dtype=np.float64), DECIMALS)
    below = (x[..., None, :] < x[..., :, None]).sum(-1)
    equal = (x[..., None, :] == x[..., :, None]).sum(-1)
    return below + (equal + 1) / 2.0


def win_tie_loss(a: np.ndarray, b: np.ndarray) -> tuple[int, int, int]:
    """How often a is lower than, equal to and higher than b (float64 arrays of one shape), to 12 decimals."""
    x, y = np.round(a, DECIMALS), np.round(b, DECIMALS)
    return int((x < y).sum()), int((x == y).sum()), int((x > y).sum())


def log_ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """log(a / b), NaN where either is zero: an attack of one removal has AUC 0 by the paper's definition."""
    out = np.full(np.shape(a), np.nan)
    use = (np.asarray(a) > 0) & (np.asarray(b) > 0)
    out[use] = np.log(np.asarray(a)[use] / np.asarray(b)[use])
    return out


def family_means(values: np.ndarray, family: np.ndarray) -> np.ndarray:
    """Mean of the non-NaN values of each family. values (N,) or (N, K), family (N,) codes; NaN families left out."""
    values = np.asarray(values, dtype=np.float64)
    codes, inverse = np.unique(family, return_inverse=True)
    flat = values.reshape(len(values), -1)
    known = ~np.isnan(flat)
    total = np.zeros((len(codes), flat.shape[1]))
    count = np.zeros_like(total)
    np.add.at(total, inverse, np.where(known, flat, 0.0))
    np.add.at(count, inverse, known)
    keep = (count > 0).all(axis=1)
    means = total[keep] / count[keep]
    return means.reshape(len(means), *values.shape[1:])


def wilcoxon_p(differences: np.ndarray) -> float | None:
    """Two-sided p of Wilcoxon's signed-rank test, zeros dropped; None below 6 non-zero differences.

    With fewer than 6 pairs no two-sided p below 0.05 exists (2 / 2^5 = 0.0625). Exact, ties included, up to
    EXACT_PAIRS pairs; above that the normal approximation with tie correction and no continuity correction.
    """
    d = np.round(np.asarray(differences, dtype=np.float64), DECIMALS)
    d = d[~np.isnan(d) & (d != 0)]
    if len(d) < 6:
        return None
    ranks = sorted_ranks(np.abs(d))
    plus = float(ranks[d > 0].sum())
    if len(d) <= EXACT_PAIRS:
        return _exact_signed_rank(ranks, plus)
    from scipy.special import ndtr

    mean, spread = ranks.sum() / 2, np.sqrt((ranks**2).sum() / 4)
    return float(min(1.0, 2 * ndtr(-abs(plus - mean) / spread)))


def sorted_ranks(values: np.ndarray) -> np.ndarray:
    """Average ranks of one vector by sorting: a long one needs no table of all pairs."""
    unique, inverse, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count - 1) / 2.0)[inverse]


def _exact_signed_rank(ranks: np.ndarray, plus: float) -> float:
    """Two-sided p of the rank sum `plus` when every rank has a fair sign; doubled ranks are integers."""
    steps = np.round(2 * ranks).astype(np.int64)
    total = int(steps.sum())
    law = np.zeros(total + 1)
    law[0] = 1.0
    for step in steps:
        law[step:] = 0.5 * (law[step:] + law[: total + 1 - step])
        law[:step] *= 0.5
    at = int(round(2 * plus))
    tail = law[: min(at, total - at) + 1].sum()
    return float(min(1.0, 2 * tail))


def holm(p_values: list[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p-values; None stays None and is not counted."""
    known = [(p, i) for i, p in enumerate(p_values) if p is not None]
    out: list[float | None] = [None] * len(p_values)
    running = 0.0
    for step, (p, i) in enumerate(sorted(known)):
        running = max(running, min(1.0, (len(known) - step) * p))
        out[i] = running
    return out


@dataclass(frozen=True)
class Friedman:
    """Friedman's test over blocks and Nemenyi's critical difference of mean ranks at level alpha."""

    n_blocks: int
    n_methods: int
    chi2: float
    p: float
    critical_difference: float


def friedman(values: np.ndarray, alpha: float = 0.05) -> Friedman | None:
    """Friedman chi-square with tie correction on (blocks, methods) values; None below 2 blocks or 3 methods.

    Critical difference: q_alpha sqrt(k (k + 1) / (6 n)), q from the studentised range over sqrt 2 (Demsar 2006).
    """
    from scipy.special import chdtrc

    n, k = np.shape(values)
    if n < 2 or k < 3:
        return None
    ranks = average_ranks(values)
    sums = ranks.sum(axis=0)
    spread = (ranks**2).sum() - n * k * (k + 1) ** 2 / 4.0
    between = ((sums - n * (k + 1) / 2.0) ** 2).sum()
    statistic = (k - 1) * between / spread if spread > 0 else 0.0  # no spread: every block is one tie
    p = float(chdtrc(k - 1, statistic))
    return Friedman(n, k, float(statistic), p, nemenyi(k, n, alpha))


def nemenyi(k: int, n: int, alpha: float = 0.05) -> float:
    """Critical difference of mean ranks for k methods over n blocks."""
    return float(range_quantile(1 - alpha, k) / np.sqrt(2.0) * np.sqrt(k * (k + 1) / (6.0 * n)))


def range_quantile(p: float, k: int) -> float:
    """The p-quantile of the range of k standard normals (studentised range, infinite degrees of freedom).

    P(range <= q) = k * integral of phi(z) (Phi(z) - Phi(z - q))^(k - 1) dz, by Gauss-Legendre on [-9, 9]:
    about a thousand times quicker than scipy's general form, equal to 1e-8.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    x, w = np.polynomial.legendre.leggauss(200)
    z = 9.0 * x
    density = 9.0 * w * k * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return float(brentq(lambda q: density @ (ndtr(z) - ndtr(z - q)) ** (k - 1) - p, 0.0, 20.0, xtol=1e-12))


def draw_families(n_families: int, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """How often each family is drawn: (replicates, n_families) int64, every row summing to n_families."""
    return rng.multinomial(n_families, np.full(n_families, 1.0 / n_families), size=replicates)


@dataclass(frozen=True)
class Resampled:
    """A family bootstrap. weights: (B, N) float64, how often each network counts in each replicate."""

    domain: np.ndarray
    weights: np.ndarray

    def domain_means(self, values: np.ndarray, name: str) -> np.ndarray:
        """(B, K) means over the networks of one domain; values (N, K)."""
        here = self.domain == name
        w = self.weights[:, here]
        return w @ values[here] / w.sum(axis=1, keepdims=True)

    def field_means(self, values: np.ndarray, names: list[str]) -> np.ndarray:
        """(B, K) mean over domains of the domain means."""
        return np.mean([self.domain_means(values, name) for name in names], axis=0)


def resample(domain: np.ndarray, family: np.ndarray, replicates: int, seed: int) -> Resampled:
    """Draw families with replacement inside each domain. domain, family: (N,) arrays of names."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((replicates, len(domain)))
    for name in sorted(set(domain.tolist())):
        here = np.flatnonzero(domain == name)
        codes, inverse = np.unique(family[here], return_inverse=True)
        weights[:, here] = draw_families(len(codes), replicates, rng)[:, inverse]
    return Resampled(domain, weights)


def weighted_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(B,) lower weighted medians of values (N,) under weights (B, N); NaN values are left out."""
    use = np.flatnonzero(~np.isnan(values))
    order = use[np.argsort(values[use], kind="stable")]
    if not len(order):
        return np.full(len(weights), np.nan)
    cumulative = np.cumsum(weights[:, order], axis=1)
    half = cumulative[:, -1:] / 2.0
    first = (cumulative >= half).argmax(axis=1)
    out = values[order][first]
    out[cumulative[:, -1] == 0] = np.nan
    return out


def interval(draws: np.ndarray, level: float = 0.95) -> tuple[float | None, float | None]:
    """Percentile interval of bootstrap draws (B,), NaN draws left out; (None, None) when none is left."""
    kept = draws[~np.isnan(draws)]
    if not len(kept):
        return None, None
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def detectable(standard_error: float, level: float = 0.95, power: float = 0.8) -> float:
    """Minimum detectable effect of a two-sided test: (z_level + z_power) standard errors."""
    from scipy.special import ndtri

    return float((ndtri((1 + level) / 2) + ndtri(power)) * standard_error)
