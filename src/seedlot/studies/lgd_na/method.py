"""What a dismantling method is, and how methods are found: by listing the folder methods/."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.size import Size

MODES = ("dynamic", "static")
FOLDER = Path(__file__).resolve().parent / "methods"


@dataclass(frozen=True)
class Context:
    """What a method may know beside the graph.

    stop: LCC size (nodes) at which the network counts as dismantled. ties: tie rule asked for. seed and
    net_id: the random methods draw from `rng`, so a network gets the same numbers in every run and shard.
    """

    stop: int
    ties: str = "exact"
    seed: int = 0
    net_id: str = ""

    def rng(self, purpose: str) -> np.random.Generator:
        """Generator for one purpose, a function of (seed, net_id, purpose)."""
        text = f"{self.seed}\n{self.net_id}\n{purpose}".encode()
        return np.random.default_rng(int.from_bytes(hashlib.sha256(text).digest()[:16], "little"))


@dataclass(frozen=True)
class Method:
    """One dismantling method, the object METHOD of methods/<name>.py.

    order(graph, mode, context) gives all nodes in removal order, int32 [n]; beyond the stop a method may
    finish with its last scores. seconds(size, mode): predicted CPU seconds (one core of 2024), the cost
    model that the budget is held against. tie_rules: the first is the default; `exact` compares integers
    or fractions, `close` takes floats within 1e-9 of the maximum as equal; either way the lowest index wins.
    max_links: beyond it the method is not run, whatever the budget (memory). whole: its dynamic order is its
    own down to the last node; where it is not, r_schneider, which looks at the whole order, is not given.
    """

    name: str
    title: str
    order: Callable[[Graph, str, Context], np.ndarray]
    seconds: Callable[[Size, str], float]
    modes: tuple[str, ...] = MODES
    tie_rules: tuple[str, ...] = ("close",)
    max_links: int = 200_000_000
    whole: bool = True

    def tie_rule(self, wanted: str) -> str:
        """The tie rule this method uses when `wanted` is asked for: that one if it has it, else its default."""
        return wanted if wanted in self.tie_rules else self.tie_rules[0]


def method_names() -> list[str]:
    """Names of all methods, sorted, without importing any."""
    return sorted(p.stem for p in FOLDER.glob("[a-z]*.py"))


def load_method(name: str) -> Method:
    """The method of that name; raises SeedlotError naming the nearest one."""
    if name not in method_names():
        raise unknown("method", name, method_names())
    method = importlib.import_module(f"seedlot.studies.lgd_na.methods.{name}").METHOD
    if method.name != name:
        raise SeedlotError(f"methods/{name}.py defines method '{method.name}'", todo="give both one name")
    return method
