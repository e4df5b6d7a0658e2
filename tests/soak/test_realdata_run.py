"""The whole folder of real networks through a user's manifest, in one run of the workflow.

Needs SEEDLOT_SOAK=1, because it takes up to an hour, and SEEDLOT_REALDATA, a folder with networks.tsv. Readers and
curation are checked file by file in tests/unit/sources/networks; here it is the run that must hold: counts, every
refusal with its reason and place, local methods on all networks, the others where the budget allows, ranks with
both numbers of networks.
"""

from __future__ import annotations

import csv
import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.helpers.clone import CONFIG, Clone
from tests.soak.page import record
from tests.unit.sources.networks.test_networks_realdata import COUNTS, FORMATS, KNOWN, item_of

pytestmark = [pytest.mark.realdata, pytest.mark.soak]

RUN, LOCAL = "soak", ("cnd", "degree", "ra2", "ra2num")
MINUTES, CORES = 60, 2
COLUMNS = {
    "item": "name",
    "url": "file",
    "member": "member",
    "format": "format",
    "domain": "domain",
    "subdomain": "subdomain",
    "bytes": "size_bytes",
    "sha256": "sha256",
    "licence": "licence",
}


@dataclass(frozen=True)
class Finished:
    """The run's results folder, its output and status, and what it took."""

    root: Path
    status: int
    text: str
    wall_s: float
    cpu_s: float

    def rows(self, pattern: str) -> list[dict]:
        """All rows of the Parquet files of a pattern below the results folder."""
        paths = sorted(self.root.glob(pattern))
        assert paths, f"no file {pattern}"
        return pa.concat_tables(pq.read_table(path) for path in paths).to_pylist()

    def table(self, name: str) -> list[dict]:
        return self.rows(f"datasets/{RUN}/{name}/*.parquet")


@pytest.fixture(scope="module")
def folder() -> Path:
    if os.environ.get("SEEDLOT_SOAK") != "1":
        pytest.skip("takes up to an hour; set SEEDLOT_SOAK=1")
    if not os.environ.get("SEEDLOT_REALDATA"):
        pytest.skip("SEEDLOT_REALDATA names no folder of real files")
    return Path(os.environ["SEEDLOT_REALDATA"])


