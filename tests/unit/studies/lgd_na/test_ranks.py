"""Rankings of small made-up tables whose answers are worked out by hand."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store.job import Job
from seedlot.studies.lgd_na import ranks
from seedlot.studies.lgd_na.claims_text import load
from seedlot.studies.lgd_na.ranks_frame import load as load_runs
from seedlot.studies.lgd_na.ranks_frame import matrix


def write_nets(path: Path, rows: list[tuple]) -> Path:
    """rows: net_id, domain, family, evidence, n, duplicate_of."""
    names = ("net_id", "domain", "family", "evidence", "n", "duplicate_of")
    table = [dict(zip(names, r, strict=True)) | {"m": 100, "raw_sha256": "0" * 64} for r in rows]
    schema = pa.schema(
        [("net_id", pa.string()), ("domain", pa.string()), ("family", pa.string()), ("evidence", pa.string())]
        + [("n", pa.int32()), ("m", pa.int32()), ("duplicate_of", pa.string()), ("raw_sha256", pa.string())]
    )
    pq.write_table(pa.Table.from_pylist(table, schema=schema), path)
    return path


def write_runs(path: Path, rows: list[tuple]) -> Path:
    """rows: net_id, method, mode, reinsert, auc (None: over budget)."""
    table = [
        {
            **dict(zip(("net_id", "method", "mode", "reinsert", "auc_paper"), r, strict=True)),
            "status": "over_budget" if r[4] is None else "ok",
            "n_removals": None if r[4] is None else 10,
        }
        for r in rows
    ]
    schema = pa.schema(
        [("net_id", pa.string()), ("method", pa.string()), ("mode", pa.string()), ("reinsert", pa.string())]
        + [("status", pa.string()), ("n_removals", pa.int32()), ("auc_paper", pa.float64())]
    )
    pq.write_table(pa.Table.from_pylist(table, schema=schema), path)
    return path


def dynamic(auc: dict[str, list]) -> list[tuple]:
    """Dynamic runs without reinsertion: auc[method] = one value per network net0, net1, ..."""
    return [(f"net{i}", m, "dynamic", "none", v) for m, values in auc.items() for i, v in enumerate(values)]


@pytest.fixture
def frozen():
    return load()[0]


def ranked(tmp_path, frozen, nets, runs):
    loaded = load_runs(
        [write_runs(tmp_path / "runs.parquet", runs)], [write_nets(tmp_path / "n.parquet", nets)]
    )
    table, pairs, sets = ranks.rank_rows(loaded, frozen)
    pick = {(r["scope"], r["size"], r["mode"], r["domain"], r["method"]): r for r in table}
    return pick, pairs, sets


def two_domains():
    """Six families in 'web', five in 'brain', two in 'tiny'; one network each."""
    names = ["web"] * 6 + ["brain"] * 5 + ["tiny"] * 2
    return [(f"net{i}", d, f"fam{i}", "real", 60, None) for i, d in enumerate(names)]


def test_field_rank_is_the_mean_of_domain_means_and_leaves_small_domains_out(tmp_path, frozen):
    cnd = [1] * 6 + [3] * 5 + [3] * 2  # first in web, last elsewhere
    runs = dynamic({"cnd": cnd, "degree": [2] * 13, "nbc": [3] * 6 + [1] * 5 + [1] * 2})
    pick, _, sets = ranked(tmp_path, frozen, two_domains(), runs)
    assert pick["complete", "main", "dynamic", "web", "cnd"]["mean_rank"] == 1.0
    assert pick["complete", "main", "dynamic", "*", "cnd"]["mean_rank"] == 2.0, "(1 + 3) / 2, tiny is grey"
    assert pick["complete", "main", "dynamic", "*", "cnd"]["n_networks"] == 11
    assert pick["complete", "main", "dynamic", "all", "cnd"]["mean_rank"] == pytest.approx((6 + 7 * 3) / 13)
    assert not pick["complete", "main", "dynamic", "tiny", "cnd"]["enters_field"]
    one = next(s for s in sets if s["scope"] == "complete")
    assert (one["field_domains"], one["grey_domains"]) == (["brain", "web"], ["tiny"])


def test_wins_ties_and_log_ratio_are_taken_against_dynamic_degree(tmp_path, frozen):
    runs = dynamic({"cnd": [1] * 5 + [2] * 3 + [4] * 5, "degree": [2] * 13})
    pick, _, _ = ranked(tmp_path, frozen, two_domains(), runs)
    row = pick["complete", "main", "dynamic", "all", "cnd"]
    assert (row["wins"], row["ties"], row["losses"]) == (5, 3, 5)
    assert row["log_ratio"] == pytest.approx(0.0)
    same = pick["complete", "main", "dynamic", "all", "degree"]
    assert (same["wins"], same["ties"], same["losses"], same["wilcoxon_p"]) == (0, 13, 0, None)


def test_complete_set_drops_networks_a_method_did_not_finish_and_local_set_keeps_them(tmp_path, frozen):
    runs = dynamic({"cnd": [1] * 13, "degree": [2] * 13, "nbc": [0.5] * 10 + [None] * 3})
    pick, _, sets = ranked(tmp_path, frozen, two_domains(), runs)
    assert pick["complete", "main", "dynamic", "all", "cnd"]["n_networks"] == 10
    assert pick["local", "main", "dynamic", "all", "cnd"]["n_networks"] == 13
    one = next(s for s in sets if s["scope"] == "complete")
    assert (one["n_incomplete"], one["left_out"]) == (3, ["nbc=3"])
    assert "gnd" in one["absent"] and "nbc" not in one["absent"]


def test_duplicates_and_small_networks_and_simulated_ones_are_ranked_apart(tmp_path, frozen):
    nets = [
        ("net0", "web", "a", "real", 60, None),
        ("net1", "web", "b", "real", 49, None),
        ("net2", "web", "c", "simulated", 60, None),
        ("net3", "web", "d", "real", 60, "net0"),
    ]
    pick, _, sets = ranked(tmp_path, frozen, nets, dynamic({"cnd": [1] * 4, "degree": [2] * 4}))
    sizes = {(s["evidence"], s["size"]): s["n_networks"] for s in sets if s["scope"] == "complete"}
    assert sizes == {("real", "main"): 1, ("real", "small"): 1, ("simulated", "main"): 1}


def test_only_like_is_ranked_with_like(tmp_path, frozen):
    runs = dynamic({"cnd": [1] * 13, "degree": [2] * 13})
    runs += [(f"net{i}", m, "static", "r1", v) for m, v in (("cnd", 9), ("nbc", 1)) for i in range(13)]
    _, _, sets = ranked(tmp_path, frozen, two_domains(), runs)
    methods = {(s["mode"], s["reinsert"]): s["methods"] for s in sets if s["scope"] == "complete"}
    assert methods == {("dynamic", "none"): ["cnd", "degree"], ("static", "r1"): ["cnd", "nbc"]}


def test_a_pair_that_never_changes_has_an_interval_without_width(tmp_path, frozen):
    _, pairs, _ = ranked(tmp_path, frozen, two_domains(), dynamic({"cnd": [1] * 13, "degree": [2] * 13}))
    row = next(p for p in pairs if p["scope"] == "complete" and p["domain"] == "*")
    assert (row["method"], row["other"], row["rank_difference"]) == ("cnd", "degree", 1.0)
    assert (row["difference_low"], row["difference_high"], row["difference_se"]) == (1.0, 1.0, 0.0)


def test_a_family_counts_once_in_the_test(tmp_path, frozen):
    nets = [(f"net{i}", "web", f"fam{min(i, 5)}", "real", 60, None) for i in range(13)]
    runs = dynamic({"cnd": list(np.linspace(1, 1.5, 13)), "degree": [2] * 13})
    pick, _, _ = ranked(tmp_path, frozen, nets, runs)
    assert pick["complete", "main", "dynamic", "all", "cnd"]["wilcoxon_p"] == pytest.approx(2 / 2**6)


def test_interval_of_a_field_rank_covers_the_truth_as_often_as_it_says(frozen, tmp_path):
    """Networks drawn from a known law: the 95 % interval of a field rank holds the true 1.3 in most of 60 tries."""
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(60):
        nets = [(f"net{i}", f"dom{i % 2}", f"fam{i}", "real", 60, None) for i in range(60)]
        lose = rng.random(60) < 0.3
        runs = dynamic({"cnd": np.where(lose, 3.0, 1.0).tolist(), "degree": [2.0] * 60})
        loaded = load_runs([write_runs(tmp_path / "r", runs)], [write_nets(tmp_path / "n", nets)])
        here = np.ones(60, dtype=bool)
        one = matrix(loaded, ["cnd", "degree"], "dynamic", "none", here, "degree")
        boot = ranks.stats.resample(one.nets.domain, one.nets.family, 400, 1)
        row = ranks.SetSummary(one, boot, frozen).rank_rows("*")[0]
        hits += row["rank_low"] <= 1.3 <= row["rank_high"]
    assert 50 <= hits <= 60


def test_a_domain_of_the_paper_pools_ours(tmp_path, frozen):
    nets = [
        (f"net{i}", d, f"fam{i}", "real", 60, None)
        for i, d in enumerate(["gene", "protein", "protein", "web"])
    ]
    runs = dynamic({"cnd": [1, 3, 3, 3], "degree": [2] * 4})
    pick, _, _ = ranked(tmp_path, frozen, nets, runs)
    row = pick["complete", "main", "dynamic", "paper:biomolecular", "cnd"]
    assert (row["n_networks"], row["mean_rank"]) == (3, pytest.approx(5 / 3))
    assert not row["enters_field"]
    assert ("complete", "main", "dynamic", "paper:social", "cnd") not in pick


def test_no_finished_run_is_an_error_for_people(tmp_path):
    runs = write_runs(tmp_path / "r.parquet", dynamic({"cnd": [None]}))
    nets = write_nets(tmp_path / "n.parquet", two_domains())
    out = {k: tmp_path / f"{k}.parquet" for k in ("ranks", "pairs", "sets", "modes")}
    with pytest.raises(SeedlotError, match="no finished run"):
        ranks.run(Job("ranks", {"runs": [runs], "nets": [nets]}, out))


def test_job_writes_four_tables_under_contract_and_the_same_bytes_twice(tmp_path):
    auc = {"cnd": np.linspace(0.1, 0.3, 13).tolist(), "degree": [0.2] * 13, "nbc": [0.0] + [0.1] * 12}
    runs = dynamic(auc) + [(f"net{i}", "cnd", "static", "none", 0.31) for i in range(13)]
    inputs = {
        "runs": [write_runs(tmp_path / "r.parquet", runs)],
        "nets": [write_nets(tmp_path / "n.parquet", two_domains())],
    }
    seen = []
    for turn in ("a", "b"):
        out = {k: tmp_path / f"{k}.{turn}.parquet" for k in ("ranks", "pairs", "sets", "modes")}
        ranks.run(Job("ranks", inputs, out))
        seen.append([p.read_bytes() for p in out.values()])
    assert seen[0] == seen[1]
    modes = pq.read_table(tmp_path / "modes.a.parquet").to_pylist()
    assert [(m["method"], m["wins"], m["losses"]) for m in modes] == [("cnd", 13, 0)]
    zero = [r for r in pq.read_table(tmp_path / "ranks.a.parquet").to_pylist() if r["method"] == "nbc"]
    assert all(r["n_log"] == r["n_networks"] - 1 for r in zero if r["domain"] in ("all", "*", "web"))
