"""What the cost models of the methods know of a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seedlot.studies.lgd_na.graph import Graph


@dataclass(frozen=True, eq=False)
class Size:
    """A network that is to be dismantled to `stop` nodes, as its cost models see it: n nodes, m links and more.

    What is more than counting is found when it is first asked for, in about the time of one attack by degree.
    """

    graph: Graph
    stop: int

    @property
    def n(self) -> int:
        return self.graph.n

    @property
    def m(self) -> int:
        return self.graph.m

    @property
    def product(self) -> int:
        """Work of one sparse matrix-vector product: links, nodes twice, and what a call costs anyway."""
        return self.m + 2 * self.n + 4000

    @cached_property
    def pairs(self) -> int:
        """Walks of two steps: the sum of squared degrees."""
        return int((self.graph.degree**2).sum())

    @property
    def removals(self) -> int:
        """Nodes that dynamic degree takes to reach the stop, a stand-in for what any good attack takes."""
        return self._by_degree[0]

    @property
    def walks(self) -> float:
        """Walks of two steps that are left, summed over these removals."""
        return self._by_degree[1]

    @cached_property
    def _by_degree(self) -> tuple[int, float]:
        from seedlot.studies.lgd_na.curve import component_curve
        from seedlot.studies.lgd_na.engine import removal_order
        from seedlot.studies.lgd_na.walks import walks_left

        graph, order = self.graph, removal_order(self.graph, "degree", dynamic=True)
        removals = int(np.argmax(component_curve(graph, order)[0] <= self.stop))
        return removals, float(walks_left(graph.indptr, graph.indices, order[:removals]).sum())
