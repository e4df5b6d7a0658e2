"""Functional measures on graphs whose values are known."""

import numpy as np
import pytest

from seedlot.studies.lgd_na import functional
from seedlot.studies.lgd_na.graph import from_links

PARAMS = functional.DEFAULTS


def path(n):
    return from_links(n, np.arange(n - 1), np.arange(1, n))


def clique(n):
    return from_links(n, *np.triu_indices(n, 1))


def everyone(graph):
    return np.ones(graph.n, dtype=bool)


def test_efficiency_of_a_clique_is_one_and_of_a_path_of_three_is_five_sixths():
    assert functional.efficiency(clique(6), everyone(clique(6))) == pytest.approx(1.0)
    assert functional.efficiency(path(3), everyone(path(3))) == pytest.approx((4 * 1 + 2 / 2) / 6)


def test_efficiency_counts_removed_nodes_as_lost():
    present = np.array([True, False, True])
    assert functional.efficiency(path(3), present) == 0.0
    present = np.array([True, True, False])
    assert functional.efficiency(path(3), present) == pytest.approx(2 / 6)


def test_outbreak_with_certain_transmission_fills_the_component_of_the_first_case():
    graph = from_links(10, [0, 1, 2, 3, 5, 6, 7, 8], [1, 2, 3, 4, 6, 7, 8, 9])  # two paths of five
    sure = PARAMS | {"transmission": 1.0, "epidemics": 40}
    assert functional.outbreak(graph, everyone(graph), sure) == pytest.approx(0.5)


def test_outbreak_without_transmission_is_the_first_case_alone():
    graph = clique(8)
    assert functional.outbreak(graph, everyone(graph), PARAMS | {"transmission": 0.0}) == pytest.approx(1 / 8)


def test_outbreak_of_two_nodes_has_the_chance_worked_out_by_hand():
    """Passed on before recovery: t / (1 - (1 - t)(1 - g)), the first step included, where recovery also happens."""
    graph, t, g = path(2), 0.1, 0.25
    got = functional.outbreak(
        graph, everyone(graph), PARAMS | {"epidemics": 20000, "transmission": t, "recovery": g}
    )
    chance = t / (1 - (1 - t) * (1 - g))
    assert got == pytest.approx((1 + chance) / 2, abs=0.01)


def test_reachability_by_hand():
    graph, marked = path(5), np.array([4])
    assert functional.reachability(graph, everyone(graph), marked) == 1.0
    present = np.array([True, True, False, True, True])
    assert functional.reachability(graph, present, marked) == pytest.approx(1 / 4)
    present = np.array([True, True, True, True, False])
    assert functional.reachability(graph, present, marked) == 0.0
    assert functional.reachability(graph, np.zeros(5, dtype=bool), marked) == 0.0


def test_spectral_radius_of_a_clique_and_of_a_pair():
    assert functional.spectral_radius(clique(7), everyone(clique(7))) == pytest.approx(6.0)
    assert functional.spectral_radius(path(2), everyone(path(2))) == pytest.approx(1.0)


def test_activity_of_a_clique_solves_its_own_equation_and_dies_below_the_critical_coupling():
    graph = clique(9)
    x = functional.settled_rate(graph, everyone(graph), 2.0 / 8)
    assert x == pytest.approx(np.tanh(2.0 * x), abs=1e-4) and x > 0.9
    assert functional.settled_rate(graph, everyone(graph), 0.5 / 8) < 1e-3


def test_along_an_order_values_start_at_one_and_end_at_what_is_left():
    star = from_links(8, np.zeros(7, int), np.arange(1, 8))
    rows = functional.along(star, np.array([0]), PARAMS | {"points": 2, "epidemics": 8})
    first = [r for r in rows if r["removed"] == 0]
    last = {r["measure"]: r["relative"] for r in rows if r["removed"] == 1}
    assert all(r["relative"] == 1.0 for r in first)
    assert last["efficiency"] == 0.0 and last["rate"] < 1e-3 and last["outbreak"] <= 1.0
