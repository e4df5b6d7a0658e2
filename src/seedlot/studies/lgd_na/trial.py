"""One method on one network: the order, its reinsertions, their curves and measures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.studies.lgd_na.curve import component_curve
from seedlot.studies.lgd_na.graph import Graph, from_links
from seedlot.studies.lgd_na.measures import Measures, measure, stop_size
from seedlot.studies.lgd_na.method import Context, Method
from seedlot.studies.lgd_na.reinsertion import reinsert


@dataclass(frozen=True)
class Outcome:
    """One removal order: order int32 [n], of which the first measures.n_removals dismantle the network;
    lcc and second int32 [n + 1] after 0..n removals."""

    reinsert: str
    order: np.ndarray
    lcc: np.ndarray
    second: np.ndarray
    measures: Measures


@dataclass(frozen=True)
class Trial:
    """All outcomes of one method and mode on one network, and what finding the order took (seconds)."""

    method: str
    mode: str
    tie_rule: str
    stop: int
    outcomes: tuple[Outcome, ...]
    wall_s: float
    cpu_s: float


def run_trial(
    graph: Graph,
    method: Method,
    mode: str,
    *,
    reinserts: Sequence[str] = ("none",),
    stop: float = 0.1,
    ties: str = "exact",
    seed: int = 0,
    net_id: str = "",
) -> Trial:
    """Order the removals, put nodes back under each rule, measure.

    stop: share of the nodes at which the LCC counts as broken, ceil(stop * n) nodes. Beyond the stop the
    curve follows the rest of the method's order to the last node. Raises SeedlotError for a mode that the
    method does not have and for an order that is not a permutation of the nodes.
    """
    if mode not in method.modes:
        raise SeedlotError(
            f"method {method.name} has no {mode} mode", todo=f"use {' or '.join(method.modes)}"
        )
    context = Context(stop_size(graph.n, stop), method.tie_rule(ties), seed, net_id)
    wall, cpu = time.perf_counter(), time.process_time()
    order = method.order(graph, mode, context)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if len(order) != graph.n or not np.array_equal(np.sort(order), np.arange(graph.n)):
        raise SeedlotError(f"method {method.name} gave an order that is not each of {graph.n} nodes once")
    outcomes = outcomes_of(graph, order, reinserts, context.stop)
    if mode == "dynamic" and not method.whole:
        outcomes = tuple(replace(o, measures=replace(o.measures, r_schneider=None)) for o in outcomes)
    return Trial(method.name, mode, context.ties, context.stop, outcomes, wall, cpu)


def outcomes_of(graph: Graph, order: np.ndarray, reinserts: Sequence[str], stop: int) -> tuple[Outcome, ...]:
    """The order (int32 [n], every node once) under each reinsertion rule, with curves and measures."""
    lcc, second = component_curve(graph, order)
    plain = Outcome("none", order, lcc, second, measure(lcc, second, stop))
    out = []
    for rule in reinserts:
        if rule == "none":
            out.append(plain)
            continue
        new = reinsert(graph, order, plain.measures.n_removals, stop, rule)
        lcc, second = component_curve(graph, new)
        out.append(Outcome(rule, new, lcc, second, measure(lcc, second, stop)))
    return tuple(out)


@cache
def warm_up(method: Method, mode: str, ties: str, reinserts: tuple[str, ...]) -> None:
    """Run a method once on 30 nodes, so that the first network's seconds hold no compiling of machine code."""
    ring = np.arange(30)
    src, dst = np.concatenate([ring, ring[:10]]), np.concatenate([(ring + 1) % 30, ring[:10] + 15])
    run_trial(from_links(30, src, dst), method, mode, reinserts=reinserts, ties=ties, net_id="warm_up")
