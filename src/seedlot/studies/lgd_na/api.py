"""Dismantle one network from Python, without the workflow.

from seedlot.studies.lgd_na.api import dismantle
result = dismantle("my.graphml", method="cnd", reinsert="r1")
result.removals[:5], result.auc_paper
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.studies.lgd_na.engine import TIES
from seedlot.studies.lgd_na.measures import auc_paper, removals_to, stop_size
from seedlot.studies.lgd_na.method import load_method
from seedlot.studies.lgd_na.owndata import (
    Label,
    OwnNetwork,
    command_order,
    from_pairs,
    read_network,
    read_order,
)
from seedlot.studies.lgd_na.trial import Outcome, outcomes_of, run_trial, warm_up

READY = "ready"
RUNS_TO = "lcc_reached"  # the other stop reasons: order_ended, time_limit


@dataclass(frozen=True)
class Result:
    """One method and reinsertion rule on one network.

    n, m: simple graph; lcc_n, lcc_m: its largest component, which is what is dismantled. removals: original
    labels in order. curve: LCC nodes after 0, 1, ... removals. stop: share of lcc_n at which it counts as
    dismantled. stop_reason: lcc_reached, order_ended (a given order stopped earlier: its removals and curve are
    there, but no measures, which compare only whole attacks) or time_limit (no removals and no measures).
    r_schneider is None, too, for dynamic orders that are not a method's own to the last node (see Method.whole).
    seconds: wall time of finding the order. rejected: refused records of the file. cost: share of all node
    costs that the removals take, after 0, 1, ... of them (None
    without costs).
    """

    n: int
    m: int
    lcc_n: int
    lcc_m: int
    method: str
    reinsert: str
    removals: list[Label]
    n_removals: int | None
    auc_paper: float | None
    r_schneider: float | None
    curve: list[int]
    stop: float
    stop_reason: str
    seconds: float
    tie_rule: str
    rejected: int
    cost: list[float] | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; `cost` only when there are costs."""
        return {k: v for k, v in vars(self).items() if k != "cost" or v is not None}


def dismantle(
    edges: str | Path | Iterable[tuple[Any, Any]] | OwnNetwork,
    method: str = "cnd",
    *,
    reinsert: str = "none",
    mode: str = "dynamic",
    stop: float = 0.1,
    ties: str = "exact",
    seed: int = 0,
    time_limit: float | None = None,
    costs: Sequence[float] | None = None,
) -> Result:
    """Dismantle one network with one method; see Result.

    edges: a file in any known format, pairs of labels, or a network already read. time_limit: seconds after
    which the method is given up (it then runs in a process of its own, whose start does not count). costs: of
    each node of the largest component, they are reported and do not steer the method.
    """
    network = as_network(edges)
    return dismantle_all(
        network,
        method,
        [reinsert],
        mode=mode,
        stop=stop,
        ties=ties,
        seed=seed,
        time_limit=time_limit,
        costs=costs,
    )[0]


def as_network(edges: str | Path | Iterable[tuple[Any, Any]] | OwnNetwork) -> OwnNetwork:
    """A network from a file, from pairs, or as it is."""
    if isinstance(edges, OwnNetwork):
        return edges
    return read_network(edges) if isinstance(edges, str | Path) else from_pairs(edges)


def dismantle_all(
    network: OwnNetwork,
    method: str,
    reinserts: Sequence[str],
    *,
    mode: str = "dynamic",
    stop: float = 0.1,
    ties: str = "exact",
    seed: int = 0,
    time_limit: float | None = None,
    costs: Sequence[float] | None = None,
) -> list[Result]:
    """One Result per reinsertion rule; the order is found once."""
    _check_stop(stop)
    _check_time_limit(time_limit)
    if ties not in TIES:
        raise unknown("tie rule", ties, TIES)
    options = {"reinserts": list(reinserts), "stop": stop, "ties": ties, "seed": seed, "net_id": network.name}
    rule = load_method(method).tie_rule(ties)
    if time_limit is None:
        warm_up(load_method(method), mode, ties, tuple(reinserts))
        trial = run_trial(network.graph, load_method(method), mode, **options)
    else:
        trial = _within(time_limit, (network.graph, method, mode, options))
    if trial is None:
        return [_out_of_time(network, method, r, stop, rule, time_limit) for r in reinserts]
    common = {"seconds": trial.wall_s, "tie_rule": trial.tie_rule}
    return [
        _result(network, method, one, one.measures.n_removals, RUNS_TO, stop, costs, common)
        for one in trial.outcomes
    ]


