"""Figures: choices of what to draw, labels, reasons instead of empty axes, the same bytes twice."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.studies.lgd_na import (
    figures_common,
    figures_cost,
    figures_curves,
    figures_functional,
    figures_geometry,
    figures_hardening,
    figures_network,
    figures_ranks,
    ranks,
)
from seedlot.studies.lgd_na.claims_text import load
from seedlot.studies.lgd_na.curve import component_curve
from seedlot.studies.lgd_na.graph import from_links
from seedlot.studies.lgd_na.ranks_frame import choose, write_rows
from seedlot.studies.lgd_na.ranks_frame import load as load_runs

METHODS = ("cnd", "nbc", "degree")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Six ring-of-hubs networks in one domain, three methods; nbc is over budget on the last network."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    nets, runs, curves, timings, edges = [], [], [], [], []
    for k in range(6):
        n, name = 60 + k, f"net{k}"
        hubs = np.arange(6)
        src = np.r_[hubs, np.arange(6, n)]
        dst = np.r_[(hubs + 1) % 6, np.arange(6, n) % 6]
        graph = from_links(n, src, dst)
        nets.append(
            {"net_id": name, "title": f"Network {k}", "domain": "web", "family": name, "evidence": "real"}
            | {"n": n, "m": graph.m, "duplicate_of": None, "raw_sha256": "0" * 64}
        )
        edges += [(name, int(a), int(b)) for a, b in zip(*graph.links())]
        for at, method in enumerate(METHODS):
            order = np.r_[np.roll(hubs, at), rng.permutation(np.arange(6, n))]
            lcc, second = component_curve(graph, order)
            key = {"net_id": name, "method": method, "mode": "dynamic", "reinsert": "none"}
            over = method == "nbc" and k == 5
            steps = int(np.flatnonzero(lcc <= -(-n // 10))[0])
            runs.append(
                key
                | {
                    "status": "over_budget" if over else "ok",
                    "reason": "needs 90 s of 60 s" if over else None,
                }
                | {"n_removals": None if over else steps}
                | {"auc_paper": None if over else 0.1 + 0.01 * at + 0.001 * k}
            )
            if not over:
                node = [None, *order[:steps].tolist()]
                curves += [
                    key | {"step": s, "node": node[s], "lcc": int(lcc[s]), "second_lcc": int(second[s])}
                    for s in range(steps + 1)
                ]
                timings.append(
                    {
                        "net_id": name,
                        "method": method,
                        "mode": "dynamic",
                        "cpu_s": 0.01 * (at + 1),
                        "wall_s": 1.0,
                    }
                )
    parts = {
        "nets": pa.Table.from_pylist(nets).cast(_int32(pa.Table.from_pylist(nets).schema)),
        "runs": pa.Table.from_pylist(runs),
        "curves": pa.Table.from_pylist(curves),
        "timings": pa.Table.from_pylist(timings),
        "edges": pa.table(
            {"net_id": [e[0] for e in edges]}
            | {n: pa.array([e[i] for e in edges], pa.int32()) for i, n in ((1, "src"), (2, "dst"))}
        ),
    }
    paths = {}
    for name, table in parts.items():
        paths[name] = [folder / f"{name}.parquet"]
        pq.write_table(table, paths[name][0])
    out = {name: folder / f"{name}.parquet" for name in ("ranks", "pairs", "sets", "modes")}
    ranks.run(Job("ranks", paths, out))
    return paths | {name: [path] for name, path in out.items()}


def _int32(schema):
    """The schema with the null-typed column duplicate_of as text."""
    return pa.schema([pa.field(f.name, pa.string() if pa.types.is_null(f.type) else f.type) for f in schema])


def draw(entry, tables, tmp_path, monkeypatch=None, **params):
    """Run a figure's entry; returns the words in the figure, the rows beside it and the SVG bytes."""
    words = []
    real = plot.save_figure

    def listen(fig, svg, data, parquet):
        real(fig, svg, data, parquet)
        for text in fig.findobj(lambda o: hasattr(o, "get_text")):
            words.append(text.get_text())

    if monkeypatch:
        monkeypatch.setattr(plot, "save_figure", listen)
    out = {"svg": tmp_path / "f.svg", "data": tmp_path / "f.parquet"}
    entry(Job("figure", tables, out, params))
    return words, pq.read_table(out["data"]).to_pylist(), out["svg"].read_bytes()


