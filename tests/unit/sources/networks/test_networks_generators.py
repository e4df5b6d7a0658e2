"""Generators against what the models' papers state exactly or in expectation."""

import math

import networkx as nx
import numpy as np
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.sources.networks.generators import GENERATORS, Planted, hyperbolic_distance

CASES = {
    "er": {"n": 200, "m": 500},
    "ba": {"n": 200, "m": 3},
    "ws": {"n": 200, "k": 6, "p": 0.2},
    "sbm": {"n": 200, "blocks": 4, "k": 10, "mix": 0.2},
    "s1": {"n": 300, "k": 8, "gamma": 2.7, "T": 0.3},
    "npso": {"n": 200, "m": 4, "gamma": 3, "T": 0.3, "C": 5},
    "lfr": {"n": 300, "k": 10, "kmax": 40, "mu": 0.2, "smin": 20, "smax": 60},
}


def make(name: str, seed: int = 1, **options) -> Planted:
    return GENERATORS[name](np.random.default_rng(seed), **options)


def graph(planted: Planted) -> nx.Graph:
    out = nx.empty_graph(planted.n)
    out.add_edges_from(planted.links.tolist())
    return out


@pytest.mark.parametrize("name", CASES)
def test_links_are_a_simple_graph_in_order_and_a_function_of_the_seed(name):
    one = make(name, **CASES[name])
    assert np.all(one.links[:, 0] < one.links[:, 1])
    assert np.all((one.links >= 0) & (one.links < one.n))
    assert np.array_equal(np.unique(one.links, axis=0), one.links)
    assert np.array_equal(one.links, make(name, **CASES[name]).links)
    assert not np.array_equal(one.links, make(name, seed=2, **CASES[name]).links)


