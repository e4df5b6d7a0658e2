"""CPU time of the dismantling engine: against full recomputation, with growing size, and at a million links.

One kernel, one thread. Peers are measured in turns (A, B, A, B, ...), medians and quartiles are given beside
each ratio, and `noisy` replaces a verdict while other work loads the machine.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

from seedlot.studies.lgd_na import recompute
from seedlot.studies.lgd_na.curve import component_curve
from seedlot.studies.lgd_na.engine import removal_order
from seedlot.studies.lgd_na.graph import Graph, from_links
from seedlot.studies.lgd_na.subgraph import induced

ROUNDS = 5
STEPS = 200  # recomputed steps, evenly spaced over the whole order
Row = dict[str, Any]


def random_links(n: int, m: int, seed: int) -> Graph:
    """An Erdos-Renyi graph with exactly m links."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, n, (2, int(1.2 * m) + 100))
    keys = np.unique(np.minimum(a, b)[a != b] * n + np.maximum(a, b)[a != b])
    keys = rng.permutation(keys)[:m]
    return from_links(n, keys // n, keys % n)


def scale_free(n: int, m: int, seed: int) -> Graph:
    """A Barabasi-Albert graph with about m links."""
    ends = np.array(nx.barabasi_albert_graph(n, max(1, round(m / n)), seed=seed).edges)
    return from_links(n, ends[:, 0], ends[:, 1])


def geometric(n: int, m: int, seed: int) -> Graph:
    """A random geometric graph in the unit square with about m links."""
    from scipy.spatial import cKDTree

    points = np.random.default_rng(seed).random((n, 2))
    ends = cKDTree(points).query_pairs(np.sqrt(2 * m / n / n / np.pi), output_type="ndarray")
    return from_links(n, ends[:, 0], ends[:, 1])


def cpu(call: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def quartiles(values: list[float]) -> Row:
    """Median and quartiles."""
    low, middle, high = statistics.quantiles(values, n=4)
    return {"median": middle, "q1": low, "q3": high}


def noisy() -> bool:
    """Whether other work keeps more than a quarter of a core busy beside this one."""
    return os.getloadavg()[0] > 1.25


def whole_run(graph: Graph, rule: str) -> None:
    """Order of all nodes and curve."""
    component_curve(graph, removal_order(graph, rule))


def against_recomputing(graph: Graph, rule: str) -> Row:
    """Incremental whole run against the same run recomputed at every step, extrapolated from STEPS steps."""
    order = removal_order(graph, rule)
    steps = int(np.searchsorted(-component_curve(graph, order)[0], -1))  # until no link is left
    places = np.linspace(0, steps - 1, STEPS).astype(int)
    ours, theirs = [], []
    for turn in range(ROUNDS):
        ours.append(cpu(lambda: whole_run(graph, rule)))
        part = [induced(graph, np.sort(order[t:])) for t in places[turn::ROUNDS]]
        spent = cpu(lambda part=part: [recompute.removal_order(g, rule, ties="csr", steps=1) for g in part])
        theirs.append(spent / len(part) * steps)
    ratio = statistics.median(theirs) / statistics.median(ours)
    return {
        "what": f"{rule}: whole dynamic order and curve, incremental against recomputing (scipy.sparse)",
        "n": graph.n,
        "m": graph.m,
        "incremental_cpu_s": quartiles(ours),
        "recompute_cpu_s": quartiles(theirs),
        "extrapolated": f"recompute from {STEPS} of {steps} steps, evenly spaced",
        "ratio": ratio,
    }


def growth(name: str, make: Callable[[int, int, int], Graph], rule: str) -> Row:
    """Exponent of CPU time in m at mean degree 8, by least squares over five sizes."""
    sizes = [10_000 * 4**k for k in range(4)] + [1_000_000]
    times = []
    for n in [m // 4 for m in sizes]:
        graph = make(n, 4 * n, 1)
        times.append(statistics.median(cpu(lambda g=graph: whole_run(g, rule)) for _ in range(3)))
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    return {
        "what": f"{rule}: growth on {name} graphs, mean degree 8",
        "m": sizes,
        "cpu_s": times,
        "exponent": exponent,
    }


def paths_side_by_side(rule: str) -> Row:
    """Recomputing and incremental runs on a CPU and, where there is one, batched on a GPU, over 200 small graphs."""
    import torch

    from seedlot.studies.lgd_na.torchpath import batched_orders

    graphs = [random_links(100, 500, seed) for seed in range(200)]
    seconds = {"incremental_cpu": [], "batched_cpu": [], "recompute_cpu": []}
    if torch.cuda.is_available():
        seconds["batched_gpu"] = []
    batched_orders(graphs[:2], rule)
    for _ in range(ROUNDS):
        seconds["incremental_cpu"].append(cpu(lambda: [removal_order(g, rule) for g in graphs]))
        seconds["batched_cpu"].append(cpu(lambda: batched_orders(graphs, rule)))
        few = graphs[:10]
        spent = cpu(lambda few=few: [recompute.removal_order(g, rule, ties="csr") for g in few])
        seconds["recompute_cpu"].append(spent * len(graphs) / len(few))
        if "batched_gpu" in seconds:
            started = time.perf_counter()
            batched_orders(graphs, rule, device="cuda")
            seconds["batched_gpu"].append(time.perf_counter() - started)
    table = {name: quartiles(values) for name, values in seconds.items()}
    what = f"{rule}: 200 graphs of 100 nodes and 500 links; recompute extrapolated from 10 graphs, GPU in wall time"
    return {"what": what, "seconds": table}


def rows() -> list[Row]:
    """All measurements, each with its verdict where there is a target."""
    for rule in ("cnd", "ra2"):
        whole_run(random_links(50, 100, 0), rule)  # loads or compiles the kernels
    dense = random_links(20_000, 500_000, 1)
    cnd, ra2 = against_recomputing(dense, "cnd"), against_recomputing(dense, "ra2")
    out = [
        _judged(
            cnd,
            {
                "incremental cnd <= 3 s": cnd["incremental_cpu_s"]["median"] <= 3.0,
                "ratio >= 1000": cnd["ratio"] >= 1000,
            },
        ),
        _judged(ra2, {"ratio >= 300": ra2["ratio"] >= 300}),
    ]
    for name, make in (
        ("Erdos-Renyi", random_links),
        ("Barabasi-Albert", scale_free),
        ("geometric", geometric),
    ):
        row = growth(name, make, "cnd")
        checks = {
            "exponent <= 1.45": row["exponent"] <= 1.45,
            "a million links <= 10 s": row["cpu_s"][-1] <= 10.0,
        }
        out.append(_judged(row, checks))
    out += [paths_side_by_side(rule) for rule in ("cnd", "ra2")]
    out.append(
        {
            "what": "peak memory of this benchmark",
            "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
    )
    return out


def _judged(row: Row, checks: dict[str, bool]) -> Row:
    verdicts = {
        name: "noisy" if noisy() and not good else "met" if good else "missed"
        for name, good in checks.items()
    }
    return row | {"targets": verdicts, "load": os.getloadavg()[0]}


if __name__ == "__main__":
    json.dump(rows(), sys.stdout, indent=1)
