"""The incremental engine against full recomputation, and the exactness of its ties."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from tests.unit.studies.lgd_na.lgd_graphs import graph_of, hubs, network_of, random_graph

from seedlot.config.errors import SeedlotError
from seedlot.studies.lgd_na import engine, jit, recompute
from seedlot.studies.lgd_na.counts import common_neighbours, link_ids
from seedlot.studies.lgd_na.curve import component_curve
from seedlot.studies.lgd_na.exact import sign_of_sum
from seedlot.studies.lgd_na.graph import Graph, from_links
from seedlot.studies.lgd_na.scores import error as error_bound
from seedlot.studies.lgd_na.unitfractions import fraction_bits

pytestmark = pytest.mark.soak
SOAK = bool(os.environ.get("SEEDLOT_SOAK"))
GRAPHS, LARGEST = (1000, 70) if SOAK else (196, 20)
BLOCK = GRAPHS // 14


@pytest.mark.parametrize("block", range(14))
def test_removal_lists_equal_full_recomputation_on_random_graphs(block):
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        graph = random_graph(seed, LARGEST)
        for rule in engine.RULES:
            expected = recompute.removal_order(graph, rule)
            assert engine.removal_order(graph, rule).tolist() == expected.tolist(), (seed, rule)


@pytest.mark.parametrize("seed", range(6))
def test_removal_lists_equal_full_recomputation_with_hubs_above_degree_1000(seed):
    graph, steps = hubs(seed), 500 if SOAK else 8
    assert (graph.degree >= 1000).sum() == 3
    for rule in ("ra2", "ra2num", "cnd"):
        expected = recompute.removal_order(graph, rule, steps=steps)
        assert engine.removal_order(graph, rule)[:steps].tolist() == expected.tolist(), rule


@pytest.mark.parametrize("ties", ["csr", "round9"])
def test_float_tie_rules_equal_sparse_row_sums_to_the_last_bit(ties):
    for seed in range(GRAPHS, GRAPHS + 21):
        graph = random_graph(seed, 40)
        for rule in ("ra2", "cnd"):
            expected = recompute.removal_order(graph, rule, ties=ties)
            assert engine.removal_order(graph, rule, ties=ties).tolist() == expected.tolist(), (seed, rule)


def test_csr_row_sums_of_long_rows_follow_the_pairwise_blocks():
    graph = hubs(3)
    expected = recompute.removal_order(graph, "cnd", ties="csr", steps=4)
    assert engine.removal_order(graph, "cnd", ties="csr")[:4].tolist() == expected.tolist()


@pytest.mark.parametrize("rule", list(engine.RULES))
def test_the_sequence_does_not_depend_on_the_order_or_direction_of_links(rule):
    rng = np.random.default_rng(5)
    graph = random_graph(8, 60)
    src, dst = graph.links()
    for _ in range(20):
        shuffle, turn = rng.permutation(graph.m), rng.random(graph.m) < 0.5
        a, b = np.where(turn, dst, src)[shuffle], np.where(turn, src, dst)[shuffle]
        order = engine.removal_order(from_links(graph.n, a, b), rule)
        assert order.tolist() == engine.removal_order(graph, rule).tolist()


@pytest.mark.parametrize("rule", ["ra2", "ra2num", "cnd"])
def test_relabelling_maps_the_sequence_where_scores_never_tie(rule):
    rng = np.random.default_rng(0)
    graph = graph_of(nx.gnp_random_graph(120, 0.2, seed=3))
    order = engine.removal_order(graph, rule)
    steps = _steps_without_ties(graph, order, rule)
    assert steps >= 10
    rename = rng.permutation(graph.n)
    src, dst = graph.links()
    other = engine.removal_order(from_links(graph.n, rename[src], rename[dst]), rule)
    assert other[:steps].tolist() == rename[order[:steps]].tolist()


def _steps_without_ties(graph: Graph, order: np.ndarray, rule: str) -> int:
    adjacency, ids = graph.matrix(), np.arange(graph.n)
    for step, node in enumerate(order):
        scores = recompute.node_scores(adjacency, rule)
        if scores.count(max(scores)) > 1:
            return step
        keep = ids != node
        adjacency, ids = adjacency[keep][:, keep], ids[keep]
    return len(order)


def test_equal_rationals_with_different_histograms_are_a_tie():
    # 21 links with 20 common neighbours each (a clique of 22) sum to 1, and so does a single link without
    # any: the float sums differ, the fractions do not, so node 0 goes first.
    pair, clique = nx.complete_graph(2), nx.complete_graph(22)
    graph = graph_of(nx.disjoint_union(pair, clique))
    assert sum([1 / 21] * 21) != 1.0
    assert engine.removal_order(graph, "cnd")[0] == 0


def test_cliques_too_large_for_the_64_bit_image_still_tie_exactly():
    graph = graph_of(
        nx.disjoint_union_all([nx.complete_graph(90), nx.complete_graph(120), nx.complete_graph(2)])
    )
    state = engine.initial_state(graph, "cnd")
    assert state.safe[-1] < 1e-9  # so the long integers decide
    assert engine.removal_order(graph, "cnd")[:3].tolist() == [0, 1, 2]
    assert engine.removal_order(graph, "ra2")[:3].tolist() == [0, 1, 2]


def test_sign_of_sums_of_fractions_matches_python_fractions():
    rng = random.Random(1)
    for _ in range(1500):
        size = rng.randint(1, 150)
        num = [rng.choice([0, 0, rng.randint(-5, 5), rng.randint(-(2**61), 2**61)]) for _ in range(size)]
        if rng.random() < 0.4:  # a sum that is zero, or one unit away from it
            num = [0] * size
            for _ in range(6):
                k, times, amount = rng.randrange(size), rng.randint(1, 7), rng.randint(-99, 99)
                if (k + 1) * times <= size:
                    num[k] += amount
                    num[(k + 1) * times - 1] -= amount * times
            num[-1] += rng.choice([0, 1, -1])
        exact = sum(Fraction(a, k + 1) for k, a in enumerate(num))
        den = np.arange(1, size + 1)
        assert sign_of_sum(np.array(num, np.int64), den, size) == (exact > 0) - (exact < 0)


def test_the_fixed_point_value_and_its_error_bound_hold_the_exact_score():
    for seed in range(60):
        graph = random_graph(seed, 60)
        for rule in ("ra2", "cnd"):
            state = engine.initial_state(graph, rule)
            for node in range(graph.n):
                value, error = Fraction(float(state.value[node])), Fraction(float(error_bound(state, node)))
                assert abs(_exact_score(graph, rule, node) - value) <= error
                assert 2 * error <= state.coarse + 2 * value * Fraction(1, 2**49)


def _exact_score(graph: Graph, rule: str, i: int) -> Fraction:
    total, own = Fraction(0), set(graph.neighbours(i).tolist())
    for j in own:
        other = set(graph.neighbours(j).tolist())
        c = len(own & other)
        num = (len(own) - c) * (len(other) - c) if rule == "ra2" else 1
        total += Fraction(num, 1 + c)
    return total


def test_scores_beyond_exact_integers_are_refused_not_wrong():
    with pytest.raises(SeedlotError, match="2\\^61"):
        fraction_bits(2**31, 2**32, products=True)
    assert fraction_bits(2**20, 2**28, products=True) == 32


def test_common_neighbours_equal_set_intersections():
    for seed in range(40):
        graph = random_graph(seed, 50)
        shared = common_neighbours(graph.indptr, graph.indices, link_ids(graph.indptr, graph.indices))
        net = network_of(graph)
        expected = [len(set(net[a]) & set(net[b])) for a, b in zip(*(s.tolist() for s in graph.links()))]
        assert shared.tolist() == expected


def test_static_order_sorts_the_scores_of_the_intact_graph_ties_by_index():
    for seed in range(40):
        graph = random_graph(seed, 50)
        scores = recompute.node_scores(graph.matrix(), "ra2")
        expected = sorted(range(graph.n), key=lambda i: (-scores[i], i))
        assert engine.removal_order(graph, "ra2", dynamic=False).tolist() == expected


def test_component_curve_equals_networkx_after_every_removal():
    rng = np.random.default_rng(2)
    for seed in range(60):
        graph = random_graph(seed, 40)
        order = rng.permutation(graph.n)[: rng.integers(0, graph.n + 1)]
        lcc, second = component_curve(graph, order)
        net = network_of(graph)
        for step in range(len(order) + 1):
            sizes = [*sorted((len(c) for c in nx.connected_components(net)), reverse=True), 0, 0]
            assert (lcc[step], second[step]) == (sizes[0], sizes[1]), (seed, step)
            net.remove_nodes_from(order[step : step + 1].tolist())


@pytest.mark.parametrize(
    ("src", "dst", "message"),
    [([0, 1], [0, 2], "links to itself"), ([0, 1], [1, 0], "occurs twice"), ([0], [3], "outside 0..2")],
)
def test_a_graph_that_is_not_simple_is_refused(src, dst, message):
    with pytest.raises(SeedlotError, match=message):
        from_links(3, src, dst)


@pytest.mark.parametrize(("order", "message"), [([0, 0], "twice"), ([5], "outside")])
def test_a_removal_order_that_is_none_is_refused(order, message):
    with pytest.raises(SeedlotError, match=message):
        component_curve(from_links(3, [0, 1], [1, 2]), order)


@pytest.mark.parametrize("rule", list(engine.RULES))
def test_graphs_without_links_or_nodes_are_ordered_by_index(rule):
    assert engine.removal_order(from_links(4, [], []), rule).tolist() == [0, 1, 2, 3]
    assert engine.removal_order(from_links(0, [], []), rule).tolist() == []


def test_unknown_rules_are_refused_with_the_nearest():
    with pytest.raises(SeedlotError, match="did you mean 'cnd'"):
        engine.removal_order(from_links(2, [0], [1]), "cdn")
    with pytest.raises(SeedlotError, match="did you mean 'exact'"):
        engine.removal_order(from_links(2, [0], [1]), "cnd", ties="exat")


def test_kernels_are_kept_apart_by_the_source_of_all_of_them(tmp_path):
    # numba alone would run a caller's old machine code after an edit of a function it calls in another file.
    package = tmp_path / "lgd_na"
    package.mkdir()
    for name in ("jit.py", "exact.py"):
        (package / name).write_bytes((jit.HERE / name).read_bytes())
    probe = f"import sys; sys.path.insert(0, {str(package)!r}); import jit; print(jit.source_digest())"
    first = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
    (package / "figures.py").write_text("x = 1\n")
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout == first
    (package / "exact.py").write_text((package / "exact.py").read_text() + "\n# edited\n")
    assert subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True).stdout != first
