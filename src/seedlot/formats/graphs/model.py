"""What every graph reader returns: one network as its file states it, before any cleaning."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from seedlot.config.errors import SeedlotError
from seedlot.formats.graphs import limits


@dataclass(frozen=True)
class Reject:
    """One record that a reader refused.

    line: 1-based line of the file, None in binary formats. record: 0-based position among the records of
    the network, None when only the line is known. reason: a short code such as 'bad_id', 'ragged',
    'out_of_range', 'out_of_service', 'not_finite'. text: the start of the record, at most 200 characters.
    """

    line: int | None
    record: int | None
    reason: str
    text: str

    def __post_init__(self) -> None:
        if len(self.text) > limits.MAX_REJECT_TEXT:
            object.__setattr__(self, "text", self.text[: limits.MAX_REJECT_TEXT])


@dataclass
class RawGraph:
    """One network, links in file order, nothing merged and nothing dropped.

    name: the name inside the file, or "".
    n: nodes declared or mentioned; isolated nodes count only where the file declares them.
    labels: n original labels in the order of the node indices, or None when the label of node i is the
        decimal number id_base + i.
    src, dst: (m,) int64, node indices 0..n-1. Labels keep the order in which the file introduces nodes;
        for bare integer ids the order is ascending id.
    directed: one bool for the network, or (m,) bool when links of both kinds occur.
    weight, time: (m,) float64 or None. relation: (m,) object array of str or None.
    bipartite: True where the file states two node sets; then n_left is the size of the first set, whose
        nodes are 0..n_left-1, or None when the sets are not contiguous.
    read, kept, rejects: records in the file, links kept (kept == len(src)) and records refused, with
        read == kept + len(rejects). The record is one link as written; each reader states its own.
    notes: facts worth keeping (version of the format, self-described counts, policy applied).
    """

    name: str
    n: int
    labels: list[str] | None
    id_base: int
    src: np.ndarray
    dst: np.ndarray
    directed: bool | np.ndarray
    weight: np.ndarray | None = None
    time: np.ndarray | None = None
    relation: np.ndarray | None = None
    bipartite: bool = False
    n_left: int | None = None
    read: int = 0
    kept: int = 0
    rejects: list[Reject] = field(default_factory=list)
    notes: dict[str, str | int] = field(default_factory=dict)

    def check(self) -> RawGraph:
        """Refuse a graph whose parts contradict each other; return it otherwise."""
        m = len(self.src)
        columns = {"dst": self.dst, "weight": self.weight, "time": self.time, "relation": self.relation}
        if isinstance(self.directed, np.ndarray):
            columns["directed"] = self.directed
        for key, column in columns.items():
            if column is not None and len(column) != m:
                raise SeedlotError(f"a reader returned {m} links but {len(column)} values of {key}")
        if self.labels is not None and len(self.labels) != self.n:
            raise SeedlotError(f"a reader returned {self.n} nodes but {len(self.labels)} labels")
        if m and not 0 <= min(self.src.min(), self.dst.min()) <= max(self.src.max(), self.dst.max()) < self.n:
            raise SeedlotError(f"a reader returned a node index outside 0..{self.n - 1}")
        if self.kept != m or self.read != self.kept + len(self.rejects):
            raise SeedlotError(
                f"records do not add up: read {self.read}, kept {self.kept} of {m} links, "
                f"rejected {len(self.rejects)}"
            )
        return self

    def label(self, index: int) -> str:
        """The original label of a node index."""
        return str(self.id_base + index) if self.labels is None else self.labels[index]
