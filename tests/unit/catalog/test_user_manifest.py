"""A user's own table becomes manifest rows."""

from __future__ import annotations

import pytest

from seedlot.catalog.user import load_user_manifest
from seedlot.config.errors import SeedlotError

SPEC = {"path": "my.tsv", "folder": "data", "release": "mine", "columns": {"item": "name", "url": "file"}}


def load(tmp_path, text, name="my.tsv", **changes):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_user_manifest(SPEC | {"path": name} | changes, "networks", tmp_path)


def test_names_are_mapped_and_other_columns_kept(tmp_path):
    rows = load(tmp_path, "name\tfile\tdomain\nMy Net\tsub/a.gml\tSocial\n")
    (row,) = rows
    assert (row.item, row.url, row.origin, row.release) == (
        "my_net",
        "folder:sub/a.gml#absent",
        "upstream",
        "mine",
    )
    assert row.extra == {"domain": "Social", "title": "My Net", "folder": str(tmp_path / "data")}
    assert row.licence == "not stated" and row.evidence == "my.tsv:2"


def test_rows_come_sorted_with_sizes_digests_and_members(tmp_path):
    columns = {"item": "n", "url": "f", "bytes": "size", "sha256": "sum", "member": "in"}
    text = f"n,f,size,sum,in\nb,all.zip,5,{'0' * 64},d/b.net\na,all.zip,5,{'0' * 64},d/a.net\n"
    rows = load(tmp_path, text, name="my.csv", columns=columns)
    assert [(row.item, row.container, row.member, row.bytes) for row in rows] == [
        ("a", "all.zip", "d/a.net", 5),
        ("b", "all.zip", "d/b.net", 5),
    ]


def test_byte_order_mark_crlf_blank_lines_and_quotes_are_fine(tmp_path):
    text = b'\xef\xbb\xbfname,file\r\n"a, first","x,1.gml"\r\n\r\nb,y.gml\r\n'
    assert [row.url for row in load(tmp_path, text, name="my.csv")] == [
        "folder:x,1.gml#absent",
        "folder:y.gml#absent",
    ]


def test_names_that_would_be_equal_get_a_digest_and_stay_apart(tmp_path):
    rows = load(tmp_path, "name\tfile\nA b\t1\na-b\t2\nc\t3\n")
    items = [row.item for row in rows]
    assert items[-1] == "c" and len(set(items)) == 3 and all(item.startswith("a_b_") for item in items[:2])
    again = load(tmp_path, "name\tfile\na-b\t2\nc\t3\nA b\t1\n")
    assert [row.item for row in again] == items


def test_an_address_may_stand_where_a_file_does(tmp_path):
    assert load(tmp_path, "name\tfile\na\thttps://example.org/a.gml\n")[0].url == "https://example.org/a.gml"


@pytest.mark.parametrize(
    "file", ["../secret", "/etc/passwd", "a/../../b", "a\\..\\b", "", "file:///etc/passwd"]
)
def test_a_path_that_leaves_the_folder_is_refused_with_its_line(tmp_path, file):
    with pytest.raises(SeedlotError, match="not a safe relative path") as caught:
        load(tmp_path, f"name\tfile\nok\tx.gml\nbad\t{file}\n")
    assert "my.tsv:3" in str(caught.value)


@pytest.mark.parametrize("release", ["../x", "a/b", ".."])
def test_a_release_that_is_no_plain_name_is_refused(tmp_path, release):
    with pytest.raises(SeedlotError, match="release"):
        load(tmp_path, "name\tfile\na\tx\n", release=release)


@pytest.mark.parametrize(
    "text, changes, message",
    [
        ("name\tfile\na\tx\n", {"colums": {}}, "did you mean 'columns'"),
        ("name\tfile\na\tx\n", {"folder": ""}, "has no 'folder'"),
        ("name\tfile\na\tx\n", {"columns": {"item": "name"}}, "maps no 'url'"),
        ("name\tfiles\na\tx\n", {}, "did you mean 'files'"),
        ("name\tfile\na\tx\na\ty\n", {}, "'a' occurs twice"),
        ("name\tfile\na\tx\nb\tx\n", {}, "names the same file"),
        ("name\tfile\na\tx\ty\n", {}, "expected 2 cells, saw 3"),
        ("name\tname\na\tx\n", {}, "occur twice"),
        ("name\tfile\n", {}, "has no rows"),
        (b"name\tfile\n\xff\tx\n", {}, "cannot be read"),
    ],
)
def test_mistakes_are_named(tmp_path, text, changes, message):
    with pytest.raises(SeedlotError, match=message):
        load(tmp_path, text, **changes)


def test_a_table_that_is_not_there_or_of_unknown_kind_is_named(tmp_path):
    with pytest.raises(SeedlotError, match="does not exist"):
        load_user_manifest(SPEC, "networks", tmp_path)
    with pytest.raises(SeedlotError, match="kind of table '.xlsx'"):
        load(tmp_path, "x", name="my.xlsx")