@pytest.mark.parametrize("name", ["ws", "s1", "npso"])
def test_angles_lie_in_a_full_turn(name):
    theta = make(name, **CASES[name]).theta
    assert theta.min() >= 0
    assert theta.max() < 2 * math.pi


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_er_with_all_pairs_is_the_complete_graph(n):
    assert len(np.unique(make("er", n=n, m=n * (n - 1) // 2).links, axis=0)) == n * (n - 1) // 2


def test_er_refuses_more_links_than_pairs():
    with pytest.raises(SeedlotError, match="at most 3"):
        make("er", n=3, m=4)


def test_ba_has_m_times_n_minus_m_links_and_each_new_node_has_at_least_m():
    planted = make("ba", n=300, m=4)
    assert len(planted.links) == 4 * 296
    assert np.bincount(planted.links[:, 1], minlength=300)[4:].tolist() == [4] * 296


def test_ba_prefers_old_nodes():
    degree = np.bincount(make("ba", n=1000, m=3).links.ravel())
    assert degree[:20].mean() > 5 * degree[500:].mean()


@pytest.mark.parametrize(("p", "clustering"), [(0.0, 3 * 4 / (4 * 5)), (1.0, 0.0)])
def test_ws_keeps_nk_over_2_links_and_goes_from_ring_to_random(p, clustering):
    planted = make("ws", n=1000, k=6, p=p)
    assert len(planted.links) == 3000
    assert abs(nx.average_clustering(graph(planted)) - clustering) < 0.02


def test_sbm_without_mixing_has_no_link_between_groups_and_the_asked_degree():
    planted = make("sbm", n=1000, blocks=5, k=12, mix=0.0)
    assert np.array_equal(planted.block[planted.links[:, 0]], planted.block[planted.links[:, 1]])
    assert abs(2 * len(planted.links) / 1000 - 12) < 0.5


def test_sbm_mixing_is_the_share_of_links_between_groups():
    planted = make("sbm", n=1000, blocks=5, k=12, mix=0.25)
    leaving = np.mean(planted.block[planted.links[:, 0]] != planted.block[planted.links[:, 1]])
    assert abs(leaving - 0.25) < 0.02


@pytest.mark.parametrize("T", [0.1, 0.5])
def test_s1_with_nearly_equal_hidden_degrees_has_the_asked_mean_degree(T):
    planted = make("s1", n=2000, k=10, gamma=60.0, T=T)
    assert abs(2 * len(planted.links) / 2000 - 10) < 0.5


def test_s1_clusters_more_when_cold():
    values = [nx.average_clustering(graph(make("s1", n=600, k=8, gamma=2.7, T=T))) for T in (0.1, 0.5, 0.9)]
    assert values[0] > values[1] + 0.1 > values[2] + 0.2


def test_s1_radius_falls_with_degree():
    planted = make("s1", n=600, k=8, gamma=2.5, T=0.3)
    degree = np.bincount(planted.links.ravel(), minlength=600)
    inner = np.argsort(planted.r)
    assert degree[inner[:30]].mean() > 4 * degree[inner[-300:]].mean()


def test_npso_has_exactly_the_links_of_its_growth():
    assert len(make("npso", n=200, m=4, gamma=3, T=0.4, C=5).links) == 4 * 5 // 2 + 4 * (200 - 5)


def test_npso_at_zero_temperature_links_each_new_node_to_the_closest():
    n, m, gamma = 60, 3, 2.5
    planted = make("npso", n=n, m=m, gamma=gamma, T=0, C=0)
    beta = 1 / (gamma - 1)
    for new in range(m + 1, n):
        born, now = 2 * math.log(new + 1), [2 * math.log(s + 1) for s in range(new)]
        gap = [math.pi - abs(math.pi - abs(planted.theta[s] - planted.theta[new])) for s in range(new)]
        moved = [beta * r + (1 - beta) * born for r in now]
        away = [
            math.acosh(
                max(1.0, math.cosh(r) * math.cosh(born) - math.sinh(r) * math.sinh(born) * math.cos(g))
            )
            for r, g in zip(moved, gap)
        ]
        closest = sorted(sorted(range(new), key=away.__getitem__)[:m])
        assert planted.links[planted.links[:, 1] == new, 0].tolist() == closest


def test_npso_final_radius_is_that_of_popularity_fading():
    planted = make("npso", n=100, m=2, gamma=3, T=0.3, C=0)
    assert math.isclose(planted.r[0], 0.5 * 2 * math.log(100))
    assert math.isclose(planted.r[-1], 2 * math.log(100))


def test_npso_groups_are_the_nearest_mean_and_links_stay_inside_more_often_than_by_chance():
    planted = make("npso", n=400, m=4, gamma=3, T=0.1, C=5)
    means = 2 * math.pi * np.arange(5) / 5
    gap = np.abs(np.exp(1j * planted.theta[:, None]) - np.exp(1j * means[None, :]))
    assert np.array_equal(planted.block, gap.argmin(axis=1))
    assert np.mean(planted.block[planted.links[:, 0]] == planted.block[planted.links[:, 1]]) > 0.4


@pytest.mark.parametrize(("gap", "expected"), [(0.0, 3.0), (math.pi, 11.0)])
def test_hyperbolic_distance_along_a_line_through_the_centre(gap, expected):
    seen = hyperbolic_distance(np.array([7.0]), np.array([0.5]), np.array([4.0]), np.array([0.5 + gap]))
    assert math.isclose(seen[0], expected, rel_tol=1e-12)


def test_hyperbolic_distance_of_a_right_angle_is_the_law_of_cosines():
    seen = hyperbolic_distance(np.array([1.2]), np.array([0.0]), np.array([0.7]), np.array([math.pi / 2]))
    assert math.isclose(math.cosh(seen[0]), math.cosh(1.2) * math.cosh(0.7), rel_tol=1e-12)


@pytest.mark.parametrize("mu", [0.1, 0.4])
def test_lfr_mixes_as_asked_and_respects_sizes_and_mean_degree(mu):
    planted = make("lfr", n=1000, k=12, kmax=40, mu=mu, smin=50, smax=120)
    leaving = np.mean(planted.block[planted.links[:, 0]] != planted.block[planted.links[:, 1]])
    assert abs(leaving - mu) < 0.03
    assert abs(2 * len(planted.links) / 1000 - 12) < 1.5
    assert np.bincount(planted.block).min() >= 50


def test_lfr_refuses_communities_too_small_for_the_largest_degree():
    with pytest.raises(SeedlotError, match="cannot hold"):
        make("lfr", n=200, k=10, kmax=60, mu=0.1, smin=10, smax=20)
