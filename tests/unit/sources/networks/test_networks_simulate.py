"""Simulated raw files: what other programs read in them, what our readers read, and what is refused."""

import bz2
import csv
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy.io import mmread

from seedlot.catalog.manifest import Row, load_manifest, raw_path
from seedlot.catalog.receipts import read_receipt
from seedlot.catalog.tsv import read_tsv
from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs.registry import read_graph
from seedlot.sources.networks import simulate
from seedlot.sources.networks.generators import GENERATORS
from seedlot.sources.networks.rawfiles import WRITERS, raw_file
from seedlot.sources.networks.simplify import simplify
from seedlot.store.job import Job

N, LINKS = 7, [(0, 1), (1, 2), (2, 3), (0, 3), (3, 5), (0, 1), (5, 5), (1, 5)]
SIMPLE = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 3), (3, 5), (1, 5)])
ENDING = {"netzschleuder": ".csv.zip", "konect": ".tar.bz2", "snap": ".txt.gz", "pajek": ".net"}


def row(item: str, url: str, fmt: str) -> Row:
    extra = {"format": fmt, "kind": "synthetic", "title": item, "domain": "Synthetic"}
    return Row(item, "simulated", "1", url, licence="CC0-1.0", evidence="seed", extra=extra)


def run(tmp_path: Path, rows: list[Row]) -> list:
    receipt = tmp_path / "receipt.tsv"
    params = {"source": "networks", "rows": [one.to_dict() for one in rows]}
    simulate.run(Job("simulate", {}, {"receipt": receipt}, params, root=tmp_path))
    return read_receipt(receipt)


@pytest.mark.parametrize("fmt", WRITERS)
def test_our_reader_gives_back_links_loops_repeats_and_labels(fmt, tmp_path):
    made = raw_file(fmt, "toy", N, LINKS)
    path = tmp_path / f"toy{ENDING.get(fmt, '.' + fmt)}"
    path.write_bytes(made.data)
    raw = read_graph(path, fmt, {})
    seen = sorted(
        tuple(sorted((raw.label(i), raw.label(j)))) for i, j in zip(raw.src.tolist(), raw.dst.tolist())
    )
    links = LINKS + [(j, i) for i, j in LINKS if i != j] if fmt == "snap" else LINKS
    assert seen == sorted(tuple(sorted((made.labels[i], made.labels[j]))) for i, j in links)
    graph = simplify(raw)
    assert (graph.n, graph.m, graph.loops_dropped) == (5, 6, 1)
    assert graph.n_raw == (5 if fmt == "snap" else N), "SNAP files cannot name isolated nodes"
    assert not np.any(raw.directed)


def peer_gml(data: bytes) -> nx.Graph:
    return nx.parse_gml(data.decode().replace("directed 0", "directed 0\n  multigraph 1"))


def peer_konect(data: bytes) -> nx.Graph:
    with tarfile.open(fileobj=io.BytesIO(bz2.decompress(data))) as archive:
        text = archive.extractfile("toy/out.toy").read().decode()
    rows = [line.split() for line in text.splitlines() if not line.startswith("%")]
    assert text.startswith("% sym unweighted\n% 8 7 7\n")
    return nx.Graph((int(i) - 1, int(j) - 1) for i, j in rows)


def peer_netzschleuder(data: bytes) -> nx.Graph:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["edges.csv", "nodes.csv", "gprops.csv"]
        rows = list(csv.reader(io.StringIO(archive.read("edges.csv").decode()), skipinitialspace=True))
    assert rows[0] == ["# source", "target", "weight"]
    return nx.Graph((int(i), int(j)) for i, j, _ in rows[1:])


def peer_snap(data: bytes) -> nx.Graph:
    return nx.parse_edgelist(gzip.decompress(data).decode().splitlines(), nodetype=int)


@pytest.mark.parametrize(
    ("fmt", "peer"),
    [
        ("gml", peer_gml),
        ("graphml", lambda data: nx.parse_graphml(data.decode())),
        ("mtx", lambda data: nx.from_scipy_sparse_array(mmread(io.BytesIO(data)).tocsr())),
        ("konect", peer_konect),
        ("netzschleuder", peer_netzschleuder),
        ("snap", peer_snap),
    ],
)
def test_another_program_reads_the_same_network(fmt, peer):
    graph = nx.Graph(peer(raw_file(fmt, "toy", N, LINKS).data))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    graph.remove_nodes_from(list(nx.isolates(graph)))
    assert nx.is_isomorphic(graph, SIMPLE)


