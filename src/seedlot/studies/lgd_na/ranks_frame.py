"""Runs and networks as arrays: which networks, methods and AUCs make up a set that may be ranked together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from seedlot.contracts.model import contract
from seedlot.store.parquet import read_table, write_table
from seedlot.studies.lgd_na.graph import Graph, from_links
from seedlot.studies.lgd_na.measures import stop_size

NET_COLUMNS = ("net_id", "domain", "family", "evidence", "n", "m", "duplicate_of", "raw_sha256")
RUN_COLUMNS = ("net_id", "method", "mode", "reinsert", "status", "n_removals", "auc_paper")


@dataclass(frozen=True)
class Nets:
    """Networks that may be ranked, duplicates left out; all arrays (N,), sorted by net_id."""

    net_id: np.ndarray
    domain: np.ndarray
    family: np.ndarray
    evidence: np.ndarray
    n: np.ndarray
    m: np.ndarray

    def where(self, mask: np.ndarray) -> Nets:
        """The networks under a boolean mask (N,)."""
        return Nets(*(getattr(self, f)[mask] for f in self.__dataclass_fields__))


@dataclass(frozen=True)
class Runs:
    """AUCs of finished runs. auc[(method, mode, reinsert)] is (N,) float64 over nets, NaN when not finished."""

    nets: Nets
    auc: dict[tuple[str, str, str], np.ndarray]

    def modes(self) -> list[tuple[str, str]]:
        """The (mode, reinsert) pairs that occur, sorted."""
        return sorted({(mode, reinsert) for _, mode, reinsert in self.auc})


@dataclass(frozen=True)
class Matrix:
    """A set of like networks and methods. auc: (N, K) float64 without NaN; reference: (N,), may hold NaN."""

    nets: Nets
    methods: tuple[str, ...]
    auc: np.ndarray
    reference: np.ndarray
    absent: tuple[str, ...]
    left_out: dict[str, int]
    n_incomplete: int


def load(runs: Sequence[Path], nets: Sequence[Path]) -> Runs:
    """Read tables of runs and networks. Runs of duplicates and of networks not in `nets` are left out."""
    table = read_table(nets, columns=NET_COLUMNS)
    net = {name: np.array(table.column(name).to_pylist(), dtype=object) for name in NET_COLUMNS}
    keep = np.array([d is None for d in net["duplicate_of"]], dtype=bool)
    order = np.argsort(net["net_id"][keep].astype(str), kind="stable")
    text = {f: net[f][keep][order].astype(str) for f in ("net_id", "domain", "family", "evidence")}
    sizes = {f: net[f][keep][order].astype(np.int64) for f in ("n", "m")}
    kept = Nets(**text, **sizes)
    row = {name: i for i, name in enumerate(kept.net_id.tolist())}
    auc: dict[tuple[str, str, str], np.ndarray] = {}
    for run in read_table(runs, columns=RUN_COLUMNS).to_pylist():
        at = row.get(run["net_id"])
        if at is None or run["status"] != "ok" or run["auc_paper"] is None:
            continue
        key = (run["method"], run["mode"], run["reinsert"])
        auc.setdefault(key, np.full(len(row), np.nan))[at] = run["auc_paper"]
    return Runs(kept, auc)


def matrix(
    runs: Runs, methods: Iterable[str], mode: str, reinsert: str, here: np.ndarray, reference: str
) -> Matrix | None:
    """The networks under `here` (N,) on which every method that occurs has finished; None when there are none.

    A method without one finished run under `here` is absent, not compared, and named; each other method
    counts how many networks it alone would leave out.
    """
    columns = {m: runs.auc.get((m, mode, reinsert)) for m in methods}
    present = tuple(m for m, c in columns.items() if c is not None and not np.isnan(c[here]).all())
    absent = tuple(m for m in columns if m not in present)
    if not present or not here.any():
        return None
    auc = np.stack([columns[m] for m in present], axis=1)
    finished = ~np.isnan(auc)
    use = here & finished.all(axis=1)
    if not use.any():
        return None
    left_out = {m: int((~finished[here, k]).sum()) for k, m in enumerate(present)}
    base = runs.auc.get((reference, "dynamic", reinsert), np.full(len(here), np.nan))
    return Matrix(
        runs.nets.where(use), present, auc[use], base[use], absent, left_out, int((here & ~use).sum())
    )


def choose(nets: list[dict[str, Any]], how_many: int) -> list[str]:
    """One network of each of the best-filled domains: real before simulated, the median size of n >= 50."""
    usable = [r for r in nets if r["duplicate_of"] is None and r["n"] >= 50]
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for r in usable:
        groups.setdefault((r["evidence"], r["domain"]), []).append(r)
    best = sorted(groups.items(), key=lambda g: (g[0][0], -len(g[1]), g[0][1]))[:how_many]
    middle = [sorted(rows, key=lambda r: (r["n"], r["net_id"]))[len(rows) // 2] for _, rows in best]
    return [r["net_id"] for r in middle]


def graphs(edges: Sequence[Path], sizes: dict[str, int]) -> dict[str, Graph]:
    """net_id -> Graph of the networks in `sizes` (net_id -> n), out of shards of core_networks__edges."""
    wanted = pa.array(sorted(sizes), pa.string())
    out = {}
    for path in edges:
        table = read_table(path, columns=("net_id", "src", "dst"))
        table = table.filter(pc.is_in(table["net_id"], wanted))
        names = table["net_id"].to_numpy(zero_copy_only=False).astype(str)
        src, dst = table["src"].to_numpy(), table["dst"].to_numpy()
        for name in sorted(set(names.tolist())):
            here = names == name
            out[name] = from_links(sizes[name], src[here], dst[here])
    return out


def orders(
    curves: Sequence[Path], wanted: Iterable[str], mode: str, reinsert: str
) -> dict[tuple[str, str], np.ndarray]:
    """(net_id, method) -> removed nodes in order up to the stop, int32, of the wanted networks.

    The stop is the first step that leaves a tenth of the nodes or less; only finished runs have curves.
    """
    columns = ("net_id", "method", "mode", "reinsert", "step", "node", "lcc")
    names = pa.array(sorted(wanted), pa.string())
    steps: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    for path in curves:
        table = read_table(path, columns)
        same = pc.and_(pc.equal(table["mode"], mode), pc.equal(table["reinsert"], reinsert))
        for r in table.filter(pc.and_(pc.is_in(table["net_id"], names), same)).to_pylist():
            steps.setdefault((r["net_id"], r["method"]), []).append((r["step"], r["node"], r["lcc"]))
    out = {}
    for key, points in steps.items():
        points.sort()
        stop = stop_size(points[0][2], 0.1)
        last = next((step for step, _, lcc in points if lcc <= stop), points[-1][0])
        out[key] = np.array([node for step, node, _ in points if 0 < step <= last], dtype=np.int32)
    return out


def write_rows(path: Path, name: str, rows: list[dict[str, Any]]) -> None:
    """Write rows of a table under its contract; float NaN becomes null."""
    agreed = contract(name)
    for r in rows:
        for key, value in r.items():
            if isinstance(value, float) and np.isnan(value):
                r[key] = None
    table = pa.Table.from_pylist(rows, schema=agreed.arrow_schema())
    write_table(path, table, agreed.arrow_schema(), agreed.key)
