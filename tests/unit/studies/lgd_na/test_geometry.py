"""Geometry: distances and weights worked out by hand, rewiring that keeps degrees, planted truth recovered."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from seedlot.store.job import Job
from seedlot.studies.lgd_na import geometry
from seedlot.studies.lgd_na.graph import from_links


def test_distance_on_one_ray_is_the_difference_of_radii_and_through_the_centre_their_sum():
    r, s = np.array([5.0, 5.0, 3.0]), np.array([2.0, 2.0, 3.0])
    theta, phi = np.array([1.0, 0.0, 0.4]), np.array([1.0, np.pi, 0.4])
    assert geometry.hyperbolic_distance(r, theta, s, phi) == pytest.approx([3.0, 7.0, 0.0], abs=1e-12)


def test_distance_follows_the_law_of_cosines():
    r, s, gap = 4.0, 6.5, 0.3
    want = np.arccosh(np.cosh(r) * np.cosh(s) - np.sinh(r) * np.sinh(s) * np.cosh(0) * np.cos(gap))
    got = geometry.hyperbolic_distance(*(np.array([v]) for v in (r, 0.1, s, 0.1 + gap)))
    assert got == pytest.approx([want])


def test_near_points_far_out_keep_a_positive_distance():
    got = geometry.hyperbolic_distance(*(np.array([v]) for v in (30.0, 1.0, 30.0, 1.0 + 1e-13)))
    want = 2 * np.arcsinh(np.sinh(30.0) * np.sin(0.5e-13))
    assert got == pytest.approx([want], rel=1e-2)


def test_weights_of_a_clique_and_a_star():
    clique = from_links(5, *np.triu_indices(5, 1))
    weights = geometry.link_weights(clique)
    assert np.allclose(weights["ra2"], 1 / 4) and np.allclose(weights["ra2num"], 1.0)
    assert np.allclose(weights["cnd"], 1 / 4) and np.allclose(weights["degree_product"], 16)
    star = geometry.link_weights(from_links(6, np.zeros(5, int), np.arange(1, 6)))
    assert np.allclose(star["ra2"], 5) and np.allclose(star["cnd"], 1)


def test_spearman_by_hand_and_of_a_constant():
    assert geometry.spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])) == pytest.approx(0.8)
    assert geometry.spearman(np.ones(4), np.arange(4.0)) is None


def test_strata_remove_what_the_degrees_explain():
    """Weight and distance both follow the product, and nothing else: the plain correlation is 1, within strata 0."""
    rng = np.random.default_rng(1)
    product = np.repeat(np.arange(20.0), 200)
    weight, distance = product + 0.1 * rng.random(4000), product + 0.1 * rng.random(4000)
    assert geometry.spearman(weight, distance) > 0.99
    inside, used = geometry.stratified_spearman(weight, distance, product, 20)
    assert used == 20 and abs(inside) < 0.05


def test_strata_in_which_the_weight_is_constant_are_left_out():
    product, weight = np.repeat([1.0, 2.0], 50), np.repeat([1.0, 0.0], 50)
    weight[50:] = np.arange(50)
    inside, used = geometry.stratified_spearman(weight, np.tile(np.arange(50.0), 2), product, 2)
    assert (inside, used) == (pytest.approx(1.0), 1)


def test_rewiring_keeps_every_degree_and_the_graph_simple_and_moves_most_links():
    rng = np.random.default_rng(2)
    pairs = np.array([(i, j) for i in range(60) for j in range(i + 1, 60)])
    links = pairs[rng.choice(len(pairs), 200, replace=False)]
    a, b = geometry.rewire(links[:, 0], links[:, 1], rng)
    new = {(min(p), max(p)) for p in zip(a.tolist(), b.tolist())}
    assert len(new) == 200 and all(i != j for i, j in new)
    assert np.array_equal(np.bincount(np.r_[a, b], minlength=60), np.bincount(links.ravel(), minlength=60))
    assert len(new & {tuple(p) for p in links.tolist()}) < 100


def test_weights_recover_planted_distances_and_the_nulls_do_not(tmp_path):
    out = tmp_path / "geometry.parquet"
    params = {"n": 400, "temperatures": [0.3], "seeds": 2, "strata": 8}
    geometry.run(Job("geometry", {}, {"geometry": out}, params))
    rows = pq.read_table(out).to_pylist()
    mean = {
        (q, w): np.mean([r["correlation"] for r in rows if (r["quantity"], r["wiring"]) == (q, w)])
        for q in geometry.WEIGHTS
        for w in ("planted", "rewired")
    }
    for rule in ("ra2", "ra2num", "cnd"):
        assert mean[rule, "planted"] > 0.3
        assert abs(mean[rule, "rewired"]) < 0.3
    assert abs(mean["degree_product", "planted"]) < 0.2
    assert {r["evidence"] for r in rows} == {"simulated"}
