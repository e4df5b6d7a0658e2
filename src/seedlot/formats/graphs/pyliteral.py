"""Networks written as literals in Python source, read from the syntax tree and never executed.

Own reader on the standard library's `ast`: a small data set that ships inside a package as code is data all
the same, and importing the package to get at it would run it. Inside a function (or the module) it
understands what such code is made of: `add_node(s_from)`, `add_edge(s_from)`, `add_weighted_edges_from`
with literal arguments or names bound to literals; dictionaries of neighbour lists; square blocks of integers
in a string. A record is one link as written. Both triangles of an integer block are read: where they
disagree by mistake (Zachary's matrix), either one counts. A function that also builds links by computing
(from another generator, with add_path, or with add_edge on variables where no block was read) would be read
in part only: it is refused when asked for by name and left out otherwise.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, field

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.model import RawGraph, Reject

MAX_SOURCE = 16 << 20
DIRECTED = ("DiGraph", "MultiDiGraph")
FROM_DICT = ("from_dict_of_lists", "from_dict_of_dicts")
EMPTY = ("Graph", "MultiGraph", "empty_graph", "null_graph", *DIRECTED, *FROM_DICT)
ADDING = ("add_edge", "add_edges_from", "add_weighted_edges_from", "add_node", "add_nodes_from")
COMPUTED = ("add_path", "add_cycle", "add_star", "remove_node", "remove_edge", "remove_edges_from", "compose")
Node = str | int


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The networks of a source file, one for each function that states links, in file order.

    args: function, the name of the only function to read, or variable, the name of a module-level literal
    (list of pairs, dictionary of lists, or square list of lists). Rejects: 'not_literal' (a link of which
    one end is no constant). Raises SeedlotError when the source does not parse or states no link.
    """
    graphs = [scope.graph() for scope in _scopes(data, args) if scope.read]
    if not graphs:
        raise SeedlotError("the Python source states no network", where=args.get("function"))
    return graphs


