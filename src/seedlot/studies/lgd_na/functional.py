"""What an attack does to function: four measures along a removal order. Definitions and parameters are ours.

All values keep the scale of the intact network (division by its n), so that removed nodes count as lost function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from seedlot.contracts.gate import require_inputs
from seedlot.store.job import Job
from seedlot.store.parquet import read_table
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.ranks_frame import choose, graphs, orders, write_rows

DEFAULTS = {
    "methods": ["ra2", "cnd", "nbc", "degree", "random"],
    "networks": [],  # net_ids; empty: the real networks of median size in the best-filled domains
    "how_many": 4,
    "max_nodes": 1500,
    "points": 10,
    "seed": 1,
    "epidemics": 96,
    "transmission": 0.1,  # chance per link and step
    "onset": 0.5,  # chance per step that an exposed node becomes infectious
    "recovery": 0.25,  # chance per step that an infectious node recovers
    "marked_share": 0.05,
    "gain": 2.0,  # coupling of the rate network in units of its critical value on the intact network
}


def run(job: Job) -> None:
    """Inputs: nets, edges, curves. Params: DEFAULTS. Output: functional."""
    require_inputs(job)
    p = DEFAULTS | {name: job.params[name] for name in DEFAULTS if name in job.params}
    columns = ("net_id", "domain", "evidence", "n", "duplicate_of")
    nets = {r["net_id"]: r for r in read_table(job.paths("nets"), columns).to_pylist()}
    small = [r for r in nets.values() if r["n"] <= p["max_nodes"]]
    wanted = list(p["networks"]) or choose(small, p["how_many"])
    found = graphs(job.paths("edges"), {name: nets[name]["n"] for name in wanted})
    removals = orders(job.paths("curves"), wanted, "dynamic", "none")
    rows: list[dict[str, Any]] = []
    for (net_id, method), order in sorted(removals.items()):
        if method in p["methods"]:
            head = {"net_id": net_id, "evidence": nets[net_id]["evidence"], "method": method}
            rows += [{**head, **row} for row in along(found[net_id], order, p)]
    write_rows(job.output["functional"], "study_lgd_na__functional", rows)


def along(graph: Graph, order: np.ndarray, p: dict[str, Any]) -> list[dict[str, Any]]:
    """Each measure after 0 .. len(order) removals, at about p['points'] evenly spaced steps."""
    steps = sorted(set(np.linspace(0, len(order), p["points"]).round().astype(int).tolist()))
    critical = spectral_radius(graph, np.ones(graph.n, dtype=bool))
    marked = np.random.default_rng(p["seed"]).permutation(graph.n)[
        : max(1, round(p["marked_share"] * graph.n))
    ]
    rows, first = [], {}
    for step in steps:
        present = np.ones(graph.n, dtype=bool)
        present[order[:step]] = False
        values = {
            "efficiency": efficiency(graph, present),
            "outbreak": outbreak(graph, present, p),
            "reachability": reachability(graph, present, marked),
            "rate": settled_rate(graph, present, p["gain"] / critical),
        }
        first = first or values
        for name, value in values.items():
            relative = value / first[name] if first[name] > 0 else None
            row = {"measure": name, "removed": step, "share_removed": step / graph.n}
            rows.append({**row, "value": value, "relative": relative})
    return rows


def _left(graph: Graph, present: np.ndarray):
    """CSR adjacency of the nodes still present."""
    return graph.matrix()[present][:, present]


def efficiency(graph: Graph, present: np.ndarray) -> float:
    """Global efficiency: sum over ordered pairs of 1 / distance, over n (n - 1) of the intact network."""
    from scipy.sparse.csgraph import shortest_path

    if present.sum() < 2:
        return 0.0
    distance = shortest_path(_left(graph, present), directed=False, unweighted=True)
    np.fill_diagonal(distance, np.inf)
    return float((1 / distance).sum() / (graph.n * (graph.n - 1)))


def outbreak(graph: Graph, present: np.ndarray, p: dict[str, Any]) -> float:
    """Mean final size of SEIR epidemics, share of the intact n; removed nodes take no part.

    Discrete time, one random first case each. Per step a susceptible with k infectious neighbours is exposed
    with chance 1 - (1 - transmission)^k; exposed turn infectious and infectious recover with fixed chances.
    """
    left = _left(graph, present)
    count, runs = left.shape[0], int(p["epidemics"])
    if count == 0:
        return 0.0
    rng = np.random.default_rng(p["seed"])
    susceptible = np.ones((count, runs), dtype=bool)
    exposed = np.zeros_like(susceptible)
    cases = (rng.integers(count, size=runs), np.arange(runs))
    infectious = np.zeros_like(susceptible)
    infectious[cases], susceptible[cases] = True, False
    while infectious.any() or exposed.any():
        pressure = left @ infectious.astype(np.float64)
        caught = susceptible & (rng.random(susceptible.shape) > (1 - p["transmission"]) ** pressure)
        turned = exposed & (rng.random(exposed.shape) < p["onset"])
        cured = infectious & (rng.random(infectious.shape) < p["recovery"])
        susceptible &= ~caught
        exposed = (exposed & ~turned) | caught
        infectious = (infectious & ~cured) | turned
    return float((~susceptible).sum() / (runs * graph.n))


def reachability(graph: Graph, present: np.ndarray, marked: np.ndarray) -> float:
    """Mean over unmarked nodes of the share of marked nodes they have a path to; a removed node has none."""
    from scipy.sparse.csgraph import connected_components

    part = np.full(graph.n, -1)
    if present.any():
        part[present] = connected_components(_left(graph, present), directed=False)[1]
    is_marked = np.zeros(graph.n, dtype=bool)
    is_marked[marked] = True
    target = np.bincount(part[is_marked & present], minlength=part.max() + 1)
    seen = target[part[~is_marked & present]].sum()
    return float(seen / (len(marked) * (graph.n - len(marked))))


def spectral_radius(graph: Graph, present: np.ndarray) -> float:
    """Largest eigenvalue of the adjacency; its reciprocal is the critical coupling of the rate network."""
    from scipy.sparse.linalg import eigsh

    left = _left(graph, present)
    if left.shape[0] < 3:
        return float(np.abs(np.linalg.eigvalsh(left.toarray())).max())
    return float(eigsh(left, k=1, which="LA", v0=np.ones(left.shape[0]), return_eigenvectors=False)[0])


def settled_rate(graph: Graph, present: np.ndarray, coupling: float) -> float:
    """Mean settled activity (over the intact n) of x' = -x + tanh(coupling A x), started at x = 1.

    Activity sustains itself only while coupling times the largest eigenvalue exceeds one.
    """
    left = _left(graph, present)
    x = np.ones(left.shape[0])
    for _ in range(500):
        new = 0.5 * x + 0.5 * np.tanh(coupling * (left @ x))
        if np.abs(new - x).max(initial=0.0) < 1e-6:
            break
        x = new
    return float(x.sum() / graph.n)
