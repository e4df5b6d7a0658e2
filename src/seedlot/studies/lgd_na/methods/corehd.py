"""CoreHD: take the node with most links inside the 2-core until the core is gone, then break the trees.

Trees are broken largest first at the node whose removal leaves the smallest largest piece. Putting nodes
back, the usual third stage, is the reinsertion that every method can be combined with.
"""

import numpy as np

from seedlot.studies.lgd_na.forest import break_trees, core_order
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size


def _order(graph, mode, context):
    taken = core_order(graph.indptr, graph.indices)
    alive = np.ones(graph.n, np.bool_)
    alive[taken] = False
    return np.concatenate([taken, break_trees(graph.indptr, graph.indices, alive)])


def _seconds(size: Size, mode: str) -> float:
    return 1e-8 * size.m + 5e-8 * size.n * max(np.log2(max(size.n, 2)), 1.0)


METHOD = Method("corehd", "CoreHD", _order, _seconds, modes=("dynamic",), tie_rules=("exact",))
