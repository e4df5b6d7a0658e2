"""Real files of every format through the curation job, against the counts of their independent catalogue.

Forty networks in `make test`, all 340 with SEEDLOT_SOAK=1. The catalogue was made with other readers; where it is
wrong itself, KNOWN says why.
"""

import csv
import os
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from seedlot.catalog.manifest import Row
from seedlot.catalog.receipts import Receipt, write_receipt
from seedlot.contracts.check import check_file
from seedlot.contracts.model import contract
from seedlot.sources.networks import curate, index
from seedlot.store.job import Job

pytestmark = [pytest.mark.realdata, pytest.mark.soak]

FORMATS = {
    "bipartite pairs": "pairs",
    "csv SNAP signed temporal": "signed_temporal",
    "csv biadjacency labelled": "biadjacency",
    "csv gephi": "gephi",
    "csv temporal contacts": "contacts",
    "csv.gz edge": "edgelist",
    "csv.gz routes": "routes",
    "edgelist weighted": "edgelist",
    "gt.xz": "gt",
    "mat adjacency": "mat",
    "mat sc": "mat",
    "pajek in zip": "pajek",
    "rda igraph": "rda",
    "space matrix": "matrix",
    "tsv temporal contacts": "contacts",
    "tsv triples": "triples",
    "tvb zip": "tvb",
    "ucinet dl": "ucinet",
}
FORTY = """
    asoiaf_book4 bokeh_routes biogrid_hs_association dl_KRACKAD gml_gd03_bio gs_drosophila_left
    gs_mouse_54811 hnx_disgene kg_umls lg_covert_FIFA2015 momepy_nyc mp_case300 mp_case33bw nd_advogato
    nd_opsahl-powergrid netsci_L6_LBC newman_football newman_netscience nk_foodweb-baydry nk_chesapeake
    nk_power nl_gw_NAP_001 pj_balkanDays pj_dutchelite pj_fw_ChesLower pj_londontube pj_supremecourt
    pj_uspowergrid rda_atp rda_covert_41 shs_football shsmat_emaileucore snap_bitcoinalpha snap_ca-GrQc
    sp_Malawi sp_hospital tntp_SiouxFalls tvb_192 wol_M_PL_046 zoo_Cogentco
"""
KNOWN = {
    "snap_bitcoinalpha": "the catalogue counts the header line as a link; SNAP states 3,783 nodes, 24,186 links",
    "snap_bitcoinotc": "the catalogue counts the header line as a link; SNAP states 5,881 nodes, 35,592 links",
}
# Column of core_networks__nets: column of the catalogue.
COUNTS = {
    "n_raw": "nodes",
    "links_raw": "raw_edges",
    "loops_dropped": "self_loops",
    "n_components_raw": "components",
    "n": "lcc_nodes",
    "m": "lcc_edges",
}


