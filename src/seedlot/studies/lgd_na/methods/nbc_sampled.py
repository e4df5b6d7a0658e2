"""Betweenness from random sources, as many as fit the CPU time that dynamic CND takes on the same network.

The number of single-source passes is the predicted time of dynamic CND over the predicted time of one
pass (both by formula, so it does not depend on the machine), at least 16. Static: all of them on
the intact graph. Dynamic: in rounds of 16 sources, an equal share of the nodes leaving after each round.
"""

import numpy as np

from seedlot.studies.lgd_na.betweenness import betweenness
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import ranked
from seedlot.studies.lgd_na.subgraph import induced

_ROUND = 16


def passes(n: int, m: int) -> int:
    """Single-source passes that the time of dynamic CND pays for.

    CND's seconds as measured on one core of 2024, and kept: a cost model that is fitted anew must change no result.
    """
    return max(_ROUND, int((2.5e-6 * n + 3.2e-7 * m + 1.7e-8 * m * m / n) / _one_pass(n, m)))


def _one_pass(n: int, m: int) -> float:
    return 1.5e-8 * (n + 2.0 * m)


def _order(graph: Graph, mode: str, context) -> np.ndarray:
    rng, budget = context.rng("nbc_sampled"), passes(graph.n, graph.m)
    if mode == "static":
        return ranked(_sampled(graph, rng, budget))
    rounds = min(graph.n, budget // _ROUND)
    ids, order = np.arange(graph.n, dtype=np.int32), []
    for left in range(rounds, 0, -1):
        rest = induced(graph, ids)
        take = -(-len(ids) // left)
        chosen = ranked(_sampled(rest, rng, _ROUND))[:take]
        order.append(ids[chosen])
        ids = np.delete(ids, chosen)
    return np.concatenate(order)


def _sampled(graph: Graph, rng: np.random.Generator, count: int) -> np.ndarray:
    sources = np.sort(rng.choice(graph.n, min(count, graph.n), replace=False))
    return betweenness(graph, sources)


def _seconds(size: Size, mode: str) -> float:
    return passes(size.n, size.m) * _one_pass(size.n, size.m) + 1e-7 * (size.n + size.m)


METHOD = Method("nbc_sampled", "Betweenness, sampled", _order, _seconds)
