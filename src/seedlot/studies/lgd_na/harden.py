"""Hardening: a few links added among the neighbours of the most critical nodes, and what that is worth."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pyarrow as pa

from seedlot.contracts.gate import require_inputs
from seedlot.contracts.model import contract
from seedlot.store.job import Job
from seedlot.store.parquet import read_table, write_table
from seedlot.studies.lgd_na.graph import Graph, from_links
from seedlot.studies.lgd_na.measures import stop_size
from seedlot.studies.lgd_na.method import Context, Method, load_method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.trial import run_trial

TABLE = "study_lgd_na__hardening"
log = logging.getLogger("seedlot")


def critical_nodes(order: np.ndarray, share: float) -> np.ndarray:
    """The max(1, int(share * n)) top nodes of a static removal order [n], least critical first."""
    return order[: max(1, int(share * len(order)))][::-1]


def missing_links(graph: Graph, node: int, added: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, of neighbours of `node` that have a link neither in the graph nor in `added`
    (pairs i < j), in ascending order. Neighbours are those of the intact graph."""
    around = graph.neighbours(node)
    pairs = []
    for place, i in enumerate(around[:-1]):
        later = around[place + 1 :]
        absent = later[~np.isin(later, graph.neighbours(i), assume_unique=True)]
        pairs.extend((int(i), int(j)) for j in absent if (int(i), int(j)) not in added)
    return pairs


def harden(
    graph: Graph, nodes: np.ndarray, share: float, rng: np.random.Generator
) -> tuple[Graph, list[int]]:
    """The graph with links added around `nodes`, in that order, and how many each of them got.

    For each node, max(1, int(share * missing)) of the missing pairs of its neighbours are linked, drawn without
    replacement; a pair linked for an earlier node is not missing any more. None where no pair is missing.
    """
    added: set[tuple[int, int]] = set()
    counts = []
    for node in nodes:
        pairs = missing_links(graph, int(node), added)
        wanted = min(len(pairs), max(1, int(share * len(pairs))))
        added.update(pairs[k] for k in rng.choice(len(pairs), wanted, replace=False))
        counts.append(wanted)
    src, dst = graph.links()
    new = np.array(sorted(added), np.int64).reshape(-1, 2)
    both = np.concatenate([src, new[:, 0]]), np.concatenate([dst, new[:, 1]])
    return from_links(graph.n, *both), counts


def run(job: Job) -> None:
    """Harden and attack again every original network of the run, method by method.

    input: nets (published, with duplicates marked), edges. output: hardening. params: methods, shares
    (each used as share of nodes and of missing links), seed, stop, ties, max_links, budget_s (predicted
    seconds of one attack). A network above either limit is a row over_budget.
    """
    require_inputs(job)
    nets = read_table(job.paths("nets")).to_pylist()
    nets = {net["net_id"]: net for net in nets if net["duplicate_of"] is None}
    rows: list[dict[str, Any]] = []
    for path in job.paths("edges"):
        table = read_table(path, ["net_id", "src", "dst"])
        names = table["net_id"].to_numpy(zero_copy_only=False).astype(str)
        src, dst = table["src"].to_numpy(), table["dst"].to_numpy()
        for name in [n for n in np.unique(names).tolist() if n in nets]:
            here = names == name
            graph = from_links(nets[name]["n"], src[here], dst[here])
            for method in job.params["methods"]:
                rows.extend(_gains(nets[name], graph, load_method(method), dict(job.params)))
    promise = contract(TABLE)
    table = pa.Table.from_pylist(rows, schema=promise.arrow_schema())
    write_table(job.output["hardening"], table, promise.arrow_schema(), promise.key)


def _gains(net: dict[str, Any], graph: Graph, method: Method, params: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of one network and method, one per share."""
    same = {name: net[name] for name in ("net_id", "evidence", "domain", "family")}
    same |= {"method": method.name, "seed": params["seed"], "m_before": graph.m}
    empty = dict.fromkeys(("links_added", "auc_before", "auc_after", "gain"))
    shares = [
        {"nodes_permille": round(1000 * s), "links_permille": round(1000 * s)} for s in params["shares"]
    ]
    seconds = method.seconds(Size(graph, stop_size(graph.n, params["stop"])), "dynamic")
    if graph.m > params["max_links"] or seconds > params["budget_s"]:
        why = f"{graph.m} links (limit {params['max_links']}), predicted {seconds:.3g} s an attack"
        return [same | share | empty | {"status": "over_budget", "reason": why} for share in shares]
    rows = []
    for share, doses in zip(params["shares"], shares):
        try:
            values = _gain(net["net_id"], graph, method, share, params)
        except Exception as error:  # one network must not take the others with it
            log.exception("%s %s", net["net_id"], method.name)
            values = empty | {"status": "failed", "reason": f"{type(error).__name__}: {error}"}
        rows.append(same | doses | values)
    return rows


def _gain(name: str, graph: Graph, method: Method, share: float, params: dict[str, Any]) -> dict[str, Any]:
    """AUC before and after hardening by the method's static scores, attacked by its dynamic order."""
    attack = {name: params[name] for name in ("stop", "ties", "seed")} | {"net_id": name}
    context = Context(stop_size(graph.n, params["stop"]), params["ties"], params["seed"], name)
    nodes = critical_nodes(method.order(graph, "static", context), share)
    harder, counts = harden(graph, nodes, share, context.rng(f"harden {method.name} {share}"))
    before = run_trial(graph, method, "dynamic", **attack).outcomes[0].measures.auc_paper
    after = run_trial(harder, method, "dynamic", **attack).outcomes[0].measures.auc_paper
    gain = after / before - 1 if before > 0 else None
    measured = {"auc_before": before, "auc_after": after, "gain": gain, "links_added": sum(counts)}
    return measured | {"status": "ok", "reason": ""}
