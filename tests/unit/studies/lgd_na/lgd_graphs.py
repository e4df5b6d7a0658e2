"""Graphs for the dismantling tests: named ones, random families, and the real files where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from seedlot.studies.lgd_na.graph import Graph, from_links


def graph_of(net: nx.Graph) -> Graph:
    """A networkx graph as ours; nodes numbered in its own order, loops left out."""
    index = {node: i for i, node in enumerate(net)}
    links = [(index[a], index[b]) for a, b in net.edges if a != b]
    ends = np.array(links, np.int64).reshape(-1, 2)
    return from_links(len(index), ends[:, 0], ends[:, 1])


def network_of(graph: Graph) -> nx.Graph:
    """The inverse of graph_of."""
    net = nx.empty_graph(graph.n)
    net.add_edges_from(zip(*(side.tolist() for side in graph.links())))
    return net


def random_graph(seed: int, largest: int) -> Graph:
    """One of seven random families by seed, 4 to `largest` nodes or a few more; not always connected."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, largest))
    kinds = (
        lambda: nx.gnp_random_graph(n, rng.uniform(0.05, 0.6), seed=seed),
        lambda: nx.barabasi_albert_graph(n + 2, int(rng.integers(1, 4)), seed=seed),
        lambda: nx.watts_strogatz_graph(n + 4, 4, 0.15, seed=seed),
        lambda: nx.stochastic_block_model(
            [n // 3 + 1] * 3, np.full((3, 3), 0.05) + 0.6 * np.eye(3), seed=seed
        ),
        lambda: nx.disjoint_union_all([nx.complete_graph(int(k)) for k in rng.integers(1, 9, 4)]),
        lambda: nx.random_geometric_graph(n, 0.35, seed=seed),
        lambda: nx.connected_caveman_graph(int(rng.integers(2, 5)), int(rng.integers(3, 7))),
    )
    return graph_of(kinds[seed % len(kinds)]())


def hubs(seed: int) -> Graph:
    """Three linked hubs of degree above 1,000 that share leaves, some leaves linked."""
    rng = np.random.default_rng(seed)
    net = nx.empty_graph(1603)
    net.add_edges_from([(0, 1), (1, 2)])
    for hub in range(3):
        net.add_edges_from((hub, 3 + int(leaf)) for leaf in rng.choice(1600, 1010 + 150 * hub, replace=False))
    net.add_edges_from((3 + int(a), 3 + int(b)) for a, b in rng.integers(0, 1600, (700, 2)))
    return graph_of(net)


def real_file(name: str) -> Path:
    """A file of the real-data folder; the test is skipped without it."""
    folder = os.environ.get("SEEDLOT_REALDATA")
    if not folder:
        pytest.skip("SEEDLOT_REALDATA names no folder of real files")
    path = Path(folder) / "networks" / name
    if not path.is_file():
        pytest.skip(f"{path} does not exist")
    return path
