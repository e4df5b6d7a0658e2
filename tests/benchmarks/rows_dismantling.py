"""Dismantling: the incremental engine against full recomputation, its growth, betweenness, reinsertion."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.benchmarks import inputs
from tests.benchmarks.model import Contender, Extrapolated, Row, growth, ratios

NODES = 20_000
STEPS, CHUNKS = 200, 5
LADDER = (30_000, 100_000, 300_000, 1_000_000)
MEAN_DEGREE = 10


def engine(rule: str, family: str) -> Contender:
    """Our whole dynamic order and its curve of largest and second component."""

    def make(folder: Path, size: int) -> Callable[[], None]:
        from seedlot.studies.lgd_na.curve import component_curve
        from seedlot.studies.lgd_na.engine import removal_order

        graph = inputs.load_family(folder, family, size)

        def once() -> None:
            component_curve(graph, removal_order(graph, rule))

        return once

    return Contender(
        make, f"whole dynamic {rule} order and curve, incremental, exact ties", shares_answer=False
    )


def recompute(rule: str, family: str) -> Contender:
    """Sparse scipy, all scores anew at each step; each round times a part of the 200 steps.

    The steps lie evenly over the order and their times are integrated over it, so that it counts how steps get
    cheaper as the network shrinks. Every timed step must find that the node which the engine removes there has a
    score within 1e-9 of the largest.
    """

    def make(folder: Path, size: int) -> Callable[[], Extrapolated]:
        from seedlot.studies.lgd_na.engine import removal_order
        from seedlot.studies.lgd_na.recompute import first_maximum, node_scores

        graph = inputs.load_family(folder, family, size)
        order = removal_order(graph, rule)
        linked = _steps_with_links(graph, order)
        rounds = iter(np.linspace(0, linked - 1, STEPS).astype(int).reshape(STEPS // CHUNKS, CHUNKS).T)
        whole = graph.matrix()

        def once() -> Extrapolated:
            at, cpu, wall = next(rounds), [], []
            for step in at:
                rest = np.setdiff1d(np.arange(graph.n), order[:step])
                adjacency = whole[rest][:, rest]
                started = time.process_time(), time.perf_counter()
                scores = node_scores(adjacency, rule, "csr")
                best = first_maximum(scores)
                keep = np.delete(np.arange(len(rest)), best)
                adjacency[keep][:, keep]
                cpu.append(time.process_time() - started[0])
                wall.append(time.perf_counter() - started[1])
                own = scores[np.searchsorted(rest, order[step])]
                if own < scores[best] * (1 - 1e-9):
                    raise RuntimeError(
                        f"step {step}: the engine removed a node of score {own}, best {scores[best]}"
                    )
            return Extrapolated(_integral(at, cpu, linked), _integral(at, wall, linked))

        return once

    about = "sparse scipy, A o (A A) anew at each step, extrapolated from 200 steps spread over the order"
    return Contender(make, about, warm=False, shares_answer=False)


def _steps_with_links(graph, order: np.ndarray) -> int:
    """Removals until no link is left: the last of them takes away the link whose earlier end goes last."""
    when = np.empty(graph.n, np.int64)
    when[order] = np.arange(graph.n)
    src, dst = graph.links()
    return int(np.minimum(when[src], when[dst]).max()) + 1


def _integral(at: np.ndarray, seconds: list[float], steps: int) -> float:
    """Seconds of steps 0..steps-1 by the trapezoid rule through the timed ones, constant beyond the first and last."""
    return float(np.interp(np.arange(steps), at, seconds).sum())


def _versus(rule: str, family: str, target: float | None, limit_s: float | None) -> Row:
    return Row(
        name=f"{rule}_{family}_recompute",
        title=f"Whole dynamic {rule.upper()} order and curve, {family.upper()} graph of {{size:,}} links",
        contenders={"seedlot": engine(rule, family), "scipy": recompute(rule, family)},
        summarise=ratios({"scipy": target}, limit_s=limit_s),
        prepare=lambda folder, size: inputs.save_family(folder, family, min(NODES, size // 5), size),
        sizes=(500_000, 20_000),
        note="20,000 nodes. Recomputation is extrapolated from 200 steps: each of 5 rounds times 40 of them, spread "
        "evenly over the whole order, and integrates.",
    )


def _growth(rule: str, family: str) -> Row:
    def rung(m: int) -> Contender:
        def make(folder: Path, size: int) -> Callable[[], None]:
            return engine(rule, family).make(folder, m // (10 if size else 1))

        return Contender(
            make, f"whole dynamic {rule} order and curve, {m:,} links at most", shares_answer=False
        )

    def prepare(folder: Path, size: int) -> None:
        for m in LADDER:
            m //= 10 if size else 1
            inputs.save_family(folder, family, 2 * m // MEAN_DEGREE, m)

    return Row(
        name=f"growth_{rule}_{family}",
        title=f"Growth of {rule.upper()} with links, {family} graphs of mean degree {MEAN_DEGREE}",
        contenders={f"{m:,}": rung(m) for m in LADDER},
        summarise=growth(1.45, {"1,000,000": 10.0}),
        prepare=prepare,
        sizes=(0, 1),
    )


def betweenness(peer: str) -> Contender:
    """Betweenness renewed after each removal, down to the last link."""

    def make(folder: Path, size: int) -> Callable[[], list[int]]:
        graph = inputs.load_family(folder, "ba", size)
        return {"seedlot": _own_betweenness, "igraph": _igraph_betweenness, "networkx": _nx_betweenness}[
            peer
        ](graph)

    return Contender(make, f"{peer}: betweenness of the whole remaining graph at each step")


def _own_betweenness(graph):
    from seedlot.studies.lgd_na.betweenness import dynamic_order

    return lambda: dynamic_order(graph).tolist()


def _finish(order: list[int], rest: list[int]) -> list[int]:
    return [*order, *sorted(rest)]


def _igraph_betweenness(graph):
    from igraph import Graph

    src, dst = graph.links()
    whole = Graph(n=graph.n, edges=np.column_stack((src, dst)).tolist())

    def once() -> list[int]:
        left, ids, order = whole.copy(), list(range(graph.n)), []
        while left.vcount():
            value = np.array(left.betweenness())
            if value.max() <= 1e-9:
                break
            best = int(np.argmax(value >= value.max() * (1 - 1e-9)))
            order.append(ids.pop(best))
            left.delete_vertices(best)
        return _finish(order, ids)

    return once


def _nx_betweenness(graph):
    import networkx as nx

    src, dst = graph.links()
    whole = nx.Graph()
    whole.add_nodes_from(range(graph.n))
    whole.add_edges_from(zip(src.tolist(), dst.tolist()))

    def once() -> list[int]:
        left, order = whole.copy(), []
        while left:
            value = nx.betweenness_centrality(left, normalized=False)
            top = max(value.values())
            if top <= 1e-9:
                break
            best = min(node for node, one in value.items() if one >= top * (1 - 1e-9))
            order.append(best)
            left.remove_node(best)
        return _finish(order, list(left))

    return once


def reinsertion(peer: str) -> Contender:
    """Putting removed nodes back by the smallest component they land in (r1), after a static degree attack."""

    def make(folder: Path, size: int) -> Callable[[], list[int]]:
        from seedlot.studies.lgd_na.curve import component_curve
        from seedlot.studies.lgd_na.engine import removal_order
        from seedlot.studies.lgd_na.measures import removals_to, stop_size
        from seedlot.studies.lgd_na.reinsertion import reinsert

        graph = inputs.load_family(folder, "ba", size)
        order = removal_order(graph, "degree", dynamic=False)
        stop = stop_size(graph.n, 0.1)
        steps = removals_to(component_curve(graph, order)[0], stop)
        if peer == "networkx":
            return _nx_reinsertion(graph, order[:steps].tolist(), stop)

        def once() -> list[int]:
            new = reinsert(graph, order, steps, stop, "r1")
            return new[: removals_to(component_curve(graph, new)[0], stop)].tolist()

        return once

    return Contender(make, f"{peer}: rule r1, component sizes of every candidate renewed after each return")


def _nx_reinsertion(graph, removed: list[int], stop: int):
    import networkx as nx

    src, dst = graph.links()
    whole = nx.Graph()
    whole.add_nodes_from(range(graph.n))
    whole.add_edges_from(zip(src.tolist(), dst.tolist()))

    def once() -> list[int]:
        out, left = list(removed), whole.copy()
        left.remove_nodes_from(out)
        while out:
            part = {node: nodes for nodes in map(frozenset, nx.connected_components(left)) for node in nodes}
            best = None
            for at, node in enumerate(out):
                landed = {part[other] for other in whole[node] if other in left}
                size = 1 + sum(map(len, landed))
                if size <= stop and (best is None or (size, -at) < best):
                    best = (size, -at)
            if best is None:
                return out
            node = out.pop(-best[1])
            left.add_node(node)
            left.add_edges_from((node, other) for other in whole[node] if other in left)
        return out

    return once


def _small_ba(nodes_per_link: float):
    return lambda folder, size: inputs.save_family(folder, "ba", int(size * nodes_per_link), size)


ROWS = [
    _versus("cnd", "ba", 1000, 3.0),
    _versus("ra2", "ba", 300, None),
    _versus("cnd", "er", None, 3.0),
    *(_growth(rule, family) for rule in ("cnd", "ra2") for family in inputs.FAMILIES),
    Row(
        name="betweenness_dynamic",
        title="Betweenness renewed after every removal, about {size:,} links",
        contenders={peer: betweenness(peer) for peer in ("seedlot", "igraph", "networkx")},
        summarise=ratios({"igraph": None, "networkx": None}),
        prepare=_small_ba(1 / 3),
        sizes=(450, 150),
    ),
    Row(
        name="betweenness_dynamic_large",
        title="Betweenness renewed after every removal, about {size:,} links",
        contenders={peer: betweenness(peer) for peer in ("seedlot", "igraph")},
        summarise=ratios({"igraph": None}),
        prepare=_small_ba(1 / 3),
        sizes=(1_500, 300),
    ),
    Row(
        name="reinsertion_r1",
        title="Reinsertion r1 after a static degree attack, about {size:,} links",
        contenders={peer: reinsertion(peer) for peer in ("seedlot", "networkx")},
        summarise=ratios({"networkx": None}),
        prepare=_small_ba(1 / 3),
        sizes=(3_000, 600),
    ),
]
