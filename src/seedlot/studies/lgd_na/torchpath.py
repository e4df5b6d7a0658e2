"""Removal orders of the local rules for many small graphs at once, on a CPU or a GPU, by torch.

Graphs of like size are padded into dense batches [B, N, N]. Removing a node takes one outer product off the
common-neighbour counts, so a whole order costs O(N^3) a graph without any search. Scores are float64 sums of
non-negative terms, whose relative error is below (N + 4) 2^-53 in any order of summation, and beside each the
same sum modulo 2^64 of the 2-adic fractions (see engine.py). Nodes within the error of the maximum are
candidates; equal images prove a tie, and what they cannot prove is decided in fractions, one graph at a time. The
orders are those of the engine with exact ties. Counts stay in int64 and scores in float64: half precision
overflows at (d - c)(d - c) > 65,504, a hub of degree 256.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import torch

from seedlot.config.errors import unknown
from seedlot.studies.lgd_na.engine import RULES
from seedlot.studies.lgd_na.graph import Graph
from seedlot.studies.lgd_na.unitfractions import safe_gaps, two_adic

CELLS = 8_000_000  # cells of one batch; its handful of working arrays hold 8 bytes for each


def batched_orders(
    graphs: Sequence[Graph], rule: str, *, dynamic: bool = True, device: str = "cpu", cells: int = CELLS
) -> list[np.ndarray]:
    """The removal order of each graph, int32 [n], in the order given; equal to engine.removal_order.

    rule: ra2, ra2num, cnd or degree. device: a torch device. cells: largest number of padded matrix cells in
    one batch; a graph above it is a batch of its own.
    """
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    orders: list[np.ndarray] = [np.empty(0, np.int32)] * len(graphs)
    for places in batches([graph.n for graph in graphs], cells):
        batch = [graphs[k] for k in places]
        for place, order in zip(places, _batch_orders(batch, rule, dynamic, torch.device(device))):
            orders[place] = order
    return orders


def batches(sizes: Sequence[int], cells: int) -> Iterator[list[int]]:
    """Positions of graphs by ascending size, cut where count * largest^2 would pass `cells`."""
    batch: list[int] = []
    for k in sorted(range(len(sizes)), key=lambda k: (sizes[k], k)):
        if batch and (len(batch) + 1) * sizes[k] ** 2 > cells:
            yield batch
            batch = []
        batch.append(k)
    if batch:
        yield batch


def _batch_orders(
    graphs: Sequence[Graph], rule: str, dynamic: bool, device: torch.device
) -> list[np.ndarray]:
    """Orders of one batch of padded graphs."""
    count, width = len(graphs), max(graph.n for graph in graphs)
    links = torch.zeros((count, width, width), dtype=torch.int64)
    alive = torch.zeros((count, width), dtype=torch.bool)
    for b, graph in enumerate(graphs):
        alive[b, : graph.n] = True
        links[b, np.repeat(np.arange(graph.n), graph.degree), graph.indices.astype(np.int64)] = 1
    links, alive = links.to(device), alive.to(device)
    as_float = links.double()
    shared = torch.bmm(as_float, as_float).long() * links  # exact: integers below 2^53
    top = int(shared.max()) + 1 if width else 1
    scale_bits, adic = two_adic(top)
    tables = torch.from_numpy(adic).to(device), float(safe_gaps(top, scale_bits)[top])
    rows, order = torch.arange(count, device=device), torch.full((count, width), -1, dtype=torch.int64)
    value = None
    for step in range(width):
        if dynamic or value is None:
            value, image = _scores(links, shared, rule, tables[0])
        best = _first_maximum(value, image, alive, links, shared, rule, tables[1])
        running = alive.any(dim=1)
        order[:, step] = torch.where(running, best, -1).cpu()
        alive[rows, best] = False
        if dynamic:
            gone = links[rows, best].clone()  # after the removal each pair of its neighbours shares one less
            links[rows, best, :] = 0
            links[rows, :, best] = 0
            shared = (shared - gone[:, :, None] * gone[:, None, :]) * links
    return [order[b, : graph.n].numpy().astype(np.int32) for b, graph in enumerate(graphs)]


def _scores(links, shared, rule: str, adic) -> tuple[torch.Tensor, torch.Tensor]:
    """(value, image), both [B, N]; for the integer rules both hold the score itself."""
    degree = links.sum(dim=2)
    if rule == "degree":
        return degree, degree
    if rule == "cnd":
        num = links
    else:
        num = (degree[:, :, None] - shared) * (degree[:, None, :] - shared) * links
    if rule == "ra2num":
        score = num.sum(dim=2)
        return score, score
    value = (num.double() / (1 + shared)).sum(dim=2)
    return value, (num * adic[shared]).sum(dim=2)


def _first_maximum(value, image, alive, links, shared, rule: str, safe: float) -> torch.Tensor:
    """Lowest index of the exact maximum among alive nodes, int64 [B] (0 where no node is alive)."""
    low = torch.iinfo(torch.int64).min if value.dtype == torch.int64 else -torch.inf
    masked = torch.where(alive, value, low)
    top = masked.max(dim=1, keepdim=True).values
    if value.dtype == torch.int64:
        return (masked == top).int().argmax(dim=1)
    reach = top.clamp(min=0) * ((value.shape[1] + 4) * 2.0**-51)
    near = alive & (masked >= top - reach)
    best = near.int().argmax(dim=1)
    other = near & (image != image.gather(1, best[:, None]))
    unproven = (near.sum(dim=1) > 1) & (2 * reach[:, 0] >= safe)
    for b in torch.nonzero(other.any(dim=1) | unproven).flatten().tolist():
        candidates = torch.nonzero(near[b]).flatten().tolist()
        scores = [_exact(links[b], shared[b], i, rule) for i in candidates]
        best[b] = candidates[scores.index(max(scores))]
    return best


def _exact(links, shared, i: int, rule: str) -> Fraction:
    """Score of one node of one graph as a fraction, from its numerators per common-neighbour value."""
    around = torch.nonzero(links[i]).flatten()
    degree, c = links.sum(dim=1), shared[i, around]
    num = torch.ones_like(c) if rule == "cnd" else (degree[i] - c) * (degree[around] - c)
    sums: dict[int, int] = {}
    for k, a in zip(c.tolist(), num.tolist()):
        sums[k] = sums.get(k, 0) + a
    return sum((Fraction(a, 1 + k) for k, a in sorted(sums.items())), Fraction(0))
