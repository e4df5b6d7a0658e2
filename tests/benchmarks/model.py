"""What a benchmark row is, and what its samples say: ratios, seconds, exponents, verdicts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SLACK = 1.15
"""Median wall over CPU time from which on somebody else held the processor."""


@dataclass(frozen=True)
class Sample:
    """One round of one contender: CPU and wall seconds, and the answer that all contenders must share."""

    cpu: float
    wall: float
    answer: Any = None


@dataclass(frozen=True)
class Extrapolated:
    """Returned by a contender that ran a part of its work: the seconds that the whole would take."""

    cpu: float
    wall: float
    answer: Any = None


@dataclass(frozen=True)
class Contender:
    """make(folder, size) is called once in the contender's own process and gives the function to time.

    about: what it does, in words. warm: whether an untimed call comes first. shares_answer: whether its answer
    must equal that of the others.
    """

    make: Callable[[Path, int], Callable[[], Any]]
    about: str
    warm: bool = True
    shares_answer: bool = True


@dataclass(frozen=True)
class Measure:
    """A number with its target. rounds: one value per round. by: `cpu` or `wall`, the clock it comes from.

    target: bound, None when the number is only reported. at_least: the bound is a lower one.
    """

    name: str
    rounds: list[float]
    target: float | None = None
    at_least: bool = True
    unit: str = "x"
    by: str = "cpu"

    def quartiles(self) -> tuple[float, float, float]:
        """Lower quartile, median, upper quartile."""
        low, middle, high = np.percentile(self.rounds, [25, 50, 75])
        return float(low), float(middle), float(high)

    def verdict(self, loaded: bool) -> str:
        """met, missed, noisy (loaded machine, or the quartiles lie on both sides of the target), or reported."""
        if self.target is None:
            return "reported"
        low, _, high = self.quartiles()
        if loaded or low < self.target < high:
            return "noisy"
        return self.by_median()

    def by_median(self) -> str:
        """met or missed by the median alone, whatever the load; CPU time hardly sees other processes."""
        if self.target is None:
            return "reported"
        middle = self.quartiles()[1]
        return "met" if (middle >= self.target if self.at_least else middle <= self.target) else "missed"


Samples = Mapping[str, list[Sample]]


@dataclass(frozen=True)
class Row:
    """One benchmark. prepare(folder, size) writes its inputs; the first contender is ours.

    sizes: what `size` means in a full and in a quick run. summarise: samples -> measures.
    """

    name: str
    title: str
    contenders: Mapping[str, Contender]
    summarise: Callable[[Samples], list[Measure]]
    prepare: Callable[[Path, int], None] = lambda folder, size: None
    sizes: tuple[int, int] = (0, 0)
    rounds: int = 5
    threads: int = 1
    note: str = ""


def ratios(
    targets: Mapping[str, float | None], ours: str = "seedlot", limit_s: float | None = None
) -> Callable[[Samples], list[Measure]]:
    """Peer over ours, round by round, by CPU time and by wall time; and our own seconds.

    targets: peer -> least ratio, or None. limit_s: most CPU seconds that ours may take.
    """

    def summarise(samples: Samples) -> list[Measure]:
        own = samples[ours]
        out = [Measure(ours, [one.cpu for one in own], limit_s, at_least=False, unit="s")]
        for peer, target in targets.items():
            pairs = list(zip(samples[peer], own))
            out.append(Measure(f"{peer} / {ours}", [p.cpu / o.cpu for p, o in pairs], target))
            out.append(Measure(f"{peer} / {ours}, wall", [p.wall / o.wall for p, o in pairs], by="wall"))
        return out

    return summarise


def growth(exponent: float, limits: Mapping[str, float]) -> Callable[[Samples], list[Measure]]:
    """Slope of log CPU time over log links; contenders are named by their number of links.

    exponent: largest allowed slope. limits: contender -> most CPU seconds.
    """

    def summarise(samples: Samples) -> list[Measure]:
        links = np.log([float(name.replace(",", "")) for name in samples])
        rounds = zip(*samples.values())
        slopes = [float(np.polyfit(links, np.log([one.cpu for one in each]), 1)[0]) for each in rounds]
        out = [Measure("growth exponent", slopes, exponent, at_least=False, unit="")]
        for name, own in samples.items():
            out.append(Measure(name, [one.cpu for one in own], limits.get(name), at_least=False, unit="s"))
        return out

    return summarise


def loaded(samples: Samples, load_before: float, threads: int) -> bool:
    """Whether others used the processors: more of them than there are cores, or wall time well above CPU time.

    load_before: one-minute load average when the row began. threads: processes a contender runs itself; wall
    time of several cannot be held against their CPU time, so then only the load counts.
    """
    cores = len(os.sched_getaffinity(0))
    spread = [one.wall / one.cpu for own in samples.values() for one in own if one.cpu > 0]
    return load_before > cores or (threads == 1 and float(np.median(spread)) > SLACK)
