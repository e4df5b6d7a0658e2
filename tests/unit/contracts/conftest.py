"""A package folder with two toy contracts, and small tables that keep or break them."""

from pathlib import Path

import pyarrow as pa
import pytest

from seedlot.contracts import model
from seedlot.store.job import Job
from seedlot.store.parquet import write_table

NODES = """
name: core_toy__nodes
version: 1.0.0
title: Nodes of toy networks
description: Every node of every network.
unit_of_observation: one node
key: [net, node]
columns:
  - {name: net, type: string, description: "Network.", pattern: "[a-z]+"}
  - {name: node, type: int32, description: "Number of the node.", min: 0}
  - {name: kind, type: string, description: "What it is.", nullable: true, allowed: [station, hub]}
  - {name: seconds, type: float64, description: "Time to place it.", unit: s, volatile: true, min: 0}
limits: {max_reject_share: 0.1, max_failed_share: 0.0}
"""
EDGES = """
name: core_toy__edges
version: 2.1.0
title: Links of toy networks
description: Every link, once.
unit_of_observation: one link
key: [net, src, dst]
columns:
  - {name: net, type: string, description: "Network."}
  - {name: src, type: int32, description: "Smaller end.", min: 0, max: 1000}
  - {name: dst, type: int32, description: "Larger end.", min: 0}
  - {name: weight, type: float64, description: "Length of the link.", unit: km, nullable: true, min: 0.5}
references:
  - {columns: [net, src], table: core_toy__nodes, to: [net, node]}
  - {columns: [net, dst], table: core_toy__nodes, to: [net, node]}
checks:
  - {name: src_lt_dst, expr: "src < dst"}
  - {name: mostly_short, expr: "weight < 10", tolerance: 0.25}
"""


@pytest.fixture
def edges_text() -> str:
    """The contract of core_toy__edges as YAML."""
    return EDGES


@pytest.fixture
def toys(tmp_path, monkeypatch) -> Path:
    """A package folder holding the two contracts; contracts are looked up there."""
    folder = tmp_path / "package" / "sources" / "toy" / "contracts"
    folder.mkdir(parents=True)
    (folder / "core_toy__nodes.yaml").write_text(NODES)
    (folder / "core_toy__edges.yaml").write_text(EDGES)
    monkeypatch.setattr(model, "PACKAGE", tmp_path / "package")
    return folder


class World:
    """Writes shards and runs entries in a results folder."""

    def __init__(self, root: Path):
        self.root = root

    def shard(self, table: str, name: str, rows: list[dict]) -> Path:
        promised = model.contract(table)
        path = self.root / table / f"{name}.parquet"
        schema = promised.arrow_schema()
        write_table(path, pa.Table.from_pylist(rows, schema=schema), schema, promised.key)
        return path

    @staticmethod
    def nodes(net: str, count: int) -> list[dict]:
        """Rows of a network's nodes 0..count-1."""
        kinds = ["hub"] + [None] * (count - 1)
        return [{"net": net, "node": i, "kind": kinds[i], "seconds": 0.1 * i} for i in range(count)]

    @staticmethod
    def star(net: str, count: int) -> list[dict]:
        """Rows of the links from node 0 to each other node, link i of length i."""
        return [{"net": net, "src": 0, "dst": i, "weight": float(i)} for i in range(1, count)]

    def run(self, entry, inputs: dict, outputs: dict, **params) -> None:
        entry(Job(rule="test", input=inputs, output=outputs, params=params, root=self.root))


@pytest.fixture
def world(toys, tmp_path) -> World:
    return World(tmp_path / "results")
