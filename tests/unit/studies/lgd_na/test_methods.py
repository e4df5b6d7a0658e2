"""Every method: permutations, definitions checked against other code, cost models, the dismantling job."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.unit.studies.lgd_na.lgd_graphs import graph_of, network_of, random_graph

from seedlot.config.errors import SeedlotError
from seedlot.contracts.check import check_file
from seedlot.contracts.model import contract
from seedlot.store.job import Job
from seedlot.store.parquet import read_table, write_table
from seedlot.studies.lgd_na import dismantle, stepwise
from seedlot.studies.lgd_na.betweenness import betweenness
from seedlot.studies.lgd_na.collective import removal_order as by_influence
from seedlot.studies.lgd_na.forest import break_trees, core_order
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.measures import stop_size
from seedlot.studies.lgd_na.method import FOLDER, Context, load_method, method_names
from seedlot.studies.lgd_na.methods import (
    domirank,
    ei,
    eigenvector,
    fitness,
    gnd,
    nbc_sampled,
    pagerank,
)
from seedlot.studies.lgd_na.settings import METHODS, Settings
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.trial import run_trial

EVERY = [(name, mode) for name in method_names() for mode in load_method(name).modes]


def connected(seed: int, n: int = 30) -> Graph:
    return graph_of(nx.connected_watts_strogatz_graph(n, 4, 0.3, seed=seed))


@pytest.mark.parametrize(("name", "mode"), EVERY)
def test_every_method_gives_each_node_once_and_reaches_the_stop(name, mode):
    method = load_method(name)
    for seed in range(14):
        graph = random_graph(seed, 40)
        order = method.order(graph, mode, Context(4, method.tie_rules[0], 3, "net"))
        assert sorted(order.tolist()) == list(range(graph.n))
        assert order.dtype == np.int32


@pytest.mark.parametrize(("name", "mode"), EVERY)
def test_orders_repeat_and_random_ones_follow_seed_and_network(name, mode):
    method, graph = load_method(name), connected(1, 150)
    first = method.order(graph, mode, Context(6, seed=1, net_id="a"))
    assert first.tolist() == method.order(graph, mode, Context(6, seed=1, net_id="a")).tolist()
    others = [
        method.order(graph, mode, Context(6, seed=s, net_id=i)).tolist() for s, i in ((2, "a"), (1, "b"))
    ]
    drawn = name in ("random", "nbc_sampled")  # ei draws too, but below 1,000 nodes it weighs them all
    assert [other != first.tolist() for other in others] == [drawn, drawn]


def size_of(n: int, m: int) -> Size:
    """A random graph's size, n nodes and m links, dismantled to a tenth."""
    graph = graph_of(nx.gnm_random_graph(n, m, seed=1))
    return Size(graph, stop_size(graph.n, 0.1))


@pytest.mark.parametrize(
    "name", [n for n, mode in EVERY if mode == "dynamic" and n not in ("ei", "nbc_sampled")]
)
def test_a_dynamic_order_that_is_whole_does_not_depend_on_the_stop(name):
    """Only those are measured to the last node; the others must show no r_schneider."""
    method, graph = load_method(name), connected(5, 60)
    orders = [method.order(graph, "dynamic", Context(stop, net_id="a")).tolist() for stop in (3, 20)]
    trial = run_trial(graph, method, "dynamic", net_id="a")
    assert (orders[0] == orders[1]) == method.whole
    assert (trial.outcomes[0].measures.r_schneider is None) == (not method.whole)


@pytest.mark.parametrize(("name", "mode"), EVERY)
def test_cost_models_are_positive_and_grow_with_size(name, mode):
    seconds = load_method(name).seconds
    told = [seconds(size_of(n, m), mode) for n, m in ((100, 300), (2_000, 6_000), (4_000, 40_000))]
    assert 0 < told[0] < told[1] < told[2]


def test_methods_are_the_files_of_their_folder_and_all_are_on_by_default():
    assert sorted(METHODS) == method_names() == sorted(p.stem for p in FOLDER.glob("[a-z]*.py"))
    with pytest.raises(SeedlotError, match="did you mean 'degree'"):
        load_method("degre")


@pytest.mark.parametrize("seed", range(14))
def test_betweenness_equals_networkx(seed):
    graph = random_graph(seed, 40)
    expected = nx.betweenness_centrality(network_of(graph), normalized=False)
    assert betweenness(graph) == pytest.approx([expected[i] for i in range(graph.n)], abs=1e-9)


def test_betweenness_from_some_sources_is_unbiased_over_all_of_them():
    graph = connected(2)
    parts = [betweenness(graph, np.array([s])) for s in range(graph.n)]
    assert np.mean(parts, axis=0) == pytest.approx(betweenness(graph))


