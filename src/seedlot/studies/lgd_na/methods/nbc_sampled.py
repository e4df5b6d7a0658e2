"""Betweenness from random sources, as many as fit the CPU time that dynamic CND takes on the same network.

The number of single-source passes is the predicted time of dynamic CND over the predicted time of one
pass (both from the cost models, so it does not depend on the machine), at least 16. Static: all of them on
the intact graph. Dynamic: in rounds of 16 sources, an equal share of the nodes leaving after each round.
"""

import numpy as np

from seedlot.studies.lgd_na.betweenness import betweenness
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.methods.cnd import METHOD as CND
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import ranked
from seedlot.studies.lgd_na.subgraph import induced

_ROUND = 16


def passes(size: Size) -> int:
    """Single-source passes that the time of dynamic CND pays for."""
    return max(_ROUND, int(CND.seconds(size, "dynamic") / _one_pass(size)))


def _one_pass(size: Size) -> float:
    return 1.5e-8 * (size.n + 2.0 * size.m)


def _order(graph: Graph, mode: str, context) -> np.ndarray:
    rng, budget = context.rng("nbc_sampled"), passes(Size(graph, context.stop))
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
    return passes(size) * _one_pass(size) + 1e-7 * (size.n + size.m)


METHOD = Method("nbc_sampled", "Betweenness, sampled", _order, _seconds)