def test_curves_print_auc_status_stop_and_evidence(tables, tmp_path, monkeypatch):
    words, rows, _ = draw(
        figures_curves.run, tables, tmp_path, monkeypatch, networks=["net5", "net0", "gone"]
    )
    text = " | ".join(words)
    assert "CND  0.1050" in text and "NBC  over_budget" in text and "stop: 0.1" in text
    assert "evidence: real" in text and "gone is not among the runs" in text
    assert "nodes removed (share of n)" in text and "largest component (share of n)" in text
    over = [r for r in rows if r["status"] == "over_budget"]
    assert [(r["net_id"], r["lcc_share"], r["reason"]) for r in over] == [
        ("net5", None, "needs 90 s of 60 s")
    ]
    whole = [r["lcc_share"] for r in rows if (r["net_id"], r["method"]) == ("net0", "cnd")]
    assert whole[0] == 1.0 and whole == sorted(whole, reverse=True)


def test_one_network_of_each_best_filled_domain_is_chosen_real_ones_first():
    nets = [
        {"net_id": f"a{i}", "domain": "web", "evidence": "real", "n": 50 + i, "duplicate_of": None}
        for i in range(5)
    ]
    nets += [{"net_id": "b", "domain": "food", "evidence": "real", "n": 80, "duplicate_of": None}]
    nets += [{"net_id": "c", "domain": "food", "evidence": "real", "n": 49, "duplicate_of": None}]
    nets += [{"net_id": "d", "domain": "food", "evidence": "real", "n": 99, "duplicate_of": "b"}]
    nets += [{"net_id": "s", "domain": "sim", "evidence": "simulated", "n": 99, "duplicate_of": None}] * 9
    assert choose(nets, 6) == ["a2", "b", "s"]
    assert choose(nets, 1) == ["a2"]


def test_heat_map_prints_every_rank_and_both_counts(tables, tmp_path, monkeypatch):
    words, rows, _ = draw(figures_ranks.heatmap, tables, tmp_path, monkeypatch)
    assert {"1.0", "2.0", "3.0"} <= set(words) and "web (5 / 5)" in words and "Field mean (5 / 5)" in words
    assert {r["domain"] for r in rows} == {"web", "*", "all"}


def test_critical_difference_plot_prints_distance_and_ranks(tables, tmp_path, monkeypatch):
    words, _, _ = draw(figures_ranks.critical, tables, tmp_path, monkeypatch)
    text = " | ".join(words)
    assert "critical difference 1.48" in text, "q(0.05, 3) sqrt(3 * 4 / (6 * 5)) = 2.343 * 0.632"
    assert "CND  1.00" in text and "Degree  3.00" in text and "5 families" in text


def test_a_figure_of_a_set_that_was_not_ranked_says_so(tables, tmp_path, monkeypatch):
    words, rows, _ = draw(figures_ranks.heatmap, tables, tmp_path, monkeypatch, evidence="simulated")
    assert "nothing ranked" in words and rows == []


@pytest.mark.parametrize(
    "ranks_, cd, want",
    [
        ([1.0, 1.5, 2.2, 4.0], 1.0, [(0, 1), (1, 2)]),
        ([1.0, 1.5, 1.9, 4.0], 1.0, [(0, 2)]),
        ([1.0, 3.0, 5.0], 1.0, []),
        ([1.0, 2.0], 1.0, []),  # a difference of exactly cd is one
    ],
)
def test_bars_join_maximal_runs_of_methods_that_do_not_differ(ranks_, cd, want):
    assert figures_ranks.cliques(ranks_, cd) == want


def test_pareto_front_and_ratios_by_hand(tables):
    seconds = {
        (f"net{k}", m, "dynamic"): s
        for k in range(6)
        for m, s in (("cnd", 2.0), ("nbc", 3.0), ("degree", 1.0))
    }
    rows = figures_cost.pareto_rows(load_runs(tables["runs"], tables["nets"]), seconds, load()[0], "real")
    seen = {r["method"]: (r["on_front"], r["n_networks"]) for r in rows}
    assert seen == {"cnd": (True, 5), "nbc": (False, 5), "degree": (True, 5)}
    by = {r["method"]: r for r in rows}
    want = np.exp(np.mean([np.log((0.1 + 0.001 * k) / (0.12 + 0.001 * k)) for k in range(5)]))
    assert by["cnd"]["auc_ratio"] == pytest.approx(want) and by["degree"]["auc_ratio"] == 1.0


