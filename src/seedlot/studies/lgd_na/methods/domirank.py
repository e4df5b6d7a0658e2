"""DomiRank with sigma = 0.5 / |smallest eigenvalue|: solves (sigma A + I) x = sigma A 1.

At this sigma the matrix is positive definite with no eigenvalue below one half, so conjugate gradients
converge in a few dozen sweeps.
"""

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, cg, eigsh

from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.method import Method
from seedlot.studies.lgd_na.size import Size
from seedlot.studies.lgd_na.stepwise import order_by_scores

_DENSE = 200  # below, all eigenvalues of the dense matrix are cheaper than a Lanczos run


def smallest_eigenvalue(graph: Graph) -> float:
    """Smallest eigenvalue of the adjacency matrix (0.0 without links)."""
    if graph.m == 0:
        return 0.0
    matrix = graph.matrix()
    if graph.n <= _DENSE:
        return float(np.linalg.eigvalsh(matrix.toarray())[0])
    start = np.random.default_rng(0).standard_normal(graph.n)
    try:
        return float(eigsh(matrix, k=1, which="SA", v0=start, tol=1e-10, return_eigenvectors=False)[0])
    except ArpackNoConvergence as err:
        found = err.eigenvalues
        return float(found.min()) if len(found) else -float(np.sqrt(graph.degree.max()))


def scores(graph: Graph) -> np.ndarray:
    """DomiRank, float64 [n]; zeros when there is no link."""
    lowest = smallest_eigenvalue(graph)
    if lowest >= 0.0:
        return np.zeros(graph.n)
    sigma, matrix = 0.5 / abs(lowest), graph.matrix()
    operator = LinearOperator(matrix.shape, matvec=lambda x: sigma * (matrix @ x) + x, dtype=np.float64)
    solution, _ = cg(operator, sigma * graph.degree, rtol=1e-12, maxiter=500)
    return solution


def _seconds(size: Size, mode: str) -> float:
    if mode == "static":
        return 4e-6 * size.n + 1e-7 * size.m + 1.5e-2
    return 5e-7 * size.product * size.removals


METHOD = Method(
    "domirank", "DomiRank", lambda g, mode, c: order_by_scores(g, mode, c, scores), _seconds, whole=False
)
