"""Real files of every format against the counts of their catalogue, and the words that catalogues use."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from seedlot.formats.graphs.detect import detect
from seedlot.formats.graphs.registry import FORMATS, read_graph

WORDS = {
    "gt": ("gt", {}),
    "gt.xz": ("gt", {}),
    "pajek": ("pajek", {}),
    "pajek in zip": ("pajek", {}),
    "ucinet dl": ("ucinet", {}),
    "gml": ("gml", {}),
    "graphml": ("graphml", {}),
    "rda igraph": ("rda", {}),
    "csv biadjacency labelled": ("biadjacency", {}),
    "space matrix": ("matrix", {}),
    "tvb zip": ("tvb", {}),
    "mat adjacency": ("mat", {"variable": "A"}),
    "mat sc": ("mat", {"variable": "sc"}),
    "mtx": ("mtx", {}),
    "metis": ("metis", {}),
    "tntp": ("tntp", {}),
    "matpower": ("matpower", {}),
    "konect": ("konect", {}),
    "snap": ("snap", {}),
    "edges": ("edges", {}),
    "edgelist": ("edgelist", {}),
    "edgelist weighted": ("edgelist", {}),
    "csv.gz edge": ("edgelist", {"directed": True}),
    "csv gephi": ("gephi", {}),
    "csv.gz routes": ("routes", {}),
    "csv SNAP signed temporal": ("signed_temporal", {}),
    "csv temporal contacts": ("contacts", {}),
    "tsv temporal contacts": ("contacts", {}),
    "tsv triples": ("triples", {}),
    "bipartite pairs": ("pairs", {}),
}
"""The words of the real files' catalogue: format name and reader options."""

SUBSET = (
    "nd_arenas-meta", "nd_advogato", "nk_power_gt", "tntp_SiouxFalls", "tntp_Winnipeg", "nk_jazz",
    "nk_polblogs", "nk_foodweb-baydry", "nk_MIT8", "nk_chesapeake", "nk_GD01_b", "nk_Ragusa16", "snap_ca-GrQc",
    "biogrid_hs_association", "sp_Malawi", "inf_jazz", "shs_football", "shs_emaileucore", "shsmat_emaileucore",
    "wol_M_PL_059", "wol_M_SD_001", "asoiaf_book1", "rda_covert_1", "rda_kangaroo", "rda_usflights",
    "gs_drosophila_left", "gs_mouse_54776", "tvb_66", "tvb_192", "nl_gw_NAP_001", "netsci_L6_LBC",
    "sp_hospital", "hnx_disgene", "bokeh_routes", "kg_umls", "mp_case33bw", "mp_case118", "lg_covert_FIFA2015",
)  # fmt: skip
COUNTS = ("nodes", "raw_edges", "self_loops", "simple_edges", "components", "lcc_nodes", "lcc_edges")
SAME_WORD = (
    "gt",
    "rda",
    "mat",
    "mtx",
    "metis",
    "tntp",
    "matpower",
    "konect",
    "tvb",
    "biadjacency",
    "gephi",
    "matrix",
)


def catalogue():
    folder = os.environ.get("SEEDLOT_REALDATA")
    if not folder:
        pytest.skip("SEEDLOT_REALDATA does not name the folder of real files")
    with (Path(folder) / "networks.tsv").open(encoding="utf-8", newline="") as file:
        return Path(folder), {row["name"]: row for row in csv.DictReader(file, delimiter="\t")}


def counts(graph):
    """The catalogue's numbers of a network; components by a breadth-first walk over the simple graph."""
    low, high = np.minimum(graph.src, graph.dst), np.maximum(graph.src, graph.dst)
    pairs = np.unique(np.stack([low, high])[:, low != high], axis=1)
    near = [[] for _ in range(graph.n)]
    for a, b in pairs.T.tolist():
        near[a].append(b)
        near[b].append(a)
    seen, sizes = [False] * graph.n, []
    for start in range(graph.n):
        if seen[start]:
            continue
        seen[start], walk = True, [start]
        for node in walk:
            fresh = [k for k in near[node] if not seen[k]]
            for k in fresh:
                if not seen[k]:
                    seen[k] = True
                    walk.append(k)
        sizes.append((len(walk), sum(len(near[k]) for k in walk) // 2))
    nodes, ties = max(sizes, key=lambda size: size[0])
    loops = int((low == high).sum())
    return dict(zip(COUNTS, (graph.n, graph.kept, loops, pairs.shape[1], len(sizes), nodes, ties)))


def test_every_word_of_the_catalogue_names_a_registered_format():
    assert {fmt for fmt, _ in WORDS.values()} <= set(FORMATS)


@pytest.mark.realdata
def test_the_catalogue_uses_no_other_word():
    _, rows = catalogue()
    assert {row["format"] for row in rows.values()} <= set(WORDS)


@pytest.mark.realdata
@pytest.mark.parametrize("name", SUBSET)
def test_real_files_have_the_counts_of_their_catalogue(name):
    folder, rows = catalogue()
    row = rows[name]
    fmt, args = WORDS[row["format"]]
    graph = read_graph(folder / row["file"], fmt, args)
    assert counts(graph) == {key: int(row[key]) for key in COUNTS}
    assert str(graph.directed).lower() == row["directed"]
    found = detect(folder / row["file"])
    assert found == fmt if fmt in SAME_WORD else found in (fmt, "edgelist")


@pytest.mark.realdata
@pytest.mark.parametrize(
    "name, nodes, ratings", [("snap_bitcoinalpha", 3783, 24186), ("snap_bitcoinotc", 5881, 35592)]
)
def test_the_bitcoin_ratings_have_the_sizes_that_snap_publishes(name, nodes, ratings):
    folder, rows = catalogue()
    graph = read_graph(folder / rows[name]["file"], "signed_temporal")
    assert (graph.n, graph.kept) == (nodes, ratings)
    assert graph.weight.min() >= -10 and graph.weight.max() <= 10
