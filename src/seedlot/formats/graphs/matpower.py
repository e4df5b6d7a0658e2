"""MATPOWER case files (`.m`): buses are nodes, branches are links.

Own reader of the two tables: the files are MATLAB programs, which nothing here may run, and the tables are
plain numbers. Bus numbers are labels, not positions. A record is a branch row. Parallel branches are kept
as parallel links. A branch out of service (status 0) is part of the grid that was built, so by default it
is kept, with the relation 'out_of_service'; the option `out_of_service` = 'reject' makes it a reject. The weight is the
reactance x of the branch, NaN where it is not a number.
"""

from __future__ import annotations

import re

import numpy as np

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits, tokens
from seedlot.formats.graphs.model import RawGraph, Reject

REACTANCE, STATUS = 3, 10
REASONS = {1: "ragged", 2: "bad_id", 3: "unknown_bus", 4: "out_of_service"}


def read(data: bytes, args: dict) -> list[RawGraph]:
    """The grid of a case file.

    args: out_of_service, 'keep' (default) or 'reject'. Rejects: 'ragged', 'bad_id', 'unknown_bus' (an end
    that the bus table lacks), 'out_of_service'. Raises SeedlotError without both tables, on a bus number
    that is repeated or not a whole number.
    """
    policy = args.get("out_of_service", "keep")
    if policy not in ("keep", "reject"):
        raise unknown("policy for out_of_service", str(policy), ("keep", "reject"))
    for key in args:
        if key not in ("format", "out_of_service"):
            raise unknown("reader option", key, ("out_of_service",))
    text = _plain(data)
    buses, _ = _table(text, "bus")
    branches, lines = _table(text, "branch")
    number, good = tokens.integers(buses.column(0))
    if not good.all() or len(np.unique(number)) != len(number):
        raise SeedlotError("the bus table has a bus number that is repeated or not a whole number")
    src, dst, bad = _ends(branches, number)
    off = _field(branches, STATUS) == 0
    if policy == "reject":
        bad[(bad == 0) & off] = 4
    keep = bad == 0
    limits.check_rejects(int((~keep).sum()), "branches")
    relation = np.where(off[keep], "out_of_service", "in_service").astype(object)
    return [
        RawGraph(
            name=_name(text),
            n=len(number),
            labels=[str(k) for k in number.tolist()],
            id_base=0,
            src=src[keep],
            dst=dst[keep],
            directed=False,
            weight=_field(branches, REACTANCE)[keep],
            relation=relation,
            read=len(branches),
            kept=int(keep.sum()),
            rejects=[
                Reject(int(lines[r]), int(r), REASONS[int(bad[r])], branches.text(r))
                for r in np.flatnonzero(~keep)
            ],
            notes={"out_of_service": int(off.sum()), "policy": policy},
        )
    ]


def _plain(data: bytes) -> bytes:
    """The program without comments, continuation marks blanked, every byte still at its line."""
    data = tokens.normalise(data)
    data = re.sub(rb"%[^\n]*", b"", data)
    return re.sub(rb"\.\.\.[^\n]*+(?:\n|\Z)", lambda hit: b" " * (len(hit[0]) - 1) + b"\v", data)


def _name(text: bytes) -> str:
    hit = re.search(rb"^\s*function\s[^\n=]*=\s*(\w+)", text, re.MULTILINE)
    return hit[1].decode() if hit else ""


def _table(text: bytes, name: str) -> tuple[tokens.Fields, np.ndarray]:
    """Rows of one matrix literal and the line of each row."""
    hit = re.search(rb"^[ \t]*(?:\w+\.)?" + name.encode() + rb"[ \t]*=[ \t]*\[", text, re.MULTILINE)
    stop = text.find(b"]", hit.end()) if hit else -1
    if stop < 0:
        raise SeedlotError(f"the case file has no complete '{name}' table")
    raw = text[hit.end() : stop]
    fields = tokens.split(raw.translate(bytes.maketrans(b";,", b"\n ")), None, b"")
    if not len(fields):
        raise SeedlotError(f"the '{name}' table is empty")
    breaks = np.flatnonzero(np.isin(np.frombuffer(raw, np.uint8), [10, 11]))
    above = text.count(b"\n", 0, hit.end()) + text.count(b"\v", 0, hit.end()) + 1
    return fields, above + np.searchsorted(breaks, fields.start[fields.first])


def _ends(branches: tokens.Fields, number: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Node index of both ends, and a reason code, for every branch row."""
    m = len(branches)
    ends, bad = np.zeros((2, m), np.int64), np.where(branches.width < 2, 1, 0)
    full = np.flatnonzero(bad == 0)
    order = np.argsort(number)
    for side in (0, 1):
        value, good = tokens.integers(branches.take(full).column(side))
        place = np.minimum(np.searchsorted(number[order], value), len(number) - 1)
        found = number[order][place] == value
        ends[side, full] = order[place]
        bad[full] = np.where(bad[full] > 0, bad[full], np.where(~good, 2, np.where(found, 0, 3)))
    return ends[0], ends[1], bad


def _field(branches: tokens.Fields, k: int) -> np.ndarray:
    """(rows,) float64 of field k, NaN where it is absent or no number; a row without status is in service."""
    out = np.full(len(branches), np.nan)
    rows = np.flatnonzero(branches.width > k)
    out[rows] = tokens.numbers(branches.take(rows).column(k))[0]
    return out


def count(data: bytes, args: dict) -> int:
    """Rows between the brackets of the branch table, counted line by line."""
    inside, rows = False, 0
    for line in _plain(data).replace(b"\v", b" ").split(b"\n"):
        if not inside:
            head, mark, line = line.partition(b"[")
            name = head.replace(b" ", b"").replace(b"\t", b"").rpartition(b".")[2]
            if not mark or name.replace(b"\r", b"") != b"branch=":
                continue
            inside = True
        body, mark, _ = line.partition(b"]")
        rows += sum(bool(row.strip(b" ,\t\r\f")) for row in body.split(b";"))
        if mark:
            break
    return rows
