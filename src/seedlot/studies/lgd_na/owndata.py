"""A user's own network, removal order, node costs and outside method, read for one dismantling call."""

from __future__ import annotations

import csv
import logging
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from seedlot.config.errors import SeedlotError, nearest
from seedlot.formats.graphs.detect import detect
from seedlot.formats.graphs.model import RawGraph
from seedlot.formats.graphs.registry import read_graphs, select
from seedlot.sources.networks.simplify import simplify
from seedlot.studies.lgd_na.graph import Graph, from_links

Label = str | int
log = logging.getLogger("seedlot")
HEADS = ("label", "node", "name", "id")


@dataclass(frozen=True)
class OwnNetwork:
    """The largest component of a user's network as a simple graph.

    name: file stem, or the name given. n, m: nodes and links of the whole simple graph. graph: the largest
    component. labels: its original labels by node, numbers where the file has bare numbers. rejected: records
    refused by the reader. remarks: what a user should know of how the file was read, a line each.
    """

    name: str
    n: int
    m: int
    graph: Graph
    labels: list[Label]
    rejected: int
    remarks: tuple[str, ...] = ()
    raw: RawGraph | None = field(default=None, repr=False)

    @cached_property
    def outside(self) -> frozenset[str]:
        """Labels of the nodes of the file that are not in the largest component."""
        if self.raw is None:
            return frozenset()
        return frozenset(map(self.raw.label, range(self.raw.n))) - set(map(str, self.labels))

    def node_of(self) -> dict[str, int]:
        """Label as text -> node; a label that occurs twice is a SeedlotError."""
        out = {str(label): node for node, label in enumerate(self.labels)}
        if len(out) != len(self.labels):
            twice = next(s for s in out if [str(x) for x in self.labels].count(s) > 1)
            raise SeedlotError(
                f"label '{twice}' names several nodes of {self.name}", todo="make labels unique"
            )
        return out


def read_network(
    path: str | Path, fmt: str | None = None, reader_args: dict[str, Any] | None = None
) -> OwnNetwork:
    """Read a network file in any known format (default: detected) and simplify it.

    reader_args: what docs/formats.md calls reader arguments, such as member, network, header or delimiter.
    """
    path = Path(path)
    if not path.is_file():
        if path.is_dir():
            raise SeedlotError(f"'{path}' is a folder", todo="name the files in it")
        if path.exists() or str(path) == "-":
            raise SeedlotError(f"'{path}' is a pipe", todo="write it into a file first")
        raise SeedlotError(f"no file '{path}'")
    args = dict(reader_args or {})
    graphs = read_graphs(path, fmt or detect(path, args.get("member")), args)
    raw = select(graphs, args.get("network", 1), str(path))
    remarks = [_refusal(raw)] if raw.rejects else []
    if len(graphs) > 1 and "network" not in args:
        remarks.append(
            f"the first of {len(graphs)} networks; another by the reader argument network=NUMBER or NAME"
        )
    network = _own(raw, path.name.split(".")[0], numbers=_are_numbers(raw.labels))
    return replace(network, remarks=tuple(remarks), raw=raw)


def from_pairs(pairs: Iterable[tuple[Any, Any]], name: str = "network") -> OwnNetwork:
    """A network out of pairs of labels (text or integers; a networkx Graph's .edges will do), simplified.

    Integer labels are nodes in ascending order, as in a file of bare numbers; others in order of first mention.
    """
    flat = [end for pair in pairs for end in tuple(pair)[:2]]
    integers = all(isinstance(x, int | np.integer) for x in flat)
    order = sorted(set(flat)) if integers else list(dict.fromkeys(flat))
    index = {label: i for i, label in enumerate(order)}
    ends = np.array([index[x] for x in flat], np.int64).reshape(-1, 2)
    labels = [str(label) for label in order]
    raw = RawGraph(name, len(order), labels, 0, ends[:, 0], ends[:, 1], False, read=len(ends), kept=len(ends))
    return _own(raw.check(), name, numbers=integers)


def _own(raw: RawGraph, name: str, numbers: bool) -> OwnNetwork:
    """The largest component of a raw network; its labels as numbers if they are meant to be."""
    simple = simplify(raw)
    if simple.m == 0:
        raise SeedlotError(
            f"'{name}' has no link between two different nodes, so there is nothing to dismantle"
        )
    labels: list[Label] = list(simple.node_labels())
    if numbers:
        labels = [int(label) for label in labels]
    graph = from_links(simple.n, simple.src, simple.dst)
    return OwnNetwork(name, simple.n_raw, simple.links_simple, graph, labels, len(raw.rejects))


def _refusal(raw: RawGraph) -> str:
    first = raw.rejects[0]
    place = f"line {first.line}" if first.line is not None else f"record {first.record}"
    return f"{len(raw.rejects)} of {raw.read} records refused, the first: {place}, {first.reason}, {first.text!r}"


def _are_numbers(labels: list[str] | None) -> bool:
    """Whether all labels are whole numbers in their shortest spelling (so `007` stays text)."""
    return labels is None or all(re.fullmatch("0|-?[1-9][0-9]{0,17}", label) for label in labels)


