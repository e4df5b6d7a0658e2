"""One broken file and one missing member among many: the rest survives, both are named, the end is not green."""

from __future__ import annotations

import polars as pl
from tests.helpers.clone import Clone

GOOD = [
    "karate_club",
    "southern_women",
    "florentine_marriage",
    "sim_ba_400",
    "sim_er_300",
    "sim_ws_300",
    "sim_sbm_400",
]


def test_one_broken_network_and_one_missing_member(fresh: Clone, base_config):
    broken = fresh.path / "mine"
    broken.mkdir()
    (broken / "torn.gml").write_text("graph [ node [ id 1 ] edge [ source 1 target")
    (fresh.path / "mine.tsv").write_text("name\tfile\nTorn\ttorn.gml\n")
    manifest = fresh.path / "resources/manifests/networks.tsv"
    row = next(line for line in manifest.read_text().splitlines() if line.startswith("les_miserables\t"))
    member = row.split("\t")[10]
    assert member.endswith((".py", ".txt", ".gz", ".csv", ".gml", ".json"))
    absent = row.replace(member, "networkx/no/such/file.py")
    fresh.edit("resources/manifests/networks.tsv", row, absent)
    study = base_config["studies"] | {"lgd_na": base_config["studies"]["lgd_na"] | {"methods": ["degree"]}}
    fresh.configure(
        base_config
        | {
            "targets": ["lgd_na"],
            "studies": study,
            "sources": {"networks": {"items": [*GOOD, "les_miserables", "torn"], "buckets": 2}},
            "manifests": {
                "networks": {
                    "path": "mine.tsv",
                    "folder": "mine",
                    "columns": {"item": "name", "url": "file"},
                    "defaults": {"format": "gml", "licence": "not stated", "evidence": "own file"},
                }
            },
        }
    )

    said = fresh.snakemake(ok=False)
    assert "items or tables failed" in said and "item les_miserables" in said

    nets = pl.read_parquet(fresh.result("datasets/demo/core_networks__nets/all.parquet"))
    assert sorted(nets["net_id"]) == sorted(GOOD)
    items = pl.concat(
        map(pl.read_parquet, fresh.result("datasets/demo/_work/networks/items").glob("*.parquet"))
    )
    status = dict(items.select("item", "status").iter_rows())
    assert status == dict.fromkeys(GOOD, "ok") | {"les_miserables": "failed", "torn": "rejected"}
    runs = pl.read_parquet(fresh.result("datasets/demo/study_lgd_na__runs/degree.parquet"))
    assert set(runs["net_id"]) == set(GOOD)
    page = fresh.result("report/demo/index.html").read_text()
    assert "les_miserables" in page and "torn" in page and "no/such/file.py" in page
    assert fresh.result("figures/demo/lgd_na/curves.svg").is_file()

    again = fresh.snakemake(ok=False)
    assert fresh.ran(again) == [] and "item les_miserables" in again
    assert [r for r in fresh.planned()] == ["final_gate"]
