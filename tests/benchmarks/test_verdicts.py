"""Verdicts of the benchmarks, from samples with known ratios."""

from __future__ import annotations

import pytest
from tests.benchmarks import page
from tests.benchmarks.model import Contender, Measure, Row, Sample, growth, loaded, ratios
from tests.benchmarks.race import _same_answers
from tests.benchmarks.rows import all_rows


def samples(cpu: list[float], wall: float = 1.0, answer: object = None) -> list[Sample]:
    return [Sample(one, one * wall, answer) for one in cpu]


def test_a_ratio_is_taken_round_by_round():
    found = ratios({"peer": 4.0}, limit_s=1.5)({"seedlot": samples([1, 2, 1]), "peer": samples([5, 10, 6])})
    assert [(one.name, one.rounds) for one in found] == [
        ("seedlot", [1, 2, 1]),
        ("peer / seedlot", [5, 5, 6]),
        ("peer / seedlot, wall", [5, 5, 6]),
    ]
    assert [one.verdict(False) for one in found] == ["met", "met", "reported"]


@pytest.mark.parametrize(
    ("rounds", "target", "at_least", "busy", "verdict"),
    [
        ([9, 10, 11], 8, True, False, "met"),
        ([9, 10, 11], 12, True, False, "missed"),
        ([9, 10, 11], 12, False, False, "met"),
        ([9, 10, 11], 10.2, True, False, "noisy"),
        ([9, 10, 11], 8, True, True, "noisy"),
        ([9, 10, 11], None, True, True, "reported"),
    ],
    ids=["met", "missed", "upper bound met", "quartiles on both sides", "loaded", "no target"],
)
def test_verdict(rounds, target, at_least, busy, verdict):
    assert Measure("x", rounds, target, at_least).verdict(busy) == verdict


def test_the_median_speaks_on_a_loaded_machine_too():
    one = Measure("x", [9, 10, 11], 8)
    assert (one.verdict(True), one.by_median()) == ("noisy", "met")


def test_growth_is_the_slope_of_the_logarithms():
    found = growth(1.45, {"1,000": 10.0})({"10": samples([1, 3]), "1,000": samples([1000, 3000])})
    assert found[0].rounds == pytest.approx([1.5, 1.5])
    assert [one.verdict(False) for one in found] == ["missed", "reported", "missed"]


def test_a_machine_is_loaded_by_its_load_or_by_waiting():
    busy, idle = {"x": samples([1, 1], wall=1.3)}, {"x": samples([1, 1], wall=1.01)}
    assert loaded(busy, 0.0, 1)
    assert not loaded(idle, 0.0, 1)
    assert loaded(idle, 1e6, 1)
    assert not loaded(busy, 0.0, 2)


def test_unequal_answers_are_refused():
    contender = Contender(lambda folder, size: lambda: None, "")
    row = Row("x", "x", {"a": contender, "b": contender}, ratios({}))
    with pytest.raises(RuntimeError, match="do not agree"):
        _same_answers(row, {"a": samples([1], answer=[3]), "b": samples([1], answer=[4])})


def test_every_row_has_targets_only_for_its_contenders():
    for name, row in all_rows().items():
        made = row.summarise({one: samples([1.0, 1.0, 1.0], answer=1) for one in row.contenders})
        assert made, name
        assert all(one.quartiles()[1] > 0 or one.unit == "" for one in made), name


def test_the_page_shows_verdict_and_median_of_a_noisy_row():
    measure = {"name": "peer / seedlot", "median": 1234.5, "quartiles": [1000.0, 1300.0], "unit": "x"}
    measure |= {"clock": "cpu", "target": 60, "bound": "at least", "verdict": "noisy", "by_median": "met"}
    assert page.table({"measures": [measure]}) == [
        ["peer / seedlot (cpu)", "1,234 x", "1,000 to 1,300", "at least 60 x", "noisy (met by the median)"]
    ]