def _tree(data: bytes) -> ast.Module:
    if len(data) > MAX_SOURCE:
        raise SeedlotError(f"Python source of {len(data):,} bytes; the limit is {MAX_SOURCE:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(tokens.decode(data))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SeedlotError(f"not readable as Python: {type(error).__name__} {error}") from error


def _scopes(data: bytes, args: dict) -> list[Scope]:
    for key in args:
        if key not in ("format", "function", "variable"):
            raise unknown("reader option", key, ("function", "variable"))
    body = _tree(data).body
    if "variable" in args:
        values = [s.value for s in body if isinstance(s, ast.Assign) and _target(s) == args["variable"]]
        if not values:
            raise SeedlotError(f"the source has no module-level literal '{args['variable']}'")
        scope = Scope(args["variable"])
        scope.literal(values[-1])
        return [scope]
    functions = [s for s in body if isinstance(s, ast.FunctionDef)]
    wanted = args.get("function")
    if wanted is not None:
        functions = [f for f in functions if f.name == wanted]
        if not functions:
            raise unknown("function", wanted, [s.name for s in body if isinstance(s, ast.FunctionDef)])
    scopes = []
    for function in functions:
        reason = _computed(function)
        if reason is not None:
            if wanted is not None:
                raise SeedlotError(
                    f"'{wanted}' computes a part of its links ({reason}); only literals are read"
                )
            continue
        scope = Scope(function.name)
        scope.walk(function)
        scopes.append(scope)
    return scopes


def _target(node: ast.Assign) -> str | None:
    first = node.targets[0]
    return first.id if len(node.targets) == 1 and isinstance(first, ast.Name) else None


@dataclass
class Scope:
    """What one function states: nodes in order of appearance, links, refused links."""

    name: str
    nodes: dict[Node, int] = field(default_factory=dict)
    links: list[tuple[int, int, float]] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    names: dict[str, ast.expr] = field(default_factory=dict)
    directed: bool = False

    @property
    def read(self) -> int:
        return len(self.links) + len(self.rejects)

    def walk(self, function: ast.FunctionDef) -> None:
        """Statements of a function in source order, its string blocks and its calls."""
        parts = sorted(
            (p for p in ast.walk(function) if isinstance(p, (ast.Assign, ast.Call))),
            key=lambda p: (p.lineno, p.col_offset),
        )
        for part in parts:
            if isinstance(part, ast.Call):
                self._call(part)
            elif (name := _target(part)) is not None:
                self.names[name] = part.value
                block = _block(part.value)
                if block is not None:
                    self._matrix(block, part.lineno)

    def _call(self, call: ast.Call) -> None:
        what = _word(call)
        first = self._resolve(call.args[0]) if call.args else None
        if what in DIRECTED:
            self.directed = True
        elif what == "add_edge":
            weight = next((k.value for k in call.keywords if k.arg == "weight"), None)
            self._link(call.args[:2], weight, call)
        elif what in ("add_edges_from", "add_weighted_edges_from") and isinstance(first, SEQUENCE):
            for item in first.elts:
                ends = item.elts if isinstance(item, SEQUENCE) else []
                weight = ends[2] if len(ends) == 3 and what == "add_weighted_edges_from" else None
                self._link(ends[:2], weight, item)
        elif what == "add_node" and first is not None:
            self._node(first)
        elif what == "add_nodes_from" and isinstance(first, SEQUENCE):
            for item in first.elts:
                self._node(item)
        elif what == "add_nodes_from" and isinstance(first, ast.Call):
            self._range(first)
        elif what in FROM_DICT and isinstance(first, ast.Dict):
            self._lists(first)

    def _resolve(self, value: ast.expr) -> ast.expr:
        """The literal behind a name, and the argument of set(...), list(...), sorted(...)."""
        for _ in range(8):
            if isinstance(value, ast.Name) and value.id in self.names:
                value = self.names[value.id]
            elif _called(value) in ("set", "list", "sorted", "tuple") and len(value.args) == 1:
                value = value.args[0]
        return value

    def _range(self, call: ast.Call) -> None:
        """Nodes of range(n), with n in proportion to the source."""
        stop = call.args[0] if _called(call) == "range" and len(call.args) == 1 else None
        if isinstance(stop, ast.Constant) and isinstance(stop.value, int):
            for k in range(limits.check_nodes(stop.value, 0, f"line {call.lineno}")):
                self.nodes.setdefault(k, len(self.nodes))

    def _node(self, value: ast.expr) -> int | None:
        value = self._resolve(value)
        if not isinstance(value, ast.Constant) or type(value.value) not in (int, str):
            return None
        return self.nodes.setdefault(value.value, len(self.nodes))

    def _link(self, ends: list[ast.expr], weight: ast.expr | None, where: ast.expr) -> None:
        if not _stated(ends):
            return
        places = [self._node(end) for end in ends]
        if len(places) != 2 or None in places:
            text = f"link at line {where.lineno} column {where.col_offset}"
            self.rejects.append(Reject(where.lineno, self.read, "not_literal", text))
            limits.check_rejects(len(self.rejects), self.name)
            return
        self.links.append((*places, _number(weight)))

    def _lists(self, value: ast.Dict) -> None:
        for key, row in zip(value.keys, value.values):
            if key is not None:
                self._node(key)
            for item in _neighbours(row):
                self._link([key, item] if None not in (key, item) else [], None, value)

    def _matrix(self, block: np.ndarray, line: int) -> None:
        place = [self.nodes.setdefault(k, len(self.nodes)) for k in range(len(block))]
        for i, j in zip(*np.nonzero(block)):
            self.links.append((place[i], place[j], float(block[i, j])))

    def literal(self, value: ast.expr) -> None:
        """A module-level literal: pairs, dictionary of lists, or a square matrix."""
        value = self._resolve(value)
        block = _block(value)
        if block is not None:
            self._matrix(block, value.lineno)
        elif isinstance(value, ast.Dict):
            self._lists(value)
        elif isinstance(value, SEQUENCE):
            for item in value.elts:
                self._link(item.elts[:2] if isinstance(item, SEQUENCE) else [], None, item)

    def graph(self) -> RawGraph:
        """The network, labels as str in order of appearance."""
        src, dst, weight = (np.array([k[c] for k in self.links]) for c in range(3))
        return RawGraph(
            name=self.name,
            n=len(self.nodes),
            labels=[str(k) for k in self.nodes],
            id_base=0,
            src=src.astype(np.int64),
            dst=dst.astype(np.int64),
            directed=self.directed,
            weight=None if np.isnan(weight).all() else weight,
            read=self.read,
            kept=len(self.links),
            rejects=self.rejects,
        )


SEQUENCE = (ast.List, ast.Tuple, ast.Set)


def _stated(ends: list[ast.expr]) -> bool:
    """A link is data when at least one of its ends is a constant; add_edge(row, column) in a loop is code."""
    return any(isinstance(end, ast.Constant) for end in ends)


def _word(call: ast.Call) -> str:
    """The last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _computed(function: ast.FunctionDef) -> str | None:
    """The name of the call by which a function computes links, or None when it states all of them."""
    calls = [p for p in ast.walk(function) if isinstance(p, ast.Call)]
    added = [c for c in calls if _word(c) in ADDING and isinstance(c.func, ast.Attribute)]
    graphs = {c.func.value.id for c in added if isinstance(c.func.value, ast.Name)}
    made = [p for p in ast.walk(function) if isinstance(p, ast.Assign) and _target(p) in graphs]
    block = any(_block(p.value) is not None for p in ast.walk(function) if isinstance(p, ast.Assign))
    loose = [c for c in added if _word(c) == "add_edge" and not _stated(c.args[:2])]
    for call in (p.value for p in made if isinstance(p.value, ast.Call)):
        if _word(call) not in EMPTY:
            return _word(call)
    if loose and not block:
        return "add_edge on variables"
    return next((_word(c) for c in calls if _word(c) in COMPUTED), None)


def _called(value: ast.expr) -> str | None:
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None


def _neighbours(row: ast.expr) -> list[ast.expr | None]:
    return row.keys if isinstance(row, ast.Dict) else row.elts if isinstance(row, SEQUENCE) else []


def _number(value: ast.expr | None) -> float:
    plain = value.value if isinstance(value, ast.Constant) else None
    return float(plain) if type(plain) in (int, float) and abs(plain) < 2**1000 else np.nan


def _block(value: ast.expr) -> np.ndarray | None:
    """(n, n) int64 of a string or list of lists that is a square block of at least 2 x 2 integers."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        rows = [line.split() for line in value.value.strip().split("\n")]
        if len(rows) < 2 or not all(re.fullmatch(r"-?\d{1,15}", cell) for row in rows for cell in row):
            return None
    elif isinstance(value, ast.List) and all(isinstance(row, ast.List) for row in value.elts):
        rows = [[getattr(cell, "value", None) for cell in row.elts] for row in value.elts]
        if len(rows) < 3 or not all(type(c) is int and abs(c) < 10**15 for row in rows for c in row):
            return None
    else:
        return None
    return np.array(rows, np.int64) if all(len(row) == len(rows) for row in rows) else None


def count(data: bytes, args: dict) -> int:
    """Links by kind of syntax, each kind counted on its own, without building any node."""
    tree = _tree(data)
    if "variable" in args:
        values = [s.value for s in tree.body if isinstance(s, ast.Assign) and _target(s) == args["variable"]]
        return _size(values[-1], {}) if values else 0
    total = 0
    for function in tree.body:
        wanted = isinstance(function, ast.FunctionDef) and args.get("function") in (None, function.name)
        if wanted and _computed(function) is None:
            total += _count_in(function)
    return total


def _count_in(function: ast.FunctionDef) -> int:
    total, bound = 0, {}
    parts = [p for p in ast.walk(function) if isinstance(p, (ast.Assign, ast.Call))]
    for part in sorted(parts, key=lambda p: (p.lineno, p.col_offset)):
        if isinstance(part, ast.Assign):
            if _target(part) is not None:
                bound[_target(part)] = part.value
                block = _block(part.value)
                total += 0 if block is None else int(np.count_nonzero(block))
            continue
        what = _word(part)
        if what == "add_edge":
            total += _stated(part.args[:2])
        elif what.endswith("edges_from") and what.startswith("add_") and part.args:
            total += _size(part.args[0], bound, dictionary=False)
        elif what in FROM_DICT and part.args:
            total += _size(part.args[0], bound, sequence=False)
    return total


def _size(value: ast.expr, bound: dict, *, dictionary: bool = True, sequence: bool = True) -> int:
    for _ in range(8):
        if isinstance(value, ast.Name) and value.id in bound:
            value = bound[value.id]
        elif _called(value) in ("set", "list", "sorted", "tuple") and len(value.args) == 1:
            value = value.args[0]
    if isinstance(value, ast.Dict):
        rows = (
            [(k, v) for k, row in zip(value.keys, value.values) for v in _neighbours(row)]
            if dictionary
            else []
        )
        return sum(None not in (k, v) and _stated([k, v]) for k, v in rows)
    block = _block(value)
    if block is not None and dictionary:
        return int(np.count_nonzero(block))
    rows = value.elts if isinstance(value, SEQUENCE) and sequence else []
    return sum(isinstance(row, SEQUENCE) and _stated(row.elts[:2]) for row in rows)
