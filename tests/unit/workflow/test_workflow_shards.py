"""`W` in the rule files: rows, shards, receipts and the digests that decide reruns."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from seedlot.catalog import manifest as mf
from seedlot.config.errors import SeedlotError
from seedlot.workflow import core
from seedlot.workflow.core import Workflow

REPO = Path(__file__).resolve().parents[3]
COLUMNS = ["item", "title", "kind", "origin", "release", "url", "container", "member", "bytes", "sha256", "format",
           "reader_args", "licence", "evidence", "note"]  # fmt: skip


class Wildcards(SimpleNamespace):
    """As Snakemake hands them to input and parameter functions."""

    def items(self):
        return vars(self).items()


def row(item: str, **more: str) -> dict[str, str]:
    base = {"item": item, "title": item, "kind": "synthetic", "origin": "simulated", "release": "sim1",
            "url": f"sim:er?n=9&m=12&seed={item[1:]}", "format": "edgelist", "licence": "MIT",
            "evidence": "generator"}  # fmt: skip
    return {name: "" for name in COLUMNS} | base | more


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write manifest tables into a folder that stands for resources/manifests."""
    monkeypatch.setattr(core, "MANIFESTS", tmp_path)

    def write(rows: list[dict[str, str]], name: str = "toy") -> None:
        lines = ["\t".join(COLUMNS), *("\t".join(r[c] for c in COLUMNS) for r in rows)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n")

    return write


def flow(**networks) -> Workflow:
    return Workflow({"sources": {"networks": {"manifests": ["toy"]} | networks}})


NINE = [row(f"a{i}") for i in range(9)]


def test_rows_are_those_of_the_manifests_sorted(table):
    table(NINE)
    assert [r.item for r in flow().rows("networks")] == [f"a{i}" for i in range(9)]


def test_items_of_the_config_narrow_the_rows(table):
    table(NINE)
    assert [r.item for r in flow(items=["a7", "a2"]).rows("networks")] == ["a2", "a7"]


def test_an_unknown_item_names_the_nearest_and_the_config_key(table):
    table([row("karate1")])
    with pytest.raises(SeedlotError) as caught:
        flow(items=["karte1"]).rows("networks")
    assert "did you mean 'karate1'" in str(caught.value)
    assert "sources.networks.items" in str(caught.value)


def test_an_item_in_two_manifests_is_refused(table):
    table(NINE)
    table([row("a3")], "other")
    with pytest.raises(SeedlotError, match="item 'a3' is in two manifests"):
        flow(manifests=["toy", "other"]).rows("networks")


def test_every_item_is_in_one_shard_and_a_new_one_moves_none(table):
    table(NINE)
    before = {r.item: shard for shard, rows in flow(buckets=4).shards("networks").items() for r in rows}
    assert sorted(before) == [f"a{i}" for i in range(9)]
    table([*NINE, row("a9")])
    after = {r.item: shard for shard, rows in flow(buckets=4).shards("networks").items() for r in rows}
    assert before.items() <= after.items() and len(after) == 10


def test_an_item_above_the_cap_is_its_own_shard(table):
    table([*NINE[:3], row("a3", bytes="5000")])
    shards = flow(buckets=1, shard_cap_bytes=4999).shards("networks")
    assert [r.item for r in shards["i_a3"]] == ["a3"] and len(shards["b000"]) == 3


def test_a_shard_asks_for_one_receipt_per_origin(table):
    packaged = row("a5", origin="packaged", release="pkg-1", url="pypi:pkg==1", container="pkg-1-py3-none-any.whl",
                   member="pkg/a.txt", bytes="3", sha256="0" * 64)  # fmt: skip
    table([row("a1"), row("a2", release="sim2"), packaged])
    paths = flow(buckets=1).receipts("networks")(Wildcards(shard="b000"))
    folders = [p.rsplit("/receipts/")[0] for p in paths]
    assert folders == ["results/raw/networks/packaged", "results/raw/networks/simulated"]


def test_a_receipt_is_named_by_what_decides_the_bytes_of_its_own_rows(table):
    def receipt() -> str:
        return flow(buckets=1).receipts("networks")(Wildcards(shard="b000"))[0]

    table(NINE[:2])
    first = receipt()
    table([row("a0", note="a remark", evidence="seen elsewhere", licence="CC0", title="t"), row("a1")])
    assert receipt() == first
    table([row("a0", url="sim:er?n=9&m=12&seed=77"), row("a1")])
    assert receipt() != first


def test_a_job_finds_the_rows_of_its_receipt_and_of_its_shard(table):
    table(NINE)
    made = flow(buckets=2)
    shard = sorted(made.shards("networks"))[0]
    digest = Path(made.receipts("networks")(Wildcards(shard=shard))[0]).stem
    by_receipt = made.job_rows("networks", {"receipt": digest})
    assert by_receipt == made.job_rows("networks", {"shard": shard})
    assert [mf.Row.from_dict(r) for r in by_receipt] == made.shards("networks")[shard]


def test_a_receipt_of_another_manifest_is_refused_with_advice(table):
    table(NINE)
    with pytest.raises(SeedlotError, match="no rows of source 'networks'"):
        flow().job_rows("networks", {"receipt": "0" * 16})


def test_the_told_digest_follows_what_tables_repeat_and_not_notes_or_places(table):
    def told() -> str:
        return flow(buckets=1).rows_digest("networks")(Wildcards(shard="b000"))

    table([row("a0")])
    first = told()
    table([row("a0", note="a remark", evidence="seen elsewhere")])
    assert told() == first
    table([row("a0", title="another title")])
    assert told() != first


def test_readers_named_by_the_rows_of_a_shard_are_in_its_code_digest(table):
    table([row("a0", format="gml")])
    entry = "seedlot.sources.networks.curate:run"
    gml = flow(buckets=1).code_of_rows("networks", entry)(Wildcards(shard="b000"))
    table([row("a0", format="graphml")])
    graphml = flow(buckets=1).code_of_rows("networks", entry)(Wildcards(shard="b000"))
    assert gml != graphml


def test_all_paths_start_from_the_configured_root_and_run():
    made = Workflow({"run": "mine", "root": "scratch/x"})
    assert made.paths["ds"] == "scratch/x/datasets/mine"
    assert made.paths["raw"] == "scratch/x/raw"
    assert all(path.startswith("scratch/x/") for path in made.paths.values())


def test_a_run_name_that_leaves_its_folder_is_refused():
    for name in ("../up", "a/b", "", "-x", "A B"):
        with pytest.raises(SeedlotError, match="run:"):
            Workflow({"run": name})


def test_an_unknown_subject_part_or_source_is_named():
    made = Workflow({})
    with pytest.raises(SeedlotError, match="heat"):
        made.publish("heat", {"b000": {"core_heat__simulations": "x"}})
        made.subject("haet")
    with pytest.raises(SeedlotError, match="b001"):
        made.tables_of_part("heat", "b001")
