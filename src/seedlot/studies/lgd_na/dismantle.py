"""One method on every network of a shard, in all its modes and under all reinsertions."""

from __future__ import annotations

import logging
import multiprocessing
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seedlot.config.errors import SeedlotError
from seedlot.contracts.model import contract
from seedlot.store.job import Job
from seedlot.store.parquet import read_table, write_table
from seedlot.store.rejects import write_items
from seedlot.studies.lgd_na.graph import Graph, from_links
from seedlot.studies.lgd_na.measures import stop_size
from seedlot.studies.lgd_na.method import MODES, Method, load_method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.trial import Trial, run_trial, warm_up

TABLES = {name: f"study_lgd_na__{name}" for name in ("runs", "curves", "timings")}
log = logging.getLogger("seedlot")


@dataclass(frozen=True)
class Network:
    """One network of a shard: n and m as its row of the nets table states them."""

    net_id: str
    n: int
    m: int
    src: np.ndarray
    dst: np.ndarray
    labels: list[str]

    def graph(self) -> Graph:
        """The graph; SeedlotError when the tables of nets, nodes and edges contradict each other."""
        if len(self.src) != self.m or len(self.labels) != self.n:
            raise SeedlotError(
                f"{len(self.labels)} nodes and {len(self.src)} links, but nets says {self.n} and {self.m}"
            )
        return from_links(self.n, self.src, self.dst)


def run(job: Job) -> None:
    """Dismantle the networks of one shard with one method.

    input: edges, nets, nodes (that shard). output: runs, curves, timings, outcomes (one row per network and
    mode). params: method, modes, reinserts, stop, ties, seed, budget_s. A pair of network and mode whose
    predicted CPU time exceeds budget_s becomes rows `over_budget` with the estimate; an error becomes rows
    `failed` and leaves the other networks alone. With job.threads > 1 networks run in as many processes.
    """
    nets = list(shard_networks(job))
    tasks = [(net, dict(job.params)) for net in nets]
    if job.threads > 1 and len(nets) > 1:
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(job.threads, len(nets)), mp_context=spawn) as pool:
            results = list(pool.map(_network_rows, tasks))
    else:
        results = [_network_rows(task) for task in tasks]
    for name, table in TABLES.items():
        promise = contract(table)
        schema = promise.arrow_schema()
        parts = [pa.Table.from_pydict(part, schema=schema) for result in results for part in result[name]]
        whole = pa.concat_tables(parts) if parts else schema.empty_table()
        write_table(job.output[name], whole, schema, promise.key)
    write_items(job.output["outcomes"], [row for result in results for row in result["outcomes"]])


def shard_networks(job: Job) -> Iterator[Network]:
    """The networks of the shard in order of net_id, from the inputs nets, nodes and edges."""
    nets = read_table(job.paths("nets"), ["net_id", "n", "m"]).to_pylist()
    edges = read_table(job.paths("edges"), ["net_id", "src", "dst"])
    nodes = read_table(job.paths("nodes"), ["net_id", "node", "label"])
    edge_rows, node_rows = _row_ranges(edges), _row_ranges(nodes)
    for net in sorted(nets, key=lambda row: row["net_id"]):
        own_edges = edges.slice(*edge_rows.get(net["net_id"], (0, 0)))
        own_nodes = nodes.slice(*node_rows.get(net["net_id"], (0, 0)))
        yield Network(
            **net,
            src=own_edges["src"].to_numpy(),
            dst=own_edges["dst"].to_numpy(),
            labels=own_nodes["label"].to_pylist(),
        )


def _row_ranges(table: pa.Table) -> dict[str, tuple[int, int]]:
    """net_id -> (first row, number of rows) of a table sorted by net_id."""
    runs = pc.run_end_encode(table["net_id"].combine_chunks(), run_end_type=pa.int64())
    if isinstance(runs, pa.ChunkedArray):
        runs = runs.combine_chunks()
    ends = runs.run_ends.to_pylist()
    starts = [0, *ends[:-1]]
    return {name: (a, b - a) for name, a, b in zip(runs.values.to_pylist(), starts, ends)}