@pytest.mark.parametrize("seed", range(6))
def test_dynamic_betweenness_equals_recomputing_everything_with_networkx(seed):
    graph = random_graph(seed, 25)
    net, expected = network_of(graph), []
    while net:
        values = nx.betweenness_centrality(net, normalized=False)
        top = max(values.values())
        expected.append(min(v for v in net if values[v] >= top - 1e-9 * top))
        net.remove_node(expected[-1])
    assert load_method("nbc").order(graph, "dynamic", Context(1)).tolist() == expected


def test_sampled_betweenness_spends_what_dynamic_cnd_is_predicted_to_cost():
    size = size_of(2_000, 100_000)
    cost = load_method("nbc_sampled").seconds(size, "dynamic") - 1e-7 * (size.n + size.m)
    assert cost == pytest.approx(load_method("cnd").seconds(size, "dynamic"), rel=0.1)
    assert nbc_sampled.passes(size.n, size.m) > 20
    assert nbc_sampled.passes(3, 2) >= 16


def test_the_size_of_a_network_counts_what_is_left_to_an_attack():
    """A star falls at once; a ring becomes a path of five, then one node and a path of three."""
    star = Size(graph_of(nx.star_graph(9)), 1)
    assert (star.n, star.m, star.pairs, star.removals, star.walks) == (10, 9, 90, 1, 90.0)
    ring = Size(graph_of(nx.cycle_graph(6)), 2)
    assert (ring.pairs, ring.removals) == (24, 3)
    assert ring.walks == 24 + (1 + 4 + 4 + 4 + 1) + (
        1 + 4 + 1
    )  # the ring, a path of five nodes, one of three


def test_corehd_breaks_equal_trees_from_the_one_with_the_lowest_index():
    """Petersen's graph without 0, 2 and 8 is a tree, and its centroid 9 leaves three pairs: 1-6, 3-4 and 5-7."""
    order = load_method("corehd").order(graph_of(nx.petersen_graph()), "dynamic", Context(1))
    assert order.tolist()[:7] == [0, 2, 8, 9, 1, 3, 5]


@pytest.mark.parametrize("seed", range(4))
def test_pagerank_equals_networkx(seed):
    graph = random_graph(seed, 40)
    expected = nx.pagerank(network_of(graph), alpha=0.85, tol=1e-13, max_iter=1000)
    assert pagerank.scores(graph) == pytest.approx([expected[i] for i in range(graph.n)], abs=1e-10)


def test_eigenvector_tends_to_the_leading_eigenvector_and_is_zero_without_links():
    graph = graph_of(nx.gnp_random_graph(40, 0.3, seed=1))
    vector = np.abs(np.linalg.eigh(graph.matrix().toarray())[1][:, -1])
    assert eigenvector.scores(graph) == pytest.approx(vector, abs=1e-8)
    assert eigenvector.scores(graph_of(nx.empty_graph(3))).tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", [30, 260])
def test_domirank_solves_its_equation(n):
    graph = connected(5, n)
    matrix = graph.matrix().toarray()
    lowest = np.linalg.eigvalsh(matrix)[0]
    assert domirank.smallest_eigenvalue(graph) == pytest.approx(lowest, abs=1e-8)
    sigma = 0.5 / abs(lowest)
    expected = np.linalg.solve(sigma * matrix + np.eye(n), sigma * matrix.sum(axis=1))
    assert domirank.scores(graph) == pytest.approx(expected, abs=1e-8)


def test_fitness_is_a_fixed_point():
    graph = connected(4)
    found = fitness.scores(graph)
    assert found == pytest.approx(1 + graph.matrix() @ (1 / found), rel=1e-5)


def test_resilience_follows_its_formula_at_every_step():
    graph = connected(7, 40)
    net = network_of(graph)
    for node in load_method("resilience").order(graph, "dynamic", Context(1))[:25].tolist():
        ids = list(net)
        matrix = nx.to_numpy_array(net, nodelist=ids)
        d = matrix.sum(axis=1)
        c, s2 = d.mean(), d.var()
        if c == 0:
            break
        beta = (c**2 + s2) / c
        score = (2 * matrix @ d + d * (d - 2 * beta)) / (len(ids) * (c**2 + s2))
        assert score[ids.index(node)] == pytest.approx(score.max(), abs=1e-9)
        net.remove_node(node)


def test_collective_influence_follows_its_definition_at_every_step():
    graph = graph_of(nx.barabasi_albert_graph(40, 2, seed=3))
    net = network_of(graph)
    for node in by_influence(graph, True)[:25].tolist():
        score = {}
        for i in net:
            ring = nx.descendants_at_distance(net, i, 2)
            score[i] = (max(net.degree[i] - 1, 0) * sum(net.degree[j] - 1 for j in ring), net.degree[i], -i)
        assert node == max(net, key=score.get)
        net.remove_node(node)


