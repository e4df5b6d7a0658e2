"""Random network models with planted coordinates, written from the papers that define them.

Each generator takes a numpy Generator and keyword parameters and returns a Planted network. The order of random
draws is part of its result: a change of it changes simulated raw files.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seedlot.config.errors import SeedlotError

PAIRS_AT_ONCE = 4_000_000
SWAPS = 1000


@dataclass(frozen=True)
class Planted:
    """Links of a simple graph on nodes 0..n-1 and what the model knew.

    links: (m, 2) int64, each unordered pair once, first < second, sorted. block: (n,) int64 planted group or
    None. r, theta: (n,) float64 coordinates (theta in [0, 2 pi)) or None.
    """

    n: int
    links: np.ndarray
    block: np.ndarray | None = None
    r: np.ndarray | None = None
    theta: np.ndarray | None = None


def erdos_renyi(rng: np.random.Generator, *, n: int, m: int) -> Planted:
    """G(n, m) of Erdos & Renyi (1959): m distinct pairs out of n(n-1)/2, all sets equally likely."""
    pairs = n * (n - 1) // 2
    if not 0 <= m <= pairs:
        raise SeedlotError(f"er: {m} links do not fit {n} nodes, at most {pairs}")
    chosen = rng.choice(pairs, size=m, replace=False)
    # Pair (i, j), i < j, has number j(j-1)/2 + i.
    j = np.floor((1 + np.sqrt(1 + 8 * chosen.astype(np.float64))) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > chosen
    j += (j + 1) * j // 2 <= chosen
    return Planted(n, _ordered(chosen - j * (j - 1) // 2, j))


def barabasi_albert(rng: np.random.Generator, *, n: int, m: int) -> Planted:
    """Preferential attachment of Barabasi & Albert (1999): m(n-m) links.

    Starts from m nodes without links; each new node links to m different old ones with probability
    proportional to degree (the first new node links to all m).
    """
    if not 1 <= m < n:
        raise SeedlotError(f"ba: m must be 1..{n - 1}, saw {m}")
    ends = np.empty(2 * m * (n - m), dtype=np.int64)
    targets = np.arange(m)
    for new in range(m, n):
        at = 2 * m * (new - m)
        ends[at : at + m], ends[at + m : at + 2 * m] = targets, new
        filled, chosen = at + 2 * m, set()
        while len(chosen) < m:
            chosen.add(int(ends[rng.integers(filled)]))
        targets = np.array(sorted(chosen))
    parts = ends.reshape(-1, 2, m)
    return Planted(n, _ordered(parts[:, 0].ravel(), parts[:, 1].ravel()))


def watts_strogatz(rng: np.random.Generator, *, n: int, k: int, p: float) -> Planted:
    """Small world of Watts & Strogatz (1998): nk/2 links; theta is the place on the ring.

    Each of the nk/2 ring links keeps its first end and gets, with probability p, a new second end drawn among
    the nodes that give neither a loop nor a repeated link.
    """
    if k % 2 or not 2 <= k < n - 1:
        raise SeedlotError(f"ws: k must be even and 2..{n - 2}, saw {k}")
    near = [set() for _ in range(n)]
    for step in range(1, k // 2 + 1):
        for i in range(n):
            near[i].add((i + step) % n)
            near[(i + step) % n].add(i)
    for step in range(1, k // 2 + 1):
        for i in np.flatnonzero(rng.random(n) < p).tolist():
            old = (i + step) % n
            free = np.setdiff1d(np.arange(n), [i, *near[i]])
            if not len(free):
                continue
            new = int(free[rng.integers(len(free))])
            near[i].remove(old)
            near[old].remove(i)
            near[i].add(new)
            near[new].add(i)
    links = np.array([(i, j) for i in range(n) for j in near[i] if i < j], dtype=np.int64)
    return Planted(n, _ordered(*links.T), theta=2 * np.pi * np.arange(n) / n)


def stochastic_block(rng: np.random.Generator, *, n: int, blocks: int, k: float, mix: float) -> Planted:
    """Stochastic block model of Holland, Laskey & Leinhardt (1983) with equal groups, node i in group i mod blocks.

    k: expected degree; mix: expected share of a node's links that leave its group.
    """
    block = np.arange(n) % blocks
    inside = n / blocks - 1
    p_in, p_out = (1 - mix) * k / inside, mix * k / (n - n / blocks) if blocks > 1 else 0.0
    if not 0 <= max(p_in, p_out) <= 1:
        raise SeedlotError(f"sbm: degree {k} does not fit groups of {n / blocks:.0f} nodes at mix {mix}")
    links = _bernoulli(rng, n, lambda i, j: np.where(block[i] == block[j], p_in, p_out))
    return Planted(n, links, block=block)


def s1(rng: np.random.Generator, *, n: int, k: float, gamma: float, T: float) -> Planted:
    """S1 / H2 model: Serrano, Krioukov & Boguna (2008); Krioukov et al. (2010).

    Hidden degrees kappa follow a power law of exponent gamma > 2 with mean k, angles are uniform. A pair links
    with probability 1 / (1 + chi^beta), chi = n dtheta / (2 pi mu kappa kappa'), beta = 1/T > 1,
    mu = beta sin(pi / beta) / (2 pi k); then the expected degree of a node is its kappa. In the hyperbolic plane
    r = R - 2 ln(kappa / kappa_0), R = 2 ln(n / (pi mu kappa_0^2)).
    """
    if not (0 < T < 1 and gamma > 2):
        raise SeedlotError(f"s1: needs 0 < T < 1 and gamma > 2, saw T={T}, gamma={gamma}")
    beta, lowest = 1 / T, k * (gamma - 2) / (gamma - 1)
    mu = beta * math.sin(math.pi / beta) / (2 * math.pi * k)
    theta = rng.uniform(0, 2 * math.pi, n)
    kappa = lowest * rng.random(n) ** (-1 / (gamma - 1))
    kappa = np.minimum(kappa, n)

    def linked(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        chi = n * _gap(theta[i], theta[j]) / (2 * math.pi * mu * kappa[i] * kappa[j])
        return 1 / (1 + chi**beta)

    radius = 2 * math.log(n / (math.pi * mu * lowest**2))
    r = np.maximum(radius - 2 * np.log(kappa / lowest), 0.0)
    return Planted(n, _bernoulli(rng, n, linked), r=r, theta=theta)


def npso(rng: np.random.Generator, *, n: int, m: int, gamma: float, T: float, C: int) -> Planted:
    """Nonuniform popularity-similarity optimisation: Muscoloni & Cannistraci (2018), after Papadopoulos et al. (2012).

    Node t = 1..n arrives at r_t = 2 ln t with an angle from a mixture of C equal Gaussians whose means are
    evenly spaced and whose standard deviation is a sixth of that spacing; older nodes move out to
    r_s(t) = beta r_s + (1 - beta) r_t, beta = 1 / (gamma - 1). While t <= m + 1 it links to all; afterwards to m nodes,
    drawn one after the other among those not yet chosen with probability proportional to
    1 / (1 + exp((h - R_t) / (2T))), h the hyperbolic distance and
    R_t = r_t - 2 ln(2T (1 - e^-(1-beta) ln t) / (sin(pi T) m (1 - beta))); T = 0 takes the m closest.
    C = 0 draws angles uniformly (the original model). Links: m(m+1)/2 + m(n-m-1). block: nearest mean.
    """
    if not (0 <= T < 1 and gamma > 2 and 1 <= m < n):
        raise SeedlotError(f"npso: needs 0 <= T < 1, gamma > 2, 1 <= m < n; saw T={T}, gamma={gamma}, m={m}")
    beta, two_pi = 1 / (gamma - 1), 2 * math.pi
    if C:
        means = two_pi * np.arange(C) / C
        theta = (means[rng.integers(C, size=n)] + rng.normal(0, two_pi / C / 6, n)) % two_pi
        block = np.argmin(_gap(theta[:, None], means[None, :]), axis=1)
    else:
        theta, block = rng.uniform(0, two_pi, n), None
    born = 2 * np.log(np.arange(1, n + 1))
    targets = [np.arange(t) for t in range(1, m + 1)]
    for t in range(m + 1, n):
        moved = beta * born[:t] + (1 - beta) * born[t]
        distance = hyperbolic_distance(moved, theta[:t], born[t], theta[t])
        if T == 0:
            key = -distance
        else:
            share = 1 - math.exp(-(1 - beta) * math.log(t + 1))
            radius = born[t] - 2 * math.log(2 * T * share / (math.sin(math.pi * T) * m * (1 - beta)))
            # The m largest of log weight + Gumbel noise are such a draw without replacement.
            key = -np.logaddexp(0, (distance - radius) / (2 * T)) + rng.gumbel(size=t)
        targets.append(np.argpartition(-key, m - 1)[:m])
    first = np.concatenate(targets)
    second = np.repeat(np.arange(1, n), [len(one) for one in targets])
    r = beta * born + (1 - beta) * born[-1]
    return Planted(n, _ordered(first, second), block=block, r=r, theta=theta)


def hyperbolic_distance(r1: np.ndarray, theta1: np.ndarray, r2: np.ndarray, theta2: np.ndarray) -> np.ndarray:
    """Distance of points in the hyperbolic plane of curvature -1, polar coordinates.

    By cosh d = cosh(r1 - r2) + sinh r1 sinh r2 (1 - cos dtheta), which does not cancel for close angles.
    """
    half = np.sin(_gap(theta1, theta2) / 2) ** 2
    return np.arccosh(np.maximum(np.cosh(r1 - r2) + 2 * np.sinh(r1) * np.sinh(r2) * half, 1.0))


def lfr(rng: np.random.Generator, *, n: int, k: float, kmax: int, mu: float, smin: int, smax: int) -> Planted:
    """Benchmark of Lancichinetti, Fortunato & Radicchi (2008), degree exponent 2.5, community exponent 1.5.

    Degrees and community sizes follow power laws; each node puts the share mu of its links outside its
    community. Inside communities and between them stubs are joined at random; links that would be loops,
    repeats or of the wrong kind swap ends with others, and the few that cannot are dropped.
    """
    degree = _power_law(rng, n, 2.5, _lowest_degree(k, kmax, 2.5), kmax)
    inner = np.rint((1 - mu) * degree).astype(np.int64)
    if smax <= inner.max():
        raise SeedlotError(
            f"lfr: the largest community ({smax}) cannot hold a node with {inner.max()} inner links"
        )
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(int(_power_law(rng, 1, 1.5, smin, smax)[0]))
    sizes[-1] -= sum(sizes) - n
    if sizes[-1] < smin and len(sizes) > 1:
        rest = sizes.pop()
        sizes[int(np.argmin(sizes))] += rest
    block = _assign(rng, inner, np.array(sizes))
    parts = [
        _join_stubs(rng, np.repeat(np.flatnonzero(block == c), inner[block == c]), lambda i, j: i != j)
        for c in range(len(sizes))
    ]
    outer = np.repeat(np.arange(n), degree - inner)
    parts.append(_join_stubs(rng, outer, lambda i, j: block[i] != block[j]))
    links = np.concatenate(parts)
    return Planted(n, _ordered(*links.T), block=block)


def _lowest_degree(mean: float, high: int, exponent: float) -> float:
    """Lower cut-off of a continuous power law on [low, high] that gives this mean."""
    low, up = 1e-3, float(high)
    for _ in range(100):
        mid = (low + up) / 2
        a, b = 1 - exponent, 2 - exponent
        value = a / b * (high**b - mid**b) / (high**a - mid**a)
        low, up = (mid, up) if value < mean else (low, mid)
    return low


def _power_law(rng: np.random.Generator, n: int, exponent: float, low: float, high: float) -> np.ndarray:
    """n whole numbers from a power law on [low, high], rounded, at least 1."""
    a = 1 - exponent
    values = (low**a + rng.random(n) * (high**a - low**a)) ** (1 / a)
    return np.maximum(np.rint(values).astype(np.int64), 1)


def _assign(rng: np.random.Generator, inner: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """A community with free places for each node, large enough for its inner links; hardest nodes first."""
    block, free = np.empty(len(inner), dtype=np.int64), sizes.copy()
    order = rng.permutation(len(inner))
    for node in order[np.argsort(-inner[order], kind="stable")]:
        fits = np.flatnonzero((free > 0) & (sizes > inner[node]))
        fits = fits if len(fits) else np.flatnonzero(free > 0)
        block[node] = rng.choice(fits, p=free[fits] / free[fits].sum())
        free[block[node]] -= 1
    return block


def _join_stubs(
    rng: np.random.Generator, stubs: np.ndarray, allowed: Callable[[int, int], bool]
) -> np.ndarray:
    """Pair stubs at random into distinct allowed links, (m, 2).

    A pair that is not allowed or repeats another swaps ends with a random good one when both results are good;
    after SWAPS vain tries it is dropped.
    """
    good: list[tuple[int, int]] = []
    taken: set[tuple[int, int]] = set()
    bad: list[tuple[int, int]] = []
    for a, b in np.sort(rng.permutation(stubs)[: len(stubs) // 2 * 2].reshape(-1, 2), axis=1).tolist():
        if allowed(a, b) and (a, b) not in taken:
            good.append((a, b))
            taken.add((a, b))
        else:
            bad.append((a, b))
    for a, b in bad:
        for other in rng.integers(max(len(good), 1), size=SWAPS if good else 0).tolist():
            c, d = good[other]
            one, two = (min(a, c), max(a, c)), (min(b, d), max(b, d))
            if one != two and allowed(*one) and allowed(*two) and one not in taken and two not in taken:
                taken.remove((c, d))
                taken.update((one, two))
                good[other] = one
                good.append(two)
                break
    return np.array(good, dtype=np.int64).reshape(-1, 2)


def _bernoulli(
    rng: np.random.Generator, n: int, chance: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Each pair i < j becomes a link with probability chance(i, j); pairs are visited in row order."""
    found, rows = [], max(1, PAIRS_AT_ONCE // n)
    for start in range(0, n, rows):
        i, j = np.nonzero(np.arange(n)[None, :] > np.arange(start, min(start + rows, n))[:, None])
        i += start
        hit = rng.random(len(i)) < chance(i, j)
        found.append(np.column_stack((i[hit], j[hit])))
    return np.concatenate(found)


def _gap(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Angle between two directions, 0..pi."""
    return np.pi - np.abs(np.pi - np.abs(one - two))


def _ordered(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    links = np.column_stack((np.minimum(first, second), np.maximum(first, second))).astype(np.int64)
    return links[np.lexsort((links[:, 1], links[:, 0]))]


GENERATORS: dict[str, Callable[..., Planted]] = {
    "ba": barabasi_albert,
    "er": erdos_renyi,
    "lfr": lfr,
    "npso": npso,
    "s1": s1,
    "sbm": stochastic_block,
    "ws": watts_strogatz,
}
