"""Statistics against hand-worked numbers, textbook tables and scipy."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

from seedlot.studies.lgd_na import stats


def test_average_ranks_share_the_mean_place_of_ties():
    got = stats.average_ranks(np.array([[0.2, 0.1, 0.2, 0.4], [1.0, 1.0, 1.0, 1.0]]))
    assert got.tolist() == [[2.5, 1.0, 2.5, 4.0], [2.5, 2.5, 2.5, 2.5]]


def test_average_ranks_equal_scipy_on_random_tables_with_ties():
    table = np.random.default_rng(1).integers(0, 4, (200, 7)) / 10
    assert np.array_equal(stats.average_ranks(table), rankdata(table, axis=1))


def test_values_that_differ_below_twelve_decimals_are_tied():
    assert stats.average_ranks(np.array([0.1 + 0.2, 0.3])).tolist() == [1.5, 1.5]
    assert stats.win_tie_loss(np.array([0.1 + 0.2, 0.1]), np.array([0.3, 0.2])) == (1, 1, 0)


def test_log_ratio_is_undefined_where_an_attack_took_one_removal():
    got = stats.log_ratio(np.array([0.0, 0.2, 0.1]), np.array([0.1, 0.1, 0.1]))
    assert np.isnan(got[0]) and got[1:].tolist() == pytest.approx([np.log(2), 0.0])


def test_family_means_skip_missing_values_and_families_without_any():
    values = np.array([1.0, 3.0, np.nan, 5.0, np.nan])
    assert stats.family_means(values, np.array(["a", "a", "a", "b", "c"])).tolist() == [2.0, 5.0]


def test_family_means_of_a_table_keep_its_columns():
    got = stats.family_means(np.array([[1.0, 2.0], [3.0, 4.0], [7.0, 8.0]]), np.array(["x", "x", "y"]))
    assert got.tolist() == [[2.0, 3.0], [7.0, 8.0]]


def test_wilcoxon_of_six_equal_signs_is_two_over_two_to_the_sixth():
    assert stats.wilcoxon_p(np.array([1.0, 2, 3, 4, 5, 6])) == pytest.approx(2 / 2**6)


def test_wilcoxon_says_nothing_below_six_pairs():
    assert stats.wilcoxon_p(np.array([1.0, 2, 3, 4, 5, 0, 0, np.nan])) is None


@pytest.mark.parametrize("n", [6, 25, 60])
def test_wilcoxon_without_ties_equals_scipys_exact_test(n):
    d = np.random.default_rng(n).normal(0.3, 1, n)
    assert stats.wilcoxon_p(d) == pytest.approx(wilcoxon(np.round(d, 12), method="exact").pvalue)


def test_wilcoxon_with_ties_equals_the_count_over_all_signs():
    d = np.array([1.0, 1, -1, 2, 2, 2, -3, 4])
    ranks = rankdata(np.abs(d))
    sums = [sum(r for r, s in zip(ranks, signs) if s) for signs in product((0, 1), repeat=8)]
    far = abs(ranks[d > 0].sum() - ranks.sum() / 2)
    want = np.mean([abs(s - ranks.sum() / 2) >= far - 1e-9 for s in sums])
    assert stats.wilcoxon_p(d) == pytest.approx(want)


def test_wilcoxon_of_many_pairs_equals_scipys_approximation():
    d = np.round(np.random.default_rng(2).normal(0.1, 1, 300), 1)
    assert stats.wilcoxon_p(d) == pytest.approx(wilcoxon(d[d != 0], method="approx").pvalue)


def test_holm_by_hand():
    # sorted .01 .02 .03 .04 -> 4*.01, 3*.02, 2*.03, then the running maximum holds .06 against .04
    assert stats.holm([0.03, 0.01, None, 0.04, 0.02]) == pytest.approx([0.06, 0.04, None, 0.06, 0.06])


def test_holm_is_capped_at_one():
    assert stats.holm([0.9, 0.8]) == [1.0, 1.0]


def test_friedman_equals_scipy_with_ties():
    table = np.random.default_rng(3).integers(0, 5, (15, 4)).astype(float)
    want = friedmanchisquare(*table.T)
    got = stats.friedman(table)
    assert (got.chi2, got.p) == pytest.approx((want.statistic, want.pvalue))


def test_friedman_of_blocks_that_are_all_ties_finds_nothing():
    got = stats.friedman(np.ones((6, 3)))
    assert (got.chi2, got.p) == (0.0, 1.0)


@pytest.mark.parametrize("k, q", [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_nemenyi_uses_the_published_table_of_critical_values(k, q):
    assert stats.nemenyi(k, 1) / np.sqrt(k * (k + 1) / 6) == pytest.approx(q, abs=1.5e-3)


def test_range_of_two_normals_is_a_folded_normal():
    assert stats.range_quantile(0.95, 2) == pytest.approx(np.sqrt(2) * 1.959963984540054, abs=1e-9)


def test_bootstrap_draws_as_many_families_as_there_are_and_keeps_a_family_together():
    domain = np.array(["d", "d", "d", "e", "e"])
    family = np.array(["a", "a", "b", "c", "c"])
    w = stats.resample(domain, family, 500, seed=4).weights
    assert np.array_equal(w[:, 0], w[:, 1])
    assert (w[:, 0] + w[:, 2] == 2).all()
    assert (w[:, 3] == 1).all(), "a domain of one family never changes"


def test_bootstrap_repeats_itself_under_one_seed():
    args = (np.array(["d"] * 6), np.array(list("abcdef")), 50)
    assert np.array_equal(stats.resample(*args, 1).weights, stats.resample(*args, 1).weights)
    assert not np.array_equal(stats.resample(*args, 1).weights, stats.resample(*args, 2).weights)


def test_bootstrap_spread_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(5).normal(size=(40, 1))
    names = np.array([f"f{i}" for i in range(40)])
    boot = stats.resample(np.array(["d"] * 40), names, 4000, seed=6)
    assert boot.field_means(values, ["d"]).std() == pytest.approx(values.std() / np.sqrt(40), rel=0.05)


def test_weighted_medians_by_hand():
    values = np.array([3.0, 1.0, np.nan, 2.0])
    weights = np.array([[1.0, 1, 9, 1], [5, 1, 9, 1], [0, 0, 9, 0]])
    got = stats.weighted_medians(values, weights)
    assert got[:2].tolist() == [2.0, 3.0] and np.isnan(got[2])


def test_interval_of_nothing_is_nothing():
    assert stats.interval(np.array([np.nan])) == (None, None)


def test_detectable_effect_is_2_8_standard_errors():
    assert stats.detectable(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-5)