def follow(
    network: OwnNetwork,
    method: str,
    given: np.ndarray | None,
    reinserts: Sequence[str],
    *,
    stop: float = 0.1,
    seconds: float = 0.0,
    costs: Sequence[float] | None = None,
) -> list[Result]:
    """Results of an order found elsewhere (int32 nodes, maybe not all; None: out of time).

    Nodes that the order leaves out stay. When it ends before the stop there are no measures, and reinsertion
    raises SeedlotError; when it ends after it, r_schneider takes the rest by index.
    """
    _check_stop(stop)
    if given is None:
        return [_out_of_time(network, method, r, stop, "given", seconds) for r in reinserts]
    rest = np.setdiff1d(np.arange(network.graph.n, dtype=np.int32), given)
    size = stop_size(network.graph.n, stop)
    plain = outcomes_of(network.graph, np.concatenate([given, rest]), ["none"], size)[0]
    reached = removals_to(plain.lcc[: len(given) + 1], size) is not None
    if not reached and list(reinserts) != ["none"]:
        raise SeedlotError(
            f"the order ends after {len(given)} removals with {plain.lcc[len(given)]} nodes connected, above the "
            f"stop of {size}, so no removed node can be put back",
            todo="give a longer order, raise --stop, or use --reinsert none",
        )
    outcomes = outcomes_of(network.graph, plain.order, reinserts, size)
    common = {"seconds": seconds, "tie_rule": "given"}
    return [
        _result(
            network, method, one, one.measures.n_removals if reached else len(given),
            RUNS_TO if reached else "order_ended", stop, costs, common,
        )
        for one in outcomes
    ]  # fmt: skip


def follow_file(
    network: OwnNetwork, path: str | Path, reinserts: Sequence[str], **options: Any
) -> list[Result]:
    """Results of the order in a CSV file of labels; see follow."""
    return follow(network, Path(path).stem, read_order(path, network), reinserts, **options)


def follow_command(
    network: OwnNetwork,
    command: str,
    reinserts: Sequence[str],
    *,
    time_limit: float | None = None,
    **options: Any,
) -> list[Result]:
    """Results of the order that an outside command prints; see owndata.command_order and follow."""
    _check_time_limit(time_limit)
    started = time.perf_counter()
    given = command_order(command, network, time_limit)
    seconds = time.perf_counter() - started
    return follow(network, Path(command.split()[0]).name, given, reinserts, seconds=seconds, **options)


def _check_stop(stop: float) -> None:
    if not 0 < stop < 1:
        raise SeedlotError(f"stop is a share of the nodes between 0 and 1, got {stop}")


def _check_time_limit(seconds: float | None) -> None:
    if seconds is not None and not 0 < seconds < threading.TIMEOUT_MAX:
        raise SeedlotError(f"a time limit is a positive number of seconds, got {seconds:g}")


def _result(
    network: OwnNetwork,
    method: str,
    one: Outcome,
    steps: int,
    reason: str,
    stop: float,
    costs: Sequence[float] | None,
    common: dict[str, Any],
) -> Result:
    removed, whole = one.order[:steps], reason == RUNS_TO
    share = None
    if costs is not None:
        every = np.asarray(costs, np.float64)
        share = (np.concatenate([[0.0], np.cumsum(every[removed])]) / every.sum()).tolist()
    return Result(
        **_sizes(network),
        method=method,
        reinsert=one.reinsert,
        removals=[network.labels[i] for i in removed.tolist()],
        n_removals=steps if whole else None,
        auc_paper=auc_paper(one.lcc[1 : steps + 1], network.graph.n) if whole else None,
        r_schneider=one.measures.r_schneider if whole else None,
        curve=one.lcc[: steps + 1].tolist(),
        stop=stop,
        stop_reason=reason,
        cost=share,
        **common,
    )


def _out_of_time(
    network: OwnNetwork, method: str, reinsert: str, stop: float, tie_rule: str, seconds: float | None
) -> Result:
    return Result(
        **_sizes(network), method=method, reinsert=reinsert, removals=[], n_removals=None, auc_paper=None,
        r_schneider=None, curve=[network.graph.n], stop=stop, stop_reason="time_limit", seconds=float(seconds or 0.0),
        tie_rule=tie_rule,
    )  # fmt: skip


def _sizes(network: OwnNetwork) -> dict[str, int]:
    graph = network.graph
    return {"n": network.n, "m": network.m, "lcc_n": graph.n, "lcc_m": graph.m, "rejected": network.rejected}


def _within(seconds: float, task: tuple) -> Any:
    """Run a trial in a process of its own; None when it does not end in time. Its errors are raised here.

    The clock starts when the process says that it is ready: imported, and its machine code compiled.
    """
    spawn = multiprocessing.get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_child, args=(sender, task), daemon=True)
    process.start()
    sender.close()
    try:
        answer = receiver.recv()
        if answer == READY:
            answer = receiver.recv() if receiver.poll(seconds) else None
    except EOFError:
        raise SeedlotError("the process of the method died", todo="is there enough memory?") from None
    finally:
        process.kill()
        process.join()
    if isinstance(answer, Exception):
        raise answer
    return answer


def _child(sender: Any, task: tuple) -> None:
    graph, method, mode, options = task
    try:
        warm_up(load_method(method), mode, options["ties"], tuple(options["reinserts"]))
        sender.send(READY)
        sender.send(run_trial(graph, load_method(method), mode, **options))
    except Exception as error:  # carried to the parent, which raises it
        sender.send(error)
