"""Reinsertion against a direct simulation, and what it promises."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from tests.unit.studies.lgd_na.lgd_graphs import graph_of, network_of, random_graph

from seedlot.config.errors import SeedlotError
from seedlot.studies.lgd_na.curve import component_curve
from seedlot.studies.lgd_na.engine import removal_order
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.measures import removals_to, stop_size
from seedlot.studies.lgd_na.reinsertion import REINSERTS, reinsert


def by_simulation(graph: Graph, removed: list[int], stop: int, rule: str) -> list[int]:
    """The rule word by word: whole graph copies, components by networkx."""
    net, kept = network_of(graph), list(removed)
    while True:
        present = set(net) - set(kept)
        pieces = list(nx.connected_components(net.subgraph(present)))
        best = None
        for place, node in enumerate(kept):
            joined = [piece for piece in pieces if piece & set(net[node])]
            landing = 1 + sum(map(len, joined))
            lcc = max([landing, *map(len, pieces)])
            value = {"r1": landing, "r2": len(joined), "r3": lcc}[rule]
            key = (value, -removed.index(node))
            if lcc <= stop and (best is None or key < best[0]):
                best = (key, place)
        if best is None:
            return kept
        kept.pop(best[1])


@pytest.mark.parametrize("rule", ["r1", "r2", "r3"])
def test_reinsertion_equals_a_direct_simulation(rule):
    for seed in range(60):
        graph = random_graph(seed, 30)
        order, stop = removal_order(graph, "ra2"), stop_size(graph.n, 0.15)
        steps = removals_to(component_curve(graph, order)[0], stop)
        new = reinsert(graph, order, steps, stop, rule)
        kept = by_simulation(graph, order[:steps].tolist(), stop, rule)
        assert new[: len(kept)].tolist() == kept, seed
        assert sorted(new.tolist()) == list(range(graph.n))


def test_what_is_kept_is_a_subsequence_and_never_leaves_a_component_above_the_stop():
    for seed in range(60):
        graph = random_graph(seed, 60)
        order, stop = removal_order(graph, "cnd"), stop_size(graph.n, 0.1)
        steps = removals_to(component_curve(graph, order)[0], stop)
        for rule in REINSERTS:
            new = reinsert(graph, order, steps, stop, rule)
            reached = removals_to(component_curve(graph, new)[0], stop)
            assert reached <= steps
            place = {node: p for p, node in enumerate(order.tolist())}
            kept = [place[node] for node in new[:reached].tolist()]
            assert kept == sorted(kept)
            assert max(kept, default=0) < max(steps, 1)


def test_all_rules_agree_on_stars_whatever_was_removed():
    graph = graph_of(nx.star_graph(12))
    order = np.array([3, 7, 0, *(i for i in range(13) if i not in (3, 7, 0))])
    for rule in ("r1", "r2", "r3"):
        assert reinsert(graph, order, 3, 2, rule)[0] == 0
        assert removals_to(component_curve(graph, reinsert(graph, order, 3, 2, rule))[0], 2) == 1


def test_no_removals_or_no_rule_changes_nothing():
    graph = graph_of(nx.path_graph(5))
    order = np.arange(5, dtype=np.int32)
    assert reinsert(graph, order, 0, 5, "r1") is order
    assert reinsert(graph, order, 3, 2, "none") is order


def test_an_unknown_rule_is_refused():
    with pytest.raises(SeedlotError, match="unknown reinsertion 'r4'"):
        reinsert(graph_of(nx.path_graph(3)), np.arange(3), 1, 1, "r4")