@pytest.fixture(scope="module")
def catalogue(folder) -> dict[str, dict[str, str]]:
    with (folder / "networks.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {item_of(row["name"]): row for row in rows}


@pytest.fixture(scope="module")
def finished(folder, tmp_path_factory) -> Finished:
    """One run of the study lgd_na over the user's manifest, nothing committed beside it."""
    manifest = {"path": str(folder / "networks.tsv"), "folder": str(folder), "release": "realdata"}
    config = {
        "run": RUN,
        "targets": ["lgd_na"],
        "sources": {"networks": {"manifests": [], "buckets": 4}},
        "manifests": {"networks": manifest | {"columns": COLUMNS, "formats": FORMATS}},
        # The dearest run of a local rule (RA2 on half a million nodes) is predicted at 4.4 s.
        "studies": {"lgd_na": {"budget_s": 5.0}},
    }
    clone = Clone.make(tmp_path_factory.mktemp("realdata") / "seedlot", config)
    wall, cpu = time.monotonic(), _children()
    process = clone.start(
        "snakemake", "--nocolor", "--cores", str(CORES), "--quiet", "rules", "--configfile", CONFIG
    )
    text, _ = process.communicate()
    return Finished(clone.result(""), process.returncode, text, time.monotonic() - wall, _children() - cpu)


def _children() -> float:
    told = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told.ru_utime + told.ru_stime


def test_the_run_ends_well_and_fits_an_hour_of_two_cores(finished):
    assert finished.status == 0, finished.text[-6000:]
    # CPU time, because a machine that others use stretches wall time without end.
    assert finished.cpu_s <= 60 * MINUTES * CORES


def test_counts_equal_the_catalogue(finished, catalogue):
    nets = {net["net_id"]: net for net in finished.table("core_networks__nets")}
    assert len(catalogue) - len(differing(nets, catalogue)) >= min(330, len(catalogue) - len(KNOWN))


def differing(nets: dict[str, dict], catalogue: dict[str, dict[str, str]]) -> list[str]:
    """Items whose counts are not those of the catalogue; one that is too small to study counts as equal."""
    out = []
    for item, known in catalogue.items():
        if item not in nets:
            if int(known["lcc_nodes"]) >= 3 and int(known["lcc_edges"]) >= 2:
                out.append(item)
            continue
        net = nets[item]
        simple = net["links_raw"] - net["loops_dropped"] - net["dups_dropped"]
        same = all(net[own] == int(known[theirs]) for own, theirs in COUNTS.items())
        if not same or simple != int(known["simple_edges"]):
            out.append(item)
    return out


def test_every_refusal_has_a_reason_and_a_place(finished, catalogue):
    items = {one["item"]: one for one in finished.rows(f"datasets/{RUN}/_work/networks/items/*.parquet")}
    assert set(items) == set(catalogue)
    assert [one for one in items.values() if one["status"] != "ok" and not one["reason"]] == []
    assert {one["status"] for one in items.values()} <= {"ok", "rejected"}
    rejects = finished.rows(f"datasets/{RUN}/_work/networks/rejects/*.parquet")
    assert rejects
    assert [
        one for one in rejects if not one["reason"] or (one["line"] is None and one["record"] is None)
    ] == []
    assert sum(one["rejected"] for one in items.values()) == len(rejects)


def test_local_methods_ran_on_all_and_the_others_where_the_budget_allows(finished):
    nets = {net["net_id"] for net in finished.table("core_networks__nets")}
    runs = finished.table("study_lgd_na__runs")
    for method in LOCAL:
        for mode in ("dynamic", "static"):
            done = [
                one
                for one in runs
                if (one["method"], one["mode"]) == (method, mode) and one["status"] == "ok"
            ]
            assert {one["net_id"] for one in done} == nets, (method, mode)
    assert {one["status"] for one in runs} <= {"ok", "over_budget"}
    kinds = {(one["method"], one["mode"], one["reinsert"]) for one in runs}
    assert len(runs) == len(kinds) * len(nets), "no run is silently absent"
    assert [one for one in runs if one["status"] != "ok" and not one["reason"]] == []


def test_no_run_takes_far_longer_than_its_cost_model_says(finished):
    key = ("net_id", "method", "mode")
    told = {
        tuple(one[k] for k in key): one["cost_estimate_s"] for one in finished.table("study_lgd_na__runs")
    }
    spent = {tuple(one[k] for k in key): one["cpu_s"] for one in finished.table("study_lgd_na__timings")}
    # Models are within a factor of five where they were fitted; a busy machine and a first call add the rest.
    assert {k: (told[k], cpu) for k, cpu in spent.items() if cpu > 8 * told[k] + 0.5} == {}


def test_ranks_give_both_numbers_of_networks(finished):
    sets = {
        one["scope"]: one
        for one in finished.table("study_lgd_na__sets")
        if (one["evidence"], one["size"], one["mode"], one["reinsert"]) == ("real", "main", "dynamic", "none")
    }
    sizes = [sets[scope]["n_networks"] for scope in ("complete", "local", "ablation")]
    assert 0 < sizes[0] < sizes[1] <= sizes[2]
    # The local rules have no network left out; collective influence and resilience, local too, may be over budget.
    assert sets["ablation"]["n_incomplete"] == 0
    ranks = [
        one
        for one in finished.table("study_lgd_na__ranks")
        if one["domain"] == "*" and one["evidence"] == "real"
    ]
    assert {one["scope"] for one in ranks} >= {"complete", "local", "ablation"}


def test_the_result_is_written_down(finished, catalogue):
    nets = {net["net_id"]: net for net in finished.table("core_networks__nets")}
    items = finished.rows(f"datasets/{RUN}/_work/networks/items/*.parquet")
    rejects = finished.rows(f"datasets/{RUN}/_work/networks/rejects/*.parquet")
    unlike = differing(nets, catalogue)
    names = {item: catalogue[item]["name"] for item in unlike}
    why = "; ".join(f"{name}: {KNOWN.get(name, 'not explained')}" for name in names.values()) or "none"
    lines = [
        f"{len(catalogue)} files of a folder through a user's manifest, one run on {CORES} cores: "
        f"{finished.wall_s / 60:.0f} min wall, {finished.cpu_s / 60:.0f} min CPU, exit status {finished.status}.",
        "",
        f"Counts equal the catalogue for {len(catalogue) - len(unlike)} of {len(catalogue)}; "
        f"differing: {why}. "
        f"Records refused, each with reason and place: {len(rejects)}.",
        *(f"Refused: {one['item']}, {one['reason']}." for one in items if one["status"] != "ok"),
        "",
        "| method | mode | ok | over budget |",
        "| --- | --- | ---: | ---: |",
    ]
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for one in finished.table("study_lgd_na__runs"):
        if one["reinsert"] == "none":
            told = counts.setdefault((one["method"], one["mode"]), {})
            told[one["status"]] = told.get(one["status"], 0) + 1
    for (method, mode), told in sorted(counts.items()):
        lines.append(f"| {method} | {mode} | {told.get('ok', 0)} | {told.get('over_budget', 0)} |")
    lines += ["", "| ranked | mode | networks | families | methods |", "| --- | --- | ---: | ---: | ---: |"]
    for one in finished.table("study_lgd_na__sets"):
        if (one["evidence"], one["size"], one["reinsert"]) == ("real", "main", "none"):
            cells = (one["scope"], one["mode"], one["n_networks"], one["n_families"], one["n_methods"])
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    record("Real networks in one run", lines)
