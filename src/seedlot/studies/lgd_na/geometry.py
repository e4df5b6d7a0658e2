"""Do the link weights estimate latent distance? Rank correlations on networks with planted coordinates.

A link's weight and its hyperbolic length both depend on the degrees of its ends, so a plain correlation proves
little: links are cut into strata of equal count by d_i * d_j and correlated inside them. Two nulls: the degree
product itself, and the same weights on degree-preserving rewirings, whose links keep the degrees and forget the
geometry (they are correlated with the planted distance between their own ends).
"""

from __future__ import annotations

import numpy as np

from seedlot.sources.networks.generators import s1
from seedlot.store.job import Job
from seedlot.studies.lgd_na.counts import common_neighbours, link_ids
from seedlot.studies.lgd_na.graph import Graph, from_links
from seedlot.studies.lgd_na.ranks_frame import write_rows
from seedlot.studies.lgd_na.stats import sorted_ranks

WEIGHTS = ("ra2", "ra2num", "cnd", "degree_product")
SWAPS_PER_LINK = 10


def run(job: Job) -> None:
    """Inputs: none. Params: n, mean_degree, gamma, temperatures, seeds (how many), strata. Output: geometry."""
    p = {
        "n": 600,
        "mean_degree": 10.0,
        "gamma": 2.7,
        "temperatures": [0.1, 0.4, 0.7],
        "seeds": 5,
        "strata": 10,
    }
    p |= {name: job.params[name] for name in p if name in job.params}
    rows = []
    for temperature in p["temperatures"]:
        for seed in range(1, int(p["seeds"]) + 1):
            rows += measure(temperature, seed, p["n"], p["mean_degree"], p["gamma"], p["strata"])
    write_rows(job.output["geometry"], "study_lgd_na__geometry", rows)


def measure(
    temperature: float, seed: int, n: int, mean_degree: float, gamma: float, strata: int
) -> list[dict[str, object]]:
    """Rows of one simulated network: every link quantity on the planted and on the rewired links."""
    rng = np.random.default_rng([seed, round(1000 * temperature)])
    graph, r, theta = _network(rng, n, mean_degree, gamma, temperature)
    src, dst = graph.links()
    wirings = {"planted": graph, "rewired": from_links(graph.n, *rewire(src, dst, rng))}
    rows = []
    for wiring, one in wirings.items():
        i, j = one.links()
        distance = hyperbolic_distance(r[i], theta[i], r[j], theta[j])
        product = one.degree[i] * one.degree[j]
        for quantity, weight in link_weights(one).items():
            inside, used = stratified_spearman(weight, distance, product, strata)
            rows.append(
                {
                    **{
                        "temperature_pct": round(100 * temperature),
                        "seed": seed,
                        "quantity": quantity,
                        "wiring": wiring,
                    },
                    **{"evidence": "simulated", "n": one.n, "m": one.m, "strata": used},
                    "correlation": inside,
                    "correlation_plain": spearman(weight, distance),
                }
            )
    return rows


def _network(
    rng: np.random.Generator, n: int, mean_degree: float, gamma: float, temperature: float
) -> tuple[Graph, np.ndarray, np.ndarray]:
    """Largest component of an S1 network with its planted polar coordinates."""
    from scipy.sparse.csgraph import connected_components

    planted = s1(rng, n=n, k=mean_degree, gamma=gamma, T=temperature)
    whole = from_links(n, planted.links[:, 0], planted.links[:, 1])
    _, part = connected_components(whole.matrix(), directed=False)
    inside = part == np.bincount(part).argmax()
    number = np.cumsum(inside) - 1
    kept = planted.links[inside[planted.links[:, 0]]]
    graph = from_links(int(inside.sum()), number[kept[:, 0]], number[kept[:, 1]])
    return graph, planted.r[inside], planted.theta[inside]


def link_weights(graph: Graph) -> dict[str, np.ndarray]:
    """The weight of each link (m,) float64 by rule, in the order of `graph.links()`; degree_product is the null."""
    src, dst = graph.links()
    common = common_neighbours(graph.indptr, graph.indices, link_ids(graph.indptr, graph.indices)).astype(
        np.float64
    )
    a, b = graph.degree[src].astype(np.float64), graph.degree[dst].astype(np.float64)
    apart = (a - common) * (b - common)
    return {"ra2": apart / (1 + common), "ra2num": apart, "cnd": 1 / (1 + common), "degree_product": a * b}


def hyperbolic_distance(r: np.ndarray, theta: np.ndarray, s: np.ndarray, phi: np.ndarray) -> np.ndarray:
    """Distance in the hyperbolic plane of curvature -1 between points (r, theta) and (s, phi), by the law of cosines.

    Written with half angles, cosh d = cosh(r - s) + 2 sinh r sinh s sin^2(gap / 2): nothing cancels for near points.
    """
    gap = np.sin((theta - phi) / 2) ** 2
    excess = 2 * np.sinh((r - s) / 2) ** 2 + 2 * np.sinh(r) * np.sinh(s) * gap  # cosh d - 1
    return 2 * np.arcsinh(np.sqrt(excess / 2))


def spearman(x: np.ndarray, y: np.ndarray) -> float | None:
    """Spearman's rank correlation with average ranks; None when either side is constant."""
    a, b = sorted_ranks(x), sorted_ranks(y)
    a, b = a - a.mean(), b - b.mean()
    scale = np.sqrt((a**2).sum() * (b**2).sum())
    return float((a * b).sum() / scale) if scale > 0 else None


def stratified_spearman(
    weight: np.ndarray, distance: np.ndarray, product: np.ndarray, strata: int
) -> tuple[float | None, int]:
    """(mean Spearman correlation inside strata of equal count by product, number of strata that had one).

    Strata weigh by their links; one in which the weight is constant says nothing and is left out.
    """
    order = np.lexsort((np.arange(len(product)), product))
    total, links, used = 0.0, 0, 0
    for part in np.array_split(order, min(strata, max(1, len(order) // 3))):
        value = spearman(weight[part], distance[part])
        if value is not None:
            total, links, used = total + value * len(part), links + len(part), used + 1
    return (total / links if links else None), max(used, 1)


def rewire(src: np.ndarray, dst: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The links after 10 m tried double swaps: every degree kept, no loop, no repeated link.

    src, dst: (m,) node numbers of a simple graph. Returns two int64 arrays (m,).
    """
    a, b = src.astype(np.int64).tolist(), dst.astype(np.int64).tolist()
    present = {(min(p), max(p)) for p in zip(a, b, strict=True)}
    m = len(a)
    tries = SWAPS_PER_LINK * m
    first, second = rng.integers(m, size=tries).tolist(), rng.integers(m, size=tries).tolist()
    flip = (rng.random(tries) < 0.5).tolist()
    for e, f, turn in zip(first, second, flip, strict=True):
        u, v = a[e], b[e]
        x, y = (b[f], a[f]) if turn else (a[f], b[f])
        one, two = (min(u, y), max(u, y)), (min(x, v), max(x, v))
        if u == y or x == v or one == two or one in present or two in present:
            continue
        present -= {(min(u, v), max(u, v)), (min(x, y), max(x, y))}
        present |= {one, two}
        (a[e], b[e]), (a[f], b[f]) = one, two
    return np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
