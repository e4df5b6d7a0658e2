"""Accepted counts: one committed table per run, changed only with a reason."""

import json

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.contracts.accept import accept, accept_verdict, read_expected

HEADER = "table\trows\tlot\treason\tdate\n"
LOT = "ab" * 32


def test_entries_are_kept_sorted_and_read_back(tmp_path):
    path = tmp_path / "expected" / "demo.tsv"
    assert read_expected(path) == {}
    accept(path, "core_b__x", 3, reason="first", date="2026-01-02")
    accept(path, "core_a__x", 10, reason="first", date="2026-01-02", lot=LOT)
    accept(path, "core_b__x", 4, reason="a network more", date="2026-02-02")
    assert path.read_text() == (
        f"{HEADER}core_a__x\t10\t{LOT}\tfirst\t2026-01-02\ncore_b__x\t4\t\ta network more\t2026-02-02\n"
    )
    assert read_expected(path)["core_a__x"].lot == LOT and read_expected(path)["core_b__x"].rows == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("table\trows\n", "header is"),
        (HEADER + "a\tmany\t\tr\t2026-01-02\n", "line 2(.|\n)*"),
        (HEADER + "a\t1\tlot\tr\t2026-01-02\n", "expected 64 hexadecimal digits"),
        (HEADER + "a\t1\t\t\t2026-01-02\n", "a reason is one line"),
        (HEADER + "a\t1\t\tr\tyesterday\n", "expected YYYY-MM-DD"),
        (HEADER + "a\t1\t\tr\n", "fields separated by tabs"),
        (HEADER + "b\t1\t\tr\t2026-01-02\na\t1\t\tr\t2026-01-02\n", "listed twice or out of order"),
    ],
)
def test_a_file_edited_badly_by_hand_is_refused(tmp_path, text, message):
    (tmp_path / "e.tsv").write_text(text)
    with pytest.raises(SeedlotError, match=message):
        read_expected(tmp_path / "e.tsv")


@pytest.mark.parametrize("change", [{"reason": " "}, {"reason": "a\tb"}, {"date": "2.1.26"}, {"rows": -1}])
def test_nothing_is_accepted_without_a_reason_or_with_a_wrong_date(tmp_path, change):
    words = {"rows": 1, "reason": "why", "date": "2026-01-02"} | change
    with pytest.raises(SeedlotError):
        accept(tmp_path / "e.tsv", "a", words.pop("rows"), **words)
    assert not (tmp_path / "e.tsv").exists()


def test_a_verdict_is_accepted_table_by_table_and_unchanged_ones_are_left(tmp_path):
    path, verdict = tmp_path / "e.tsv", tmp_path / "v.json"
    tables = {"a": {"rows": 1, "lot": LOT}, "b": {"rows": 2, "lot": None}, "c": {"rows": None, "lot": None}}
    verdict.write_text(json.dumps({"tables": tables}))
    how = {"reason": "why", "date": "2026-01-02"}
    accept(path, "a", 1, **how)
    assert [e.table for e in accept_verdict(verdict, path, tables=["a", "b"], **how)] == ["b"]
    assert [e.lot for e in accept_verdict(verdict, path, tables=["a"], with_lots=True, **how)] == [LOT]
    with pytest.raises(SeedlotError, match="'c' could not be counted"):
        accept_verdict(verdict, path, **how)
    with pytest.raises(SeedlotError, match="unknown table 'd'"):
        accept_verdict(verdict, path, tables=["d"], **how)
