"""Figure: one network drawn before, during and after its dismantling, in one layout of our own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from seedlot.report import plot
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na import figures_common as common
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.ranks_frame import graphs, orders

SCHEMA = [
    ("net_id", pa.string()),
    ("method", pa.string()),
    ("node", pa.int32()),
    ("x", pa.float64()),
    ("y", pa.float64()),
    ("removed_at", pa.int32()),
]
GOOD_SIZE, MOST_NODES = 150, 600


def run(job: Job) -> None:
    """Inputs: nets, edges, curves. Params: network (net_id, or empty: chosen), method (cnd). Outputs: svg, data."""
    method = job.params.get("method", "cnd")
    columns = ("net_id", "title", "domain", "evidence", "n", "m", "duplicate_of")
    nets = {r["net_id"]: r for r in read_table(job.paths("nets"), columns).to_pylist()}
    name = job.params.get("network") or choose(list(nets.values()))
    reason = _reason(name, nets)
    order = None if reason else orders(job.paths("curves"), [name], "dynamic", "none").get((name, method))
    if not reason and order is None:
        reason = f"no finished dynamic run of {common.label(method)} on {name}"
    rows: list[dict[str, Any]] = []
    with plot.style():
        if reason:
            fig = plot.empty_figure("not drawn", reason, "Before, during, after")
        else:
            graph = graphs(job.paths("edges"), {name: nets[name]["n"]})[name]
            place = layout(graph)
            fig = draw(graph, place, order, nets[name], method)
            when = {int(v): t + 1 for t, v in enumerate(order)}
            head = {"net_id": name, "method": method}
            rows = [
                {**head, "node": i, "x": float(x), "y": float(y), "removed_at": when.get(i)}
                for i, (x, y) in enumerate(place)
            ]
        plot.save_figure(fig, job.output["svg"], common.rows_table(rows, SCHEMA), job.output["data"])


def choose(nets: list[dict[str, Any]]) -> str | None:
    """The network whose size is nearest to 150 nodes among those that can be drawn; real before simulated."""
    usable = [r for r in nets if r["duplicate_of"] is None and r["n"] <= MOST_NODES and r["m"] <= 6 * r["n"]]
    best = min(usable, key=lambda r: (r["evidence"], abs(r["n"] - GOOD_SIZE), r["net_id"]), default=None)
    return best and best["net_id"]


def _reason(name: str | None, nets: dict[str, dict[str, Any]]) -> str:
    """Why the network cannot be drawn, or an empty text."""
    if name is None:
        return f"no network of at most {MOST_NODES} nodes with a mean degree of at most 12"
    if name not in nets:
        return f"{name} is not in the table of networks"
    if nets[name]["n"] > MOST_NODES:
        return f"{name} has {nets[name]['n']:,} nodes, at most {MOST_NODES} can be drawn"
    return ""


def layout(graph: Graph, rounds: int = 300) -> np.ndarray:
    """Positions (n, 2) in [0, 1]: spectral start, then springs along links and repulsion 1/d between all pairs.

    No random numbers: eigenvectors are given a sign (largest entry positive), so one graph has one drawing.
    """
    n = graph.n
    adjacency = graph.matrix().toarray()
    degree = adjacency.sum(axis=1)
    scaled = np.eye(n) - adjacency / np.sqrt(np.outer(degree, degree))
    _, vectors = np.linalg.eigh(scaled)
    place = vectors[:, 1:3] * np.sign(vectors[np.abs(vectors[:, 1:3]).argmax(axis=0), [1, 2]])
    angle = 2.399963 * np.arange(n)  # golden angle: separates nodes that the eigenvectors put in one place
    place = place / np.abs(place).max() + 0.02 * np.column_stack([np.cos(angle), np.sin(angle)])
    ideal = 2.0 / np.sqrt(n)
    for step in range(rounds):
        gap = place[:, None, :] - place[None, :, :]
        far = np.sqrt((gap**2).sum(-1)) + 1e-9
        push = (gap * (ideal**2 / far**2)[..., None]).sum(axis=1)
        pull = (gap * (adjacency * far / ideal)[..., None]).sum(axis=1)
        move = push - pull - 0.05 * place
        size = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-12
        place = place + move / size * np.minimum(size, 0.1 * (1 - step / rounds) + 1e-3)
    low, high = place.min(axis=0), place.max(axis=0)
    return (place - low) / np.maximum(high - low, 1e-9)


def draw(graph: Graph, place: np.ndarray, order: np.ndarray, net: dict[str, Any], method: str):
    """Three panels: intact, half of the removals, all of them; the largest component stands out."""
    fig = plot.new_figure(10.2, 3.9)
    axes = fig.subplots(1, 3)
    words = ("before", "halfway", "after")
    for ax, step, word in zip(axes, (0, len(order) // 2, len(order)), words, strict=True):
        lcc = _panel(ax, graph, place, order[:step], method)
        ax.set_title(f"{word}: {step} removed, largest part {lcc} ({lcc / graph.n:.0%})", fontsize=9)
    fig.suptitle(f"{net['title'] or net['net_id']}, dismantled by {common.label(method)}", x=0.01, ha="left")
    note = f"{net['domain']}, n = {graph.n}, m = {graph.m}; crosses: removed nodes; grey: cut off"
    plot.footer(fig, net["evidence"], note)
    return fig


def _panel(ax: Axes, graph: Graph, place: np.ndarray, gone: np.ndarray, method: str) -> int:
    """Draw what is left after removing `gone`; returns the size of the largest component."""
    from scipy.sparse.csgraph import connected_components

    present = np.ones(graph.n, dtype=bool)
    present[gone] = False
    part = np.full(graph.n, -1)
    part[present] = connected_components(graph.matrix()[present][:, present], directed=False)[1]
    sizes = np.bincount(part[present])
    large = present & (part == sizes.argmax())
    src, dst = graph.links()
    left = present[src] & present[dst]
    strong = left & large[src]
    for keep, tone, width in ((left & ~strong, plot.GREY, 0.5), (strong, plot.BLUE, 0.6)):
        lines = np.stack([place[src[keep]], place[dst[keep]]], axis=1)
        ax.add_collection(LineCollection(lines, colors=tone, linewidths=width, alpha=0.35, zorder=1))
    area = 8 + 2.2 * graph.degree
    for keep, tone in ((present & ~large, plot.GREY), (large, plot.BLUE)):
        ax.scatter(*place[keep].T, s=area[keep], color=tone, linewidths=0.4, edgecolors="white", zorder=2)
    ax.scatter(*place[gone].T, s=14, marker="x", color=plot.RED, linewidths=0.8, zorder=3)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    ax.set_axis_off()
    return int(sizes.max())