def test_growth_exponent_of_a_planted_law_ignores_small_networks():
    large = [{"m": m, "cpu_s": 1e-5 * m**1.4} for m in (1000, 1500, 2000, 3000, 4000, 5000, 6000, 12000)]
    small = [{"m": m, "cpu_s": 0.5} for m in (10, 100, 999)]
    assert figures_cost.exponent(small + large) == pytest.approx(1.4)
    assert figures_cost.exponent(small + large[:7]) is None, "too few networks"
    assert figures_cost.exponent([{"m": 2000, "cpu_s": 1.0}] * 9) is None, "one size"


def test_layout_is_a_function_of_the_graph_and_separates_its_nodes():
    ring = from_links(12, np.arange(12), (np.arange(12) + 1) % 12)
    place = figures_network.layout(ring)
    assert np.array_equal(place, figures_network.layout(ring))
    gaps = np.linalg.norm(place[:, None] - place[None, :], axis=-1)[np.triu_indices(12, 1)]
    assert gaps.min() > 0.05 and place.min() >= 0 and place.max() <= 1


def test_network_figure_counts_what_is_left(tables, tmp_path, monkeypatch):
    words, rows, _ = draw(figures_network.run, tables, tmp_path, monkeypatch, network="net0")
    assert "before: 0 removed, largest part 60 (100%)" in words
    assert sum(r["removed_at"] is not None for r in rows) == 6 and len(rows) == 60


def test_network_figure_says_why_nothing_is_drawn(tables, tmp_path, monkeypatch):
    words, rows, _ = draw(figures_network.run, tables, tmp_path, monkeypatch, network="net5", method="nbc")
    assert "not drawn" in words and rows == []
    assert any("no finished dynamic run of NBC" in w for w in words)


def test_hardening_figure_draws_the_papers_range(tmp_path, monkeypatch):
    rows = [
        {
            "net_id": f"n{i}",
            "evidence": "real",
            "domain": "d",
            "family": "f",
            "method": m,
            "nodes_permille": q,
        }
        | {"links_permille": q, "seed": 1, "status": "ok", "reason": None, "m_before": 9, "links_added": 1}
        | {"auc_before": 0.1, "auc_after": 0.15, "gain": 0.5}
        for i in range(3)
        for m in ("ra2", "cnd")
        for q in (10, 100)
    ]
    write_rows(tmp_path / "h.parquet", "study_lgd_na__hardening", rows)
    words, _, _ = draw(figures_hardening.run, {"hardening": tmp_path / "h.parquet"}, tmp_path, monkeypatch)
    assert words.count("paper's range ") == 2 and words.count("+50 %") >= 4


def test_functional_and_geometry_figures_name_their_axes(tmp_path, monkeypatch, tables):
    rows = [
        {
            "net_id": "net0",
            "evidence": "real",
            "method": m,
            "measure": x,
            "removed": k,
            "share_removed": k / 60,
        }
        | {"value": 1 - k / 10, "relative": 1 - k / 10}
        for m in ("cnd", "random")
        for x in figures_functional.MEASURES
        for k in range(6)
    ]
    write_rows(tmp_path / "functional.parquet", "study_lgd_na__functional", rows)
    inputs = tables | {"functional": tmp_path / "functional.parquet"}
    words, _, _ = draw(figures_functional.run, inputs, tmp_path, monkeypatch)
    assert {"SEIR outbreak size", "nodes removed (share of n)", "share of the intact network's value"} <= set(
        words
    )
    rows = [
        {
            "temperature_pct": 10,
            "seed": s,
            "quantity": q,
            "wiring": w,
            "evidence": "simulated",
            "n": 9,
            "m": 9,
        }
        | {"strata": 1, "correlation": 0.5, "correlation_plain": 0.5}
        for s in (1, 2)
        for q in ("ra2", "degree_product")
        for w in ("planted", "rewired")
    ]
    write_rows(tmp_path / "geometry.parquet", "study_lgd_na__geometry", rows)
    words, _, _ = draw(
        figures_geometry.run, {"geometry": tmp_path / "geometry.parquet"}, tmp_path, monkeypatch
    )
    assert "temperature 0.1" in words and any(w.startswith("evidence: simulated") for w in words)


@pytest.mark.parametrize(
    "entry",
    [
        figures_curves.run,
        figures_ranks.critical,
        figures_cost.pareto,
    ],
)
def test_a_figure_drawn_twice_has_the_same_bytes(entry, tables, tmp_path):
    assert draw(entry, tables, tmp_path)[2] == draw(entry, tables, tmp_path)[2]


def test_long_titles_are_cut_at_a_word():
    assert figures_common.short("a short one") == "a short one"
    assert (
        figures_common.short("the collaboration network of network scientists", 30)
        == "the collaboration network of…"
    )
