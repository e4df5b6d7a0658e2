"""Measures of removal orders: Simpson pinned, edge cases of one and two removals, stop sizes."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.integrate import simpson as scipy_simpson
from tests.unit.studies.lgd_na.lgd_graphs import graph_of

from seedlot.studies.lgd_na import measures
from seedlot.studies.lgd_na.curve import component_curve


@pytest.mark.parametrize("points", range(2, 24))
def test_simpson_equals_scipy_for_odd_and_even_numbers_of_points(points):
    y = np.random.default_rng(points).random(points)
    assert measures.simpson(y) == pytest.approx(scipy_simpson(y, dx=1), rel=1e-13)


@pytest.mark.parametrize("points", [3, 4, 5, 8, 9])
def test_simpson_integrates_a_parabola_exactly(points):
    x = np.arange(points, dtype=float)
    end = points - 1
    assert measures.simpson(3 * x**2 - 2 * x + 1) == pytest.approx(end**3 - end**2 + end)


def test_auc_of_one_removal_is_zero_and_of_two_a_trapezoid():
    assert measures.auc_paper(np.array([1]), 10) == 0.0
    assert measures.auc_paper(np.array([6, 2]), 10) == pytest.approx((0.6 + 0.2) / 2 / 10)
    assert measures.auc_paper(np.array([], int), 10) == 0.0


def test_auc_pads_nothing_after_the_stop():
    lcc = np.array([10, 8, 5, 1, 1, 1, 1, 1, 1, 1, 0])
    found = measures.measure(lcc, np.zeros(11, int), stop=1)
    assert found.n_removals == 3
    assert found.auc_paper == pytest.approx((0.8 + 4 * 0.5 + 0.1) / 3 / 10)
    assert found.r_schneider == pytest.approx(lcc[1:].sum() / 100)


def test_robustness_of_a_clique_and_of_a_star_follow_from_arithmetic():
    n = 12
    lcc, second = component_curve(graph_of(nx.complete_graph(n)), np.arange(n))
    assert measures.r_schneider(lcc) == pytest.approx(sum(range(n)) / n**2)
    assert measures.second_lcc_peak_q(second) == 0.0
    lcc, second = component_curve(graph_of(nx.star_graph(n - 1)), np.arange(n))
    assert measures.r_schneider(lcc) == pytest.approx((n - 1) / n**2)
    assert measures.second_lcc_peak_q(second) == pytest.approx(1 / n)


def test_second_component_peaks_where_a_path_is_cut_in_half():
    lcc, second = component_curve(graph_of(nx.path_graph(11)), [5, 0, 10])
    assert (lcc[1], second[1]) == (5, 5)
    assert np.argmax(second) == 1


@pytest.mark.parametrize(
    ("n", "stop", "size"),
    [(30, 0.1, 3), (31, 0.1, 4), (414, 0.1, 42), (3, 0.1, 1), (100, 0.07, 7), (50, 0.3, 15)],
)
def test_stop_is_the_decimal_ceiling(n, stop, size):
    assert measures.stop_size(n, stop) == size


def test_removals_count_from_the_intact_graph():
    assert measures.removals_to(np.array([2, 1]), 2) == 0
    assert measures.removals_to(np.array([9, 5, 2]), 4) == 2
    assert measures.removals_to(np.array([9, 5, 5]), 4) is None