@pytest.mark.parametrize("fmt", WRITERS)
def test_same_url_same_bytes_and_another_seed_other_bytes(fmt):
    url = "sim:er?n=40&m=80&loops=2&dups=3&seed="
    assert simulate.simulate("x", url + "1", fmt) == simulate.simulate("x", url + "1", fmt)
    assert simulate.simulate("x", url + "1", fmt) != simulate.simulate("x", url + "2", fmt)


def test_planted_loops_and_repeats_are_what_the_simple_graph_drops(tmp_path):
    rows = [row("noisy", "sim:ba?n=60&m=2&loops=4&dups=7&seed=3", "pajek")]
    (receipt,) = run(tmp_path, rows)
    graph = simplify(read_graph(tmp_path / receipt.path, "pajek", {}))
    assert (graph.loops_dropped, graph.dups_dropped, graph.m) == (4, 7, 2 * 58)


def test_truth_lies_beside_the_file_and_names_every_node_of_it(tmp_path):
    rows = [row("cold", "sim:s1?n=80&k=6&gamma=2.7&T=0.1&seed=3", "gml")]
    (receipt,) = run(tmp_path, rows)
    path = raw_path(tmp_path, "networks", rows[0])
    assert tmp_path / receipt.path == path
    truth = [cells for _, cells in read_tsv(path.with_name(path.name + ".truth.tsv"), simulate.TRUTH_COLUMNS)]
    assert [cells["label"] for cells in truth] == read_graph(path, "gml", {}).labels
    assert all(float(cells["r"]) >= 0 and cells["block"] == "" for cells in truth)


def test_a_second_run_writes_the_same_files(tmp_path):
    rows = [row("one", "sim:npso?n=60&m=3&gamma=3&T=0.3&C=4&seed=3", "konect")]
    first = run(tmp_path / "a", rows)
    assert first == run(tmp_path / "b", rows)
    assert first[0].status == "ok"


@pytest.mark.parametrize(
    ("url", "fmt", "message"),
    [
        ("sim:baa?n=9&m=2&seed=1", "gml", "did you mean 'ba'"),
        ("sim:ba?n=9&m=2&seed=1", "gmll", "did you mean 'gml'"),
        ("sim:ws?n=9&k=4&pp=0.1&seed=1", "gml", "did you mean 'p'"),
        ("sim:ws?n=9&k=4&seed=1", "gml", "needs p"),
        ("sim:ba?n=9&m=two&seed=1", "gml", "must be a number"),
        ("sim:ba?n=9&m=2&seed=1&dups=99", "gml", "do not fit"),
        ("sim:npso?n=9&m=2&gamma=1.5&T=0.1&C=0&seed=1", "gml", "gamma > 2"),
    ],
)
def test_an_impossible_row_is_refused_with_the_nearest_valid_word(url, fmt, message):
    with pytest.raises(SeedlotError, match=message):
        simulate.simulate("x", url, fmt)


def test_params_survive_json(tmp_path):
    rows = [row("one", "sim:er?n=30&m=60&seed=3", "mtx")]
    again = [Row.from_dict(json.loads(json.dumps(one.to_dict()))) for one in rows]
    assert run(tmp_path / "a", rows) == run(tmp_path / "b", again)


MANIFEST = Path(__file__).parents[4] / "resources" / "manifests" / "networks.tsv"
COMMITTED = [one for one in load_manifest(MANIFEST, "networks") if one.origin == "simulated"]


def test_committed_rows_cover_every_generator_format_and_three_temperatures():
    assert {one.url.split("?")[0].removeprefix("sim:") for one in COMMITTED} == set(GENERATORS)
    assert {one.extra["format"] for one in COMMITTED} == set(WRITERS)
    for generator in ("s1", "npso"):
        urls = [one.url for one in COMMITTED if one.url.startswith(f"sim:{generator}?")]
        assert {t for t in (0.1, 0.3, 0.6) if any(f"T={t}&" in url for url in urls)} == {0.1, 0.3, 0.6}


@pytest.mark.parametrize("one", COMMITTED, ids=lambda one: one.item)
def test_a_committed_row_gives_a_network_whose_labels_are_all_in_its_truth(one, tmp_path):
    (receipt,) = run(tmp_path, [one])
    raw = read_graph(tmp_path / receipt.path, one.extra["format"], one.reader_args)
    path = raw_path(tmp_path, "networks", one)
    truth = read_tsv(path.with_name(path.name + ".truth.tsv"), simulate.TRUTH_COLUMNS)
    graph = simplify(raw)
    assert set(graph.node_labels()) <= {cells["label"] for _, cells in truth}
    assert graph.n >= 50
    assert not raw.rejects