def test_core_order_takes_the_largest_degree_inside_the_2_core_until_it_is_empty():
    for seed in range(20):
        graph = random_graph(seed, 40)
        net = network_of(graph)
        for node in core_order(graph.indptr, graph.indices).tolist():
            core = nx.k_core(net, 2)
            assert node == max(core, key=lambda i: (core.degree[i], -i))
            net.remove_node(node)
        assert nx.is_forest(net)


def test_trees_are_broken_at_centroids_largest_first():
    graph = graph_of(nx.disjoint_union(nx.path_graph(7), nx.random_labeled_tree(20, seed=1)))
    net = network_of(graph)
    for node in break_trees(graph.indptr, graph.indices, np.ones(graph.n, np.bool_)).tolist():
        pieces = sorted(nx.connected_components(net), key=len, reverse=True)
        if len(pieces[0]) == 1:
            break
        home = next(piece for piece in pieces if node in piece)
        assert len(home) == len(pieces[0])
        rest = net.subgraph(home - {node})
        assert max(len(c) for c in nx.connected_components(rest)) <= len(home) // 2
        net.remove_node(node)


def test_gnd_covers_the_cut_with_a_smallest_set_of_nodes():
    for seed in range(12):
        graph = connected(seed)
        side = gnd.fiedler(graph) >= 0
        assert 0 < side.sum() < graph.n
        cover = set(gnd.cover_of_cut(graph, side).tolist())
        cut = [(a, b) for a, b in zip(*(s.tolist() for s in graph.links())) if side[a] != side[b]]
        assert all(a in cover or b in cover for a, b in cut)
        bipartite = nx.Graph(cut)
        matching = nx.bipartite.maximum_matching(bipartite, top_nodes=[v for v in bipartite if side[v]])
        assert len(cover) == len(matching) // 2


@pytest.mark.parametrize("n", range(2, 8))
@pytest.mark.parametrize("shape", [nx.complete_graph, nx.path_graph, nx.star_graph, nx.cycle_graph])
def test_every_method_ends_on_graphs_so_small_that_the_stop_is_one_node(shape, n):
    graph = graph_of(shape(n))
    for name in method_names():
        method = load_method(name)
        for mode in method.modes:
            order = method.order(graph, mode, Context(stop=1))
            assert sorted(order.tolist()) == list(range(graph.n)), (name, mode)


def test_the_fiedler_vector_separates_two_cliques_on_a_bridge():
    side = gnd.fiedler(graph_of(nx.barbell_graph(8, 0))) >= 0
    assert len(set(side[:8].tolist())) == len(set(side[8:].tolist())) == 1
    assert side[0] != side[15]


def test_explosive_immunisation_leaves_leaves_and_hubs_out_of_the_effective_degree():
    graph = graph_of(nx.star_graph(9))
    assert ei.effective_degree(graph.indptr, graph.indices, graph.degree).tolist() == [0] + [1] * 9
    wheel = graph_of(nx.wheel_graph(10))
    assert ei.effective_degree(wheel.indptr, wheel.indices, wheel.degree).tolist() == [9] + [2] * 9


def test_close_values_are_ties_and_go_by_index():
    assert stepwise.first_close_maximum(np.array([1.0, 2.0, 2.0 + 1e-12])) == 1
    assert stepwise.ranked(np.array([1.0, 3.0 - 1e-12, 3.0, 2.0])).tolist() == [1, 2, 3, 0]
    assert stepwise.ranked(np.array([])).tolist() == []


def test_a_mode_or_an_order_that_a_method_does_not_have_is_refused():
    with pytest.raises(SeedlotError, match="corehd has no static mode"):
        run_trial(connected(0), load_method("corehd"), "static")
    broken = type(load_method("cnd"))(
        "broken", "", lambda g, m, c: np.zeros(g.n, np.int32), lambda n, m, x: 0
    )
    with pytest.raises(SeedlotError, match="each of 30 nodes once"):
        run_trial(connected(0), broken, "dynamic")


@pytest.mark.parametrize(
    "bad", [{"methods": ["cnd", "cnd"]}, {"reinserts": ["r1"]}, {"stop": 1.0}, {"budget": 3}]
)
def test_settings_refuse_repeats_missing_none_and_unknown_keys(bad):
    with pytest.raises(ValueError):
        Settings(**bad)


# -- the job ------------------------------------------------------------------------------------------


