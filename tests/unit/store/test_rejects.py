"""The tables of rejected records and of items."""

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store.parquet import read_table
from seedlot.store.rejects import (
    ITEM_SCHEMA,
    REJECT_SCHEMA,
    TEXT_LIMIT,
    printable,
    write_items,
    write_rejects,
)


def test_rejects_are_sorted_and_one_line_may_be_refused_twice(tmp_path):
    row = {"item": "b", "file": "b.txt", "line": 2, "reason": "not_a_number", "text": "1 x"}
    rows = [row, {**row, "item": "a", "line": None, "record": 7}, row]
    assert write_rejects(tmp_path / "r.parquet", rows) == 3
    back = read_table(tmp_path / "r.parquet")
    assert back.schema.names == REJECT_SCHEMA.names
    assert [(r["item"], r["line"], r["record"]) for r in back.to_pylist()] == [
        ("a", None, 7),
        ("b", 2, None),
        ("b", 2, None),
    ]


def test_hostile_text_is_made_printable_and_cut(tmp_path):
    text = "a\x00\x1b[31m\ud800\u202e" + "y" * 500
    write_rejects(tmp_path / "r.parquet", [{"item": "a", "file": "f", "reason": "odd", "text": text}])
    seen = read_table(tmp_path / "r.parquet")["text"][0].as_py()
    assert seen.startswith("a\\x00\\x1b[31m\\ud800\\u202e") and seen.isprintable() and len(seen) <= TEXT_LIMIT
    assert printable("short") == "short" and len(printable("\x00" * 200)) == TEXT_LIMIT


def test_items_are_sorted_and_default_to_nothing_read(tmp_path):
    rows = [
        {"item": "b", "status": "ok", "read": 3, "kept": 2, "rejected": 1},
        {"item": "a", "status": "no_access", "reason": "licence"},
    ]
    assert write_items(tmp_path / "i.parquet", rows) == 2
    back = read_table(tmp_path / "i.parquet")
    assert back.schema.names == ITEM_SCHEMA.names
    assert back.to_pylist()[0] == {
        "item": "a", "status": "no_access", "reason": "licence", "read": 0, "kept": 0, "rejected": 0, "seconds": 0.0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"item": "a", "status": "okay"}, "unknown status 'okay'"),
        ({"item": "a", "status": "ok", "read": 3, "kept": 2}, "kept 2 . rejected 0 is not read 3"),
        ({"item": "a", "status": "failed"}, "without a reason"),
    ],
)
def test_items_that_cannot_be_true_are_refused(tmp_path, row, message):
    with pytest.raises(SeedlotError, match=message):
        write_items(tmp_path / "i.parquet", [row])


def test_an_item_listed_twice_is_refused(tmp_path):
    with pytest.raises(SeedlotError, match="duplicate key"):
        write_items(tmp_path / "i.parquet", [{"item": "a", "status": "ok"}] * 2)
