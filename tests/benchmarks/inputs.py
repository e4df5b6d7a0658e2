"""Random graphs and their files for the benchmarks; all are functions of their size."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from seedlot.sources.networks.rawfiles import raw_file


def skewed_links(m: int, nodes_per_link: float = 0.2) -> tuple[int, np.ndarray]:
    """(n, links int64 [m, 2]): uneven degrees, shuffled ids, a few loops and repeats, some ids without link."""
    rng, n = np.random.default_rng(1), int(m * nodes_per_link)
    name = rng.permutation(n)
    src, dst = name[(n * rng.random(m) ** 2).astype(np.int64)], name[(n * rng.random(m)).astype(np.int64)]
    again = rng.integers(m, size=m // 50)
    src[: len(again)], dst[: len(again)] = src[again], dst[again]
    return n, np.column_stack((src, dst))


def write_integers(folder: Path, m: int) -> None:
    """edges.txt: two integers a line, blank between."""
    _, links = skewed_links(m)
    text = "%d %d\n" * m % tuple(links.ravel().tolist())
    (folder / "edges.txt").write_text(text)


def write_labels(folder: Path, m: int) -> None:
    """edges.txt: two names a line."""
    _, links = skewed_links(m)
    text = "gene%d_HUMAN gene%d_HUMAN\n" * m % tuple(links.ravel().tolist())
    (folder / "edges.txt").write_text(text)


def write_format(fmt: str, ending: str):
    """A function that writes graph.<ending> in a format of the catalogue, without loops or repeats."""

    def write(folder: Path, m: int) -> None:
        n, links = skewed_links(m)
        low, high = links.min(axis=1), links.max(axis=1)
        keys = np.unique((low * n + high)[low != high])
        pairs = list(zip((keys // n).tolist(), (keys % n).tolist()))
        (folder / f"graph.{ending}").write_bytes(raw_file(fmt, "benchmark", n, pairs).data)

    return write


def write_pajek(folder: Path, m: int) -> None:
    """graph.net with quoted labels and all links below *Edges, the one layout that every reader gets right."""
    n, links = skewed_links(m)
    vertices = "".join(f'{i + 1} "node {i}"\n' for i in range(n))
    edges = "%d %d 1\n" * m % tuple((links + 1).ravel().tolist())
    (folder / "graph.net").write_text(f"*Vertices {n}\n{vertices}*Edges\n{edges}")


def erdos_renyi(n: int, m: int) -> tuple[int, np.ndarray, np.ndarray]:
    """(n, src, dst) with m distinct links."""
    rng, keys = np.random.default_rng(2), np.empty(0, np.int64)
    while len(keys) < m:
        i, j = rng.integers(n, size=(2, m + m // 5))
        low, high = np.minimum(i, j), np.maximum(i, j)
        keys = np.union1d(keys, (low * n + high)[low != high])
    keys = rng.permutation(keys)[:m]
    return n, keys // n, keys % n


def barabasi_albert(n: int, m: int) -> tuple[int, np.ndarray, np.ndarray]:
    """(n, src, dst) of about m links by preferential attachment; repeats within one node's draw are dropped."""
    rng, each = np.random.default_rng(3), m // n
    ends = np.empty(2 * each * (n - each), np.int64)
    draw = rng.random((n, each))
    filled, targets = 0, np.arange(each)
    for new in range(each, n):
        if filled:
            targets = ends[(draw[new] * filled).astype(np.int64)]
        ends[filled : filled + each], ends[filled + each : filled + 2 * each] = targets, new
        filled += 2 * each
    pairs = ends.reshape(-1, 2, each)
    keys = np.unique(pairs[:, 0].ravel() * n + pairs[:, 1].ravel())
    return n, keys // n, keys % n


def geometric(n: int, m: int) -> tuple[int, np.ndarray, np.ndarray]:
    """(n, src, dst) of about m links: random points of the unit square closer than a radius."""
    from scipy.spatial import cKDTree

    points = np.random.default_rng(4).random((n, 2))
    pairs = cKDTree(points).query_pairs(np.sqrt(2 * m / n / (np.pi * n)), output_type="ndarray")
    return n, pairs[:, 0], pairs[:, 1]


FAMILIES = {"er": erdos_renyi, "ba": barabasi_albert, "geometric": geometric}


def save_family(folder: Path, family: str, n: int, m: int) -> None:
    """<family>-<m>.npz with n, src, dst."""
    n, src, dst = FAMILIES[family](n, m)
    np.savez(folder / f"{family}-{m}.npz", n=n, src=src, dst=dst)


def load_family(folder: Path, family: str, m: int):
    """The saved graph as the study's Graph."""
    from seedlot.studies.lgd_na.graph import from_links

    with np.load(folder / f"{family}-{m}.npz") as saved:
        return from_links(int(saved["n"]), saved["src"], saved["dst"])