def shard(folder: Path, nets: dict[str, nx.Graph], lost_links: str = "") -> dict[str, Path]:
    """nets, nodes and edges tables of some networks; `lost_links` names one whose edges are missing."""
    rows: dict[str, list[dict]] = {"nets": [], "nodes": [], "edges": []}
    for name, net in nets.items():
        graph = graph_of(net)
        rows["nets"].append({"net_id": name, "n": graph.n, "m": graph.m})
        rows["nodes"] += [{"net_id": name, "node": i, "label": f"n{v}"} for i, v in enumerate(net)]
        links = zip(*(side.tolist() for side in graph.links()))
        rows["edges"] += [{"net_id": name, "src": a, "dst": b} for a, b in links if name != lost_links]
    kinds = {"net_id": pa.string(), "label": pa.string()}
    paths = {}
    for table, content in rows.items():
        schema = pa.schema([(k, kinds.get(k, pa.int32())) for k in content[0]])
        paths[table] = folder / f"{table}.parquet"
        write_table(paths[table], pa.Table.from_pylist(content, schema=schema), schema, ())
    return paths


def dismantle_job(folder: Path, inputs: dict[str, Path], threads: int = 1, **params) -> Job:
    names = ("runs", "curves", "timings", "outcomes")
    plain = {"method": "cnd", "modes": ["dynamic", "static"], "reinserts": ["none", "r1", "r2", "r3"]}
    plain |= {"stop": 0.1, "ties": "exact", "seed": 0, "budget_s": 60.0}
    folder.mkdir(exist_ok=True)
    outputs = {name: folder / f"{name}.parquet" for name in names}
    return Job("dismantle", inputs, outputs, plain | params, threads)


NETS = {"aa": nx.karate_club_graph(), "bb": nx.path_graph(9), "cc": nx.davis_southern_women_graph()}


def test_the_job_writes_tables_under_their_contracts(tmp_path):
    job = dismantle_job(tmp_path / "out", shard(tmp_path, NETS))
    dismantle.run(job)
    for name in ("runs", "curves", "timings"):
        rows = check_file(contract(f"study_lgd_na__{name}"), job.output[name])
        assert sum(row["violations"] for row in rows) == 0
    runs = read_table(job.output["runs"])
    assert runs.num_rows == 3 * 2 * 4
    assert set(runs["status"].to_pylist()) == {"ok"}
    karate = runs.filter(pc.equal(runs["net_id"], "aa")).to_pylist()[0]
    assert (karate["n_removals"], round(karate["auc_paper"], 5), karate["tie_rule"]) == (10, 0.09818, "exact")
    curves = read_table(job.output["curves"]).to_pylist()
    first = [r for r in curves if (r["net_id"], r["mode"], r["reinsert"]) == ("cc", "dynamic", "none")]
    assert [r["step"] for r in first] == list(range(14))
    assert (first[0]["node"], first[0]["lcc"], first[-1]["lcc"] <= 4) == (None, 32, True)
    assert first[1]["label"] == f"n{list(NETS['cc'])[first[1]['node']]}"


def test_the_job_gives_the_same_bytes_with_one_and_with_two_processes(tmp_path):
    inputs = shard(tmp_path, NETS)
    jobs = [dismantle_job(tmp_path / f"out{k}", inputs, k, method="degree") for k in (1, 2)]
    for job in jobs:
        dismantle.run(job)
    for name in ("runs", "curves"):
        assert jobs[0].output[name].read_bytes() == jobs[1].output[name].read_bytes()


def test_a_broken_network_fails_alone_and_says_why(tmp_path):
    job = dismantle_job(tmp_path / "out", shard(tmp_path, NETS, lost_links="bb"))
    dismantle.run(job)
    runs = read_table(job.output["runs"]).to_pylist()
    assert {r["net_id"] for r in runs if r["status"] == "failed"} == {"bb"}
    assert {r["net_id"] for r in runs if r["status"] == "ok"} == {"aa", "cc"}
    assert all("0 links, but nets says 9 and 8" in r["reason"] for r in runs if r["net_id"] == "bb")
    outcomes = {r["item"]: r["status"] for r in read_table(job.output["outcomes"]).to_pylist()}
    assert outcomes["bb cnd dynamic"] == "failed"
    assert outcomes["aa cnd static"] == "ok"


def test_a_run_above_the_budget_is_a_row_with_its_estimate(tmp_path):
    job = dismantle_job(tmp_path / "out", shard(tmp_path, NETS), method="nbc", budget_s=1e-9)
    dismantle.run(job)
    runs = read_table(job.output["runs"]).to_pylist()
    assert len(runs) == 24
    assert {r["status"] for r in runs} == {"over_budget"}
    assert all(r["cost_estimate_s"] > 1e-9 and "budget 1e-09 s" in r["reason"] for r in runs)
    assert read_table(job.output["curves"]).num_rows == read_table(job.output["timings"]).num_rows == 0


def test_a_method_runs_only_in_the_modes_it_has(tmp_path):
    job = dismantle_job(tmp_path / "out", shard(tmp_path, NETS), method="corehd", reinserts=["none"])
    dismantle.run(job)
    assert read_table(job.output["runs"])["mode"].to_pylist() == ["dynamic"] * 3
