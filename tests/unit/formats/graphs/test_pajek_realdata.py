"""Real files of the four formats against the counts of the catalogue that comes with them."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from seedlot.formats.graphs.registry import read_graph

pytestmark = pytest.mark.realdata
FORMATS = {
    "pajek": "pajek",
    "pajek in zip": "pajek",
    "ucinet dl": "ucinet",
    "gml": "gml",
    "graphml": "graphml",
}
NAMES = [
    "pj_saktrade",  # lists of arcs and of edges in a project
    "pj_baboonsA",  # matrices, several networks
    "pj_supremecourt26",  # two-mode, negative weights
    "pj_londontube",  # relations
    "pj_gd06_worldcup",  # relations and times
    "pj_ceos",  # two-mode matrix
    "pj_trade24",  # stacked matrices
    "pj_uspowergrid",  # no vertex lines, every edge twice
    "pj_fw_Florida",  # partition before the network
    "pj_foldoc",  # legacy encoding
    "pj_vape",  # byte-order mark
    "pj_friends_tim",  # time events
    "pj_central",
    "pj_dutchelite",
    "pj_euro04",  # line ends of an old Macintosh
    "pj_balkanDays",  # relation numbers in front of links
    "dl_GAMA",
    "dl_KRACKAD",
    "dl_SZCID",
    "gml_gd03_bio",
    "gml_gd01_software",  # no last bracket
    "newman_netscience",
    "xml_gd06_wc",  # two keys of one name
    "asnr_320_hirundo",
    "asnr_664_mixed",
    "zoo_Cogentco",
    "zoo_Uninet",
    "momepy_nyc",
]


@pytest.fixture(scope="module")
def catalogue():
    folder = os.environ.get("SEEDLOT_REALDATA")
    if not folder:
        pytest.skip("SEEDLOT_REALDATA names no folder of real files")
    with (Path(folder) / "networks.tsv").open(newline="") as stream:
        return Path(folder), {row["name"]: row for row in csv.DictReader(stream, delimiter="\t")}


def components(n, pairs):
    """Component number of each node: repeated minimum over links, enough for these small networks."""
    label = np.arange(n)
    while True:
        low = np.minimum(label[pairs[:, 0]], label[pairs[:, 1]])
        before = label.copy()
        np.minimum.at(label, pairs[:, 0], low)
        np.minimum.at(label, pairs[:, 1], low)
        label = label[label]
        if np.array_equal(before, label):
            return label


def facts(graph):
    """The catalogue's columns for one network, by its own definitions."""
    ends = np.sort(np.stack([graph.src, graph.dst], axis=1), axis=1)
    pairs = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    label = components(graph.n, pairs)
    largest = np.bincount(label).argmax()
    return {
        "nodes": graph.n,
        "raw_edges": len(graph.src),
        "self_loops": int((graph.src == graph.dst).sum()),
        "simple_edges": len(pairs),
        "components": len(np.unique(label)),
        "lcc_nodes": int((label == largest).sum()),
        "lcc_edges": int((label[pairs[:, 0]] == largest).sum()),
        "directed": str(bool(np.any(graph.directed))).lower(),
    }


@pytest.mark.parametrize("name", NAMES)
def test_counts_equal_those_of_the_catalogue(catalogue, name):
    folder, rows = catalogue
    row = rows[name]
    args = {"member": row["member"]} if row["member"] else {}
    graph = read_graph(folder / row["file"], FORMATS[row["format"]], args)
    found = facts(graph)
    assert {key: str(value) for key, value in found.items()} == {key: row[key] for key in found}


def test_time_events_are_the_only_refused_records_of_these_files(catalogue):
    folder, rows = catalogue
    graph = read_graph(folder / rows["pj_friends_tim"]["file"], "pajek")
    assert {reject.reason for reject in graph.rejects} == {"time_event"}
