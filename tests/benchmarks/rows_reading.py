"""Reading: from a file to the largest component of its simple graph, ours against the common libraries.

Every contender ends with an undirected graph without loops and repeats, cut to its largest component, and
answers with its nodes and links, so the work compares. Ours also keeps line numbers of bad records, counts the
records a second time and proves the simple graph.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import inputs
from tests.benchmarks.model import Contender, Row, ratios


def ours(fmt: str, name: str, certified: bool = True) -> Contender:
    """Our reader of a format, then simplify; certified: then the proof that the curation job demands."""

    def make(folder: Path, size: int) -> Callable[[], list[int]]:
        from seedlot.formats.graphs.registry import read_graph
        from seedlot.sources.networks.simplify import certify, simplify

        def once() -> list[int]:
            graph = simplify(read_graph(folder / name, fmt, {}))
            if certified:
                certify(graph)
            return [graph.n, graph.m]

        return once

    proof = ", certify" if certified else ""
    return Contender(make, f"read_graph(…, '{fmt}'), simplify{proof}")


def networkx(call: str, name: str, **options) -> Contender:
    """networkx.<call>, then a simple graph and its largest component."""

    def make(folder: Path, size: int) -> Callable[[], list[int]]:
        import networkx as nx

        def once() -> list[int]:
            graph = getattr(nx, call)(folder / name, **options)
            if graph.is_directed() or graph.is_multigraph():
                graph = nx.Graph(graph)
            graph.remove_edges_from(list(nx.selfloop_edges(graph)))
            largest = graph.subgraph(max(nx.connected_components(graph), key=len)).copy()
            return [largest.number_of_nodes(), largest.number_of_edges()]

        return once

    return Contender(make, f"networkx.{call}, self loops off, largest component")


def igraph(call: str, name: str, **options) -> Contender:
    """igraph.Graph.<call>, simplify, giant."""

    def make(folder: Path, size: int) -> Callable[[], list[int]]:
        from igraph import Graph

        def once() -> list[int]:
            graph = getattr(Graph, call)(str(folder / name), **options)
            graph.to_undirected()
            largest = graph.simplify().connected_components().giant()
            return [largest.vcount(), largest.ecount()]

        return once

    return Contender(make, f"igraph Graph.{call}, simplify, giant")


def networkit(reader: str, name: str, *options) -> Contender:
    """networkit.graphio.<reader>, simple graph, largest component, one thread."""

    def make(folder: Path, size: int) -> Callable[[], list[int]]:
        import networkit as nk

        nk.setNumberOfThreads(1)
        largest = nk.components.ConnectedComponents.extractLargestConnectedComponent

        def once() -> list[int]:
            graph = getattr(nk.graphio, reader)(*options).read(str(folder / name))
            if graph.isDirected():
                graph = nk.graphtools.toUndirected(graph)
            graph.removeMultiEdges()
            graph.removeSelfLoops()
            kept = largest(graph, True)
            return [kept.numberOfNodes(), kept.numberOfEdges()]

        return once

    return Contender(make, f"networkit {reader}, simple graph, largest component")


def scipy_mtx(name: str) -> Contender:
    """scipy.io.mmread, then the largest component by scipy."""

    def make(folder: Path, size: int) -> Callable[[], list[int]]:
        import numpy as np
        from scipy.io import mmread
        from scipy.sparse.csgraph import connected_components

        def once() -> list[int]:
            matrix = mmread(folder / name).tocsr()
            _, part = connected_components(matrix, directed=False)
            inside = np.flatnonzero(part == np.bincount(part).argmax())
            kept = matrix[inside][:, inside]
            return [kept.shape[0], (kept.nnz + int((kept.diagonal() != 0).sum())) // 2]

        return once

    return Contender(make, "scipy.io.mmread, scipy largest component")


INTEGER_PEERS = {
    "networkx": networkx("read_edgelist", "edges.txt", nodetype=int),
    "igraph Read_Edgelist": igraph("Read_Edgelist", "edges.txt", directed=False),
    "igraph Read_Ncol": igraph("Read_Ncol", "edges.txt", directed=False),
    "networkit": networkit("EdgeListReader", "edges.txt", " ", 0, "#", True, False),
}
UNPROVEN = {"without proof": ours("edgelist", "edges.txt", certified=False)}


def _format(fmt: str, ending: str, peers: dict[str, Contender], prepare=None, size: int = 100_000) -> Row:
    """A row of a format: no target, every peer that can read such a file."""
    return Row(
        name=f"read_{fmt}",
        title=f"{fmt}: read and curate, {{size:,}} links",
        contenders={"seedlot": ours(fmt, f"graph.{ending}"), **peers},
        summarise=ratios(dict.fromkeys(peers)),
        prepare=prepare or inputs.write_format(fmt, ending),
        sizes=(size, size // 10),
    )


ROWS = [
    Row(
        name="integer_edges",
        title="Edge list of integers: read and curate, {size:,} links",
        contenders={"seedlot": ours("edgelist", "edges.txt"), **INTEGER_PEERS, **UNPROVEN},
        summarise=ratios(
            {
                "networkx": 60,
                "igraph Read_Edgelist": 5,
                "igraph Read_Ncol": 5,
                "networkit": 1,
                "without proof": None,
            }
        ),
        prepare=inputs.write_integers,
        sizes=(500_000, 50_000),
        note="Ours proves each simple graph (order, one component, counts) as the curation job does; 'without proof' "
        "leaves that out, as every peer does.",
    ),
    Row(
        name="integer_edges_small",
        title="Edge list of integers: read and curate, {size:,} links",
        contenders={"seedlot": ours("edgelist", "edges.txt"), **INTEGER_PEERS},
        summarise=ratios(dict.fromkeys(INTEGER_PEERS)),
        prepare=inputs.write_integers,
        sizes=(5_000, 5_000),
        rounds=15,
    ),
    Row(
        name="label_edges",
        title="Edge list of names: read and curate, {size:,} links",
        contenders={
            "seedlot": ours("edgelist", "edges.txt"),
            "networkx": networkx("read_edgelist", "edges.txt"),
            "igraph Read_Ncol": igraph("Read_Ncol", "edges.txt", directed=False),
            "networkit": networkit("EdgeListReader", "edges.txt", " ", 0, "#", False, False),
        },
        summarise=ratios({"networkx": 15, "igraph Read_Ncol": None, "networkit": None}),
        prepare=inputs.write_labels,
        sizes=(500_000, 50_000),
    ),
    _format("gt", "gt", {"networkit": networkit("GraphToolBinaryReader", "graph.gt")}),
    _format(
        "pajek",
        "net",
        {"networkx": networkx("read_pajek", "graph.net"), "igraph": igraph("Read_Pajek", "graph.net")},
        inputs.write_pajek,
    ),
    _format(
        "graphml",
        "graphml",
        {
            "networkx": networkx("read_graphml", "graph.graphml"),
            "igraph": igraph("Read_GraphML", "graph.graphml"),
        },
    ),
    _format(
        "gml",
        "gml",
        {"networkx": networkx("read_gml", "graph.gml"), "igraph": igraph("Read_GML", "graph.gml")},
    ),
    _format("mtx", "mtx", {"scipy": scipy_mtx("graph.mtx")}),
]