def item_of(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


@pytest.fixture(scope="module")
def root() -> Path:
    folder = os.environ.get("SEEDLOT_REALDATA")
    if not folder:
        pytest.skip("SEEDLOT_REALDATA names no folder of real files")
    return Path(folder)


@pytest.fixture(scope="module")
def catalogue(root) -> list[dict[str, str]]:
    with (root / "networks.tsv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="module")
def wanted(catalogue) -> dict[str, dict[str, str]]:
    soak, forty = os.environ.get("SEEDLOT_SOAK") == "1", FORTY.split()
    return {item_of(row["name"]): row for row in catalogue if soak or row["name"] in forty}


@pytest.fixture(scope="module")
def tables(root, wanted, tmp_path_factory) -> dict[str, Path]:
    """The curation job over all wanted files, then the index job over its one shard."""
    tmp = tmp_path_factory.mktemp("real")
    rows, receipts = [], []
    for item, known in wanted.items():
        args = {"member": known["member"]} if known["member"] else {}
        extra = {"format": FORMATS.get(known["format"], known["format"]), "domain": known["domain"]}
        url = f"https://example.org/{item}"
        one = Row(item, "upstream", "1", url, reader_args=args, licence="x", evidence="x", extra=extra)
        rows.append(one.to_dict())
        receipts.append(Receipt(item, known["file"], None, known["sha256"], url, "ok", ""))
    write_receipt(tmp / "receipt.tsv", receipts)
    names = ("nets", "nodes", "edges", "links", "truth", "outcomes", "rejects")
    out = {name: tmp / name / "b000.parquet" for name in names}
    curate.run(
        Job("c", {"receipts": tmp / "receipt.tsv"}, out, {"rows": rows}, root=root, tmpdir=tmp / "tmp")
    )
    inputs = {"nets": [out["nets"]], "edges": [out["edges"]]}
    index.run(Job("i", inputs, {"nets": tmp / "all.parquet"}, root=root))
    return out | {"published": tmp / "all.parquet"}


def test_the_forty_cover_every_format_of_the_catalogue(catalogue):
    forty = FORTY.split()
    assert len(set(forty)) == 40
    assert {row["format"] for row in catalogue if row["name"] in forty} == {
        row["format"] for row in catalogue
    }


def test_counts_equal_the_catalogue_and_every_refusal_says_why(tables, wanted):
    nets = {net["net_id"]: net for net in pq.read_table(tables["nets"]).to_pylist()}
    outcomes = {one["item"]: one for one in pq.read_table(tables["outcomes"]).to_pylist()}
    assert set(outcomes) == set(wanted)
    differing = {}
    for item, known in wanted.items():
        if outcomes[item]["status"] != "ok":
            assert outcomes[item]["reason"]
            # What is too small for a study is read all the same, and was small in the catalogue too.
            if not (int(known["lcc_nodes"]) < 3 or int(known["lcc_edges"]) < 2):
                differing[known["name"]] = outcomes[item]["reason"]
            continue
        seen = {own: nets[item][own] for own in COUNTS}
        seen["simple"] = nets[item]["links_raw"] - nets[item]["loops_dropped"] - nets[item]["dups_dropped"]
        told = {own: int(known[theirs]) for own, theirs in COUNTS.items()}
        told["simple"] = int(known["simple_edges"])
        if seen != told:
            differing[known["name"]] = {key: (seen[key], told[key]) for key in told if seen[key] != told[key]}
    assert {name: why for name, why in differing.items() if name not in KNOWN} == {}
    assert len(wanted) - len(differing) >= min(330, len(wanted) - len(KNOWN))


def test_records_read_are_kept_or_refused(tables):
    for one in pq.read_table(tables["outcomes"]).to_pylist():
        assert one["read"] == one["kept"] + one["rejected"], one["item"]


@pytest.mark.parametrize("name", curate.TABLES)
def test_the_tables_of_real_networks_keep_their_contracts(tables, name):
    checks = check_file(contract(curate.TABLES[name]), tables["published" if name == "nets" else name])
    assert [check for check in checks if check["violations"]] == []


def test_one_power_grid_in_three_formats_is_one_network(tables):
    nets = {net["net_id"]: net for net in pq.read_table(tables["published"]).to_pylist()}
    grid = ["nd_opsahl_powergrid", "nk_power", "pj_uspowergrid"]
    assert {(nets[item]["n"], nets[item]["m"]) for item in grid} == {(4941, 6594)}
    assert [nets[item]["duplicate_of"] for item in grid] == [None, grid[0], grid[0]]
    assert {nets[item]["family"] for item in grid} == {grid[0]}


def test_a_signed_network_has_the_counts_that_its_publisher_states(tables):
    nets = {net["net_id"]: net for net in pq.read_table(tables["published"]).to_pylist()}
    net = nets["snap_bitcoinalpha"]
    assert (net["n_raw"], net["links_raw"]) == (3783, 24186)
    assert net["is_signed"]
    assert net["is_temporal"]
    assert net["is_directed"]


def test_the_published_covert_network_has_its_published_numbers(tables):
    nets = {net["net_id"]: net for net in pq.read_table(tables["published"]).to_pylist()}
    net = nets["lg_covert_fifa2015"]
    assert (net["n"], net["m"], round(net["mean_degree"], 4), round(net["clustering"], 6)) == (
        414,
        4805,
        23.2126,
        0.943619,
    )