def read_order(path: str | Path, network: OwnNetwork) -> np.ndarray:
    """Nodes in the order of the labels in a CSV file, int32.

    The column is the one headed `label`, `node`, `name` or `id`, without such a header the first. Nodes outside
    the largest component are passed over, with a warning that counts them. Raises SeedlotError for an unknown
    or repeated label, with its line.
    """
    rows = [(line, row) for line, row in _csv_rows(path) if row]
    node_of = network.node_of()
    column = 0
    if rows:
        head = [cell.lower() for cell in rows[0][1]]
        named = [k for k, cell in enumerate(head) if cell in HEADS and rows[0][1][k] not in node_of]
        if named:
            column, rows = named[0], rows[1:]
    cells = [(line, row[column]) for line, row in rows if len(row) > column and row[column]]
    inside = [cell for cell in cells if cell[1] in node_of or cell[1] not in network.outside]
    if len(inside) < len(cells):
        log.warning(
            "%s: %d nodes are outside the largest component, passed over", path, len(cells) - len(inside)
        )
    return _nodes(inside, node_of, str(path))


def _csv_rows(path: str | Path) -> list[tuple[int, list[str]]]:
    """(line, stripped cells) of a CSV file in UTF-8. Raises SeedlotError for a file that is none."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return [(line, [c.strip() for c in row]) for line, row in enumerate(csv.reader(text.splitlines()), 1)]
    except (UnicodeDecodeError, csv.Error) as err:
        raise SeedlotError(f"not a CSV file in UTF-8: {err}", where=str(path)) from None
    except OSError as err:
        raise SeedlotError(f"cannot read '{path}': {err.strerror}") from None


def read_costs(path: str | Path, column: str, network: OwnNetwork) -> np.ndarray:
    """Cost of every node, float64 [n], from the named column of a CSV whose first column holds the labels.

    Raises SeedlotError for a node without a cost or with two, and for costs that are not finite and positive.
    """
    rows = [(line, row) for line, row in _csv_rows(path) if row]
    names = rows[0][1] if rows else []
    if column not in names:
        close = nearest(column, names)
        raise SeedlotError(
            f"no column '{column}'", where=str(path), todo=f"did you mean '{close}'?" if close else None
        )
    at, cost = names.index(column), {}
    for line, row in rows[1:]:
        where = f"{path}:{line}"
        if len(row) <= at:
            raise SeedlotError(
                f"the row has {len(row)} cells, column '{column}' is number {at + 1}", where=where
            )
        if row[0] in cost:
            raise SeedlotError(f"node '{row[0]}' has two costs", where=where)
        try:
            cost[row[0]] = float(row[at])
        except ValueError:
            raise SeedlotError(
                f"the cost '{row[at]}' of node '{row[0]}' is not a number", where=where
            ) from None
    missing = [str(label) for label in network.labels if str(label) not in cost]
    if missing:
        raise SeedlotError(f"{len(missing)} nodes have no cost, the first is '{missing[0]}'", where=str(path))
    values = np.array([cost[str(label)] for label in network.labels])
    if not np.all(np.isfinite(values)) or values.min() < 0 or values.sum() == 0:
        raise SeedlotError(
            "costs must be finite, not negative, and not all zero", where=f"{path}, column {column}"
        )
    return values


def command_order(command: str, network: OwnNetwork, time_limit: float | None) -> np.ndarray | None:
    """Removal order of an outside command, int32, or None when it ran out of time.

    `{edges}` in the command stands for a file with one link `i j` a line, nodes 0..n-1 by their place in
    the input. The command prints node numbers, one a line, first removal first. No shell is involved.
    """
    if "{edges}" not in command:
        raise SeedlotError("--method-cmd must contain {edges}", todo="for example './mine {edges}'")
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder) / "edges.txt"
        np.savetxt(edges, np.column_stack(network.graph.links()), fmt="%d")
        try:
            words = [word.replace("{edges}", str(edges)) for word in shlex.split(command)]
        except ValueError as err:
            raise SeedlotError(f"--method-cmd cannot be split into words: {err}", where=command) from None
        # A session of its own, so that what the command starts in its turn can be ended with it.
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
        try:
            process = subprocess.Popen(words, start_new_session=True, **streams)
        except OSError as err:
            raise SeedlotError(f"cannot start '{words[0]}': {err.strerror}") from None
        try:
            printed, said = process.communicate(timeout=time_limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None
    if process.returncode != 0:
        tail = said.strip().splitlines()[-1:] or ["no message"]
        raise SeedlotError(f"'{words[0]}' ended with status {process.returncode}: {tail[0]}")
    cells = [(line, text.strip()) for line, text in enumerate(printed.splitlines(), 1) if text.strip()]
    return _nodes(cells, {str(i): i for i in range(network.graph.n)}, f"output of {words[0]}")


def _nodes(cells: list[tuple[int, str]], node_of: dict[str, int], where: str) -> np.ndarray:
    """Nodes of (line, label) cells; refuses unknown and repeated labels and an empty list."""
    seen: dict[int, int] = {}
    for line, label in cells:
        if label not in node_of:
            close = nearest(label, node_of) if len(node_of) < 10_000 else None
            todo = f"did you mean '{close}'?" if close else None
            raise SeedlotError(f"no node '{label}'", where=f"{where}:{line}", todo=todo)
        if node_of[label] in seen:
            raise SeedlotError(f"node '{label}' is removed twice", where=f"{where}:{line}")
        seen[node_of[label]] = line
    if not seen:
        raise SeedlotError("the removal order is empty", where=where)
    return np.array(list(seen), np.int32)
