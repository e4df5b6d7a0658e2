"""Random removal: one permutation for each network and seed, the same in both modes."""

import numpy as np

from seedlot.studies.lgd_na.method import Method

METHOD = Method(
    "random",
    "Random",
    lambda graph, mode, context: context.rng("random").permutation(graph.n).astype(np.int32),
    lambda size, mode: 1e-7 * size.n,
    tie_rules=("exact",),
)