def _network_rows(task: tuple[Network, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """All rows of one network: lists of column dictionaries per table, and rows of outcomes."""
    net, params = task
    out: dict[str, list[dict[str, Any]]] = {"runs": [], "curves": [], "timings": [], "outcomes": []}
    method = load_method(params["method"])
    try:
        size, broken = Size(net.graph(), stop_size(net.n, params["stop"])), ""
    except SeedlotError as error:
        size, broken = None, str(error)
    for mode in [m for m in MODES if m in params["modes"] and m in method.modes]:
        started = time.perf_counter()
        estimate = float(method.seconds(size, mode)) if size else None
        status, reason, trial = (
            _attempt(net.net_id, size, method, mode, params, estimate) if size else ("failed", broken, None)
        )
        out["runs"].append(_run_rows(net, method, mode, params, status, reason, trial, estimate))
        if trial is not None:
            out["curves"].extend(_curve_rows(net, trial))
            row = {"net_id": net.net_id, "method": method.name, "mode": mode}
            row |= {"wall_s": trial.wall_s, "cpu_s": trial.cpu_s}
            out["timings"].append({name: [value] for name, value in row.items()})
        done = len(params["reinserts"]) if trial is not None else 0
        seconds = time.perf_counter() - started
        outcome = {"item": f"{net.net_id} {method.name} {mode}", "status": status, "reason": reason}
        outcome |= {"read": done, "kept": done, "rejected": 0, "seconds": seconds}
        out["outcomes"].append(outcome)
        log.info("%s %s %s: %s %s", net.net_id, method.name, mode, status, reason)
    return out


def _attempt(
    net_id: str, size: Size, method: Method, mode: str, params: dict[str, Any], estimate: float
) -> tuple[str, str, Trial | None]:
    """(status, reason, trial or None) of one method and mode on one network."""
    if size.m > method.max_links:
        return "over_budget", f"{size.m} links, above the {method.max_links} of this method", None
    if estimate > params["budget_s"]:
        return "over_budget", f"predicted {estimate:.3g} s, budget {params['budget_s']:g} s", None
    try:
        warm_up(method, mode, params["ties"], tuple(params["reinserts"]))
        trial = run_trial(
            size.graph,
            method,
            mode,
            reinserts=params["reinserts"],
            stop=params["stop"],
            ties=params["ties"],
            seed=params["seed"],
            net_id=net_id,
        )
    except Exception as error:  # one network must not take the other results of its shard with it
        log.exception("%s %s %s", net_id, method.name, mode)
        return "failed", f"{type(error).__name__}: {error}", None
    return "ok", "", trial


def _run_rows(
    net: Network,
    method: Method,
    mode: str,
    params: dict[str, Any],
    status: str,
    reason: str,
    trial: Trial | None,
    estimate: float | None,
) -> dict[str, list[Any]]:
    """Columns of the runs table: one row per reinsertion, measures null unless the run is ok."""
    rules = list(params["reinserts"])
    measures = [o.measures for o in trial.outcomes] if trial else [None] * len(rules)
    same = {
        "net_id": net.net_id,
        "method": method.name,
        "mode": mode,
        "status": status,
        "reason": reason,
        "tie_rule": method.tie_rule(params["ties"]),
        "n": net.n,
        "m": net.m,
        "stop_lcc": stop_size(net.n, params["stop"]),
        "cost_estimate_s": estimate,
    }
    columns = {name: [value] * len(rules) for name, value in same.items()} | {"reinsert": rules}
    for name in ("n_removals", "auc_paper", "r_schneider", "second_lcc_peak_q"):
        columns[name] = [None if one is None else getattr(one, name) for one in measures]
    return columns


def _curve_rows(net: Network, trial: Trial) -> Iterator[dict[str, Any]]:
    """Columns of the curves table for each outcome: steps 0 to n_removals."""
    labels = np.array(net.labels, dtype=object)
    for one in trial.outcomes:
        steps = one.measures.n_removals
        nodes = one.order[:steps]
        size = steps + 1
        yield {
            "net_id": [net.net_id] * size,
            "method": [trial.method] * size,
            "mode": [trial.mode] * size,
            "reinsert": [one.reinsert] * size,
            "step": np.arange(size, dtype=np.int32),
            "node": [None, *nodes.tolist()],
            "label": [None, *labels[nodes].tolist()],
            "lcc": one.lcc[:size],
            "second_lcc": one.second[:size],
        }
