"""The batched torch path gives the engine's removal lists, on a CPU and, where there is one, on a GPU."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from tests.unit.studies.lgd_na.lgd_graphs import graph_of, random_graph

from seedlot.config.errors import SeedlotError
from seedlot.studies.lgd_na.engine import RULES, removal_order
from seedlot.studies.lgd_na.graph import from_links

torch = pytest.importorskip("torch")
torchpath = pytest.importorskip("seedlot.studies.lgd_na.torchpath")

GRAPHS = [random_graph(seed, 30) for seed in range(24)]
GRAPHS += [graph_of(nx.star_graph(60)), from_links(5, [], []), from_links(1, [], [])]
GRAPHS += [graph_of(nx.disjoint_union_all([nx.complete_graph(k) for k in (30, 22, 2)]))]


def same_as_engine(rule: str, dynamic: bool, device: str) -> None:
    found = torchpath.batched_orders(GRAPHS, rule, dynamic=dynamic, device=device, cells=60_000)
    for graph, order in zip(GRAPHS, found):
        assert order.tolist() == removal_order(graph, rule, dynamic=dynamic).tolist()


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("rule", list(RULES))
def test_batched_orders_equal_the_engine(rule, dynamic):
    same_as_engine(rule, dynamic, "cpu")


@pytest.mark.gpu
@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("rule", list(RULES))
def test_batched_orders_on_a_gpu_equal_the_engine(rule, dynamic):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    same_as_engine(rule, dynamic, "cuda")


def test_a_hub_whose_products_overflow_half_precision_still_goes_first():
    graph = graph_of(nx.star_graph(260))
    assert float(np.finfo(np.float16).max) < 260 * 260
    assert torchpath.batched_orders([graph], "ra2")[0][0] == 0


def test_batches_keep_every_graph_once_and_respect_the_cells():
    sizes = [3, 50, 7, 7, 20, 90]
    cut = list(torchpath.batches(sizes, 3000))
    assert sorted(k for batch in cut for k in batch) == list(range(6))
    assert all(len(batch) == 1 or len(batch) * max(sizes[k] for k in batch) ** 2 <= 3000 for batch in cut)


def test_an_unknown_rule_is_refused():
    with pytest.raises(SeedlotError, match="did you mean 'ra2'"):
        torchpath.batched_orders(GRAPHS, "ra3")
