"""Manifests: what is accepted, what is refused and how it is said, digests, raw paths, buckets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedlot.catalog.buckets import bucket_of, shards
from seedlot.catalog.files import as_filename, safe_relative
from seedlot.catalog.manifest import COMMON, Row, check_row, load_manifest, raw_path, row_digest
from seedlot.config.errors import SeedlotError

RESOURCES = Path(__file__).parents[3] / "resources"
HEADER = [*COMMON, "title", "format"]
WEB = {
    "item": "karate",
    "origin": "upstream",
    "release": "2024",
    "url": "https://example.org/karate.gml",
    "licence": "MIT",
    "evidence": "https://example.org/list",
    "title": "Karate club",
    "format": "gml",
}
WHEEL = {
    **WEB,
    "origin": "packaged",
    "url": "pypi:tvb-data==2.0",
    "container": "tvb_data-2.0-py3-none-any.whl",
    "member": "tvb_data/c/c.zip",
    "bytes": "7",
    "sha256": "0" * 64,
}
SIM = {**WEB, "origin": "simulated", "url": "sim:nps?n=500&seed=1"}


def write(tmp_path, *rows, header=HEADER):
    path = tmp_path / "nets.tsv"
    lines = ["\t".join(header)] + ["\t".join(row.get(name, "") for name in header) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_rows_keep_own_columns_and_reader_arguments(tmp_path):
    path = write(tmp_path, WEB | {"reader_args": '{"network": 1}', "bytes": "12"})
    (row,) = load_manifest(path, "nets")
    assert row.bytes == 12 and row.reader_args == {"network": 1}
    assert row.extra == {"title": "Karate club", "format": "gml"}
    assert Row.from_dict(row.to_dict()) == row


def test_all_three_origins_are_accepted(tmp_path):
    rows = [WEB | {"item": "a"}, WHEEL | {"item": "b"}, SIM | {"item": "c"}]
    assert [row.origin for row in load_manifest(write(tmp_path, *rows), "nets")] == [
        "upstream",
        "packaged",
        "simulated",
    ]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"item": "Karate"}, "must match"),
        ({"item": "../x"}, "must match"),
        ({"origin": "upstraem"}, "did you mean 'upstream'"),
        ({"release": "../../etc"}, "release"),
        ({"release": "1..2"}, "release"),
        ({"url": "ftp://example.org/x"}, "must start with https"),
        ({"url": "file:///etc/passwd"}, "must start with https"),
        ({"url": "https://ann:pw@example.org/x"}, "user name or password"),
        ({"url": "https:///x"}, "without host"),
        ({"url": "https://example.org/a b"}, "without host or with blanks"),
        ({"url": "https://example.org/a#b"}, "fragment"),
        ({"url": "folder:x.gml"}, "user's folder"),
        ({"sha256": "ABC"}, "64 lower-case hex"),
        ({"sha256": "A" * 64}, "64 lower-case hex"),
        ({"bytes": "-1"}, "whole number"),
        ({"bytes": "1e3"}, "whole number"),
        ({"reader_args": "[1]"}, "must be a JSON object"),
        ({"reader_args": "{x}"}, "not JSON"),
        ({"evidence": ""}, "no evidence"),
        ({"licence": ""}, "no licence"),
        ({"member": "a.net"}, "filled together"),
        ({"container": "a.zip", "member": "../a.net"}, "not a safe relative path"),
        ({"container": "a.zip", "member": "/etc/passwd"}, "not a safe relative path"),
    ],
)
def test_bad_upstream_row_is_refused_with_its_line(tmp_path, change, message):
    path = write(tmp_path, WEB | {"item": "a"}, WEB | {"item": "z", "url": "https://example.org/z"} | change)
    with pytest.raises(SeedlotError, match=message) as caught:
        load_manifest(path, "nets")
    assert f"{path}:3" in str(caught.value)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"url": "pypi:tvb-data"}, "pypi:<distribution>==<version>"),
        ({"container": "tvb_data-2.1-py3-none-any.whl"}, "does not belong"),
        ({"container": "other-2.0-py3-none-any.whl"}, "does not belong"),
        ({"container": "x/tvb_data-2.0-py3-none-any.whl"}, "wheel file name"),
        ({"member": ""}, "has no member"),
        ({"sha256": ""}, "has no sha256"),
        ({"bytes": ""}, "has no bytes"),
    ],
)
def test_bad_packaged_row_is_refused(tmp_path, change, message):
    with pytest.raises(SeedlotError, match=message):
        load_manifest(write(tmp_path, WHEEL | change), "nets")


@pytest.mark.parametrize("url", ["sim:nps?n=5", "sim:nps", "simulate:nps?seed=1", "sim:N?seed=1"])
def test_simulated_row_needs_generator_and_seed(tmp_path, url):
    with pytest.raises(SeedlotError, match="sim:<generator>"):
        load_manifest(write(tmp_path, SIM | {"url": url}), "nets")


def test_order_and_repeats_are_refused(tmp_path):
    a, b = WEB | {"item": "a"}, WEB | {"item": "b", "url": "https://example.org/b"}
    with pytest.raises(SeedlotError, match="must stand before 'b'"):
        load_manifest(write(tmp_path, b, a), "nets")
    with pytest.raises(SeedlotError, match="occurs twice"):
        load_manifest(write(tmp_path, a, a), "nets")


def test_one_file_under_two_names_is_refused(tmp_path):
    with pytest.raises(SeedlotError, match="names the same file as .*:2"):
        load_manifest(write(tmp_path, WEB | {"item": "a"}, WEB | {"item": "b"}), "nets")


def test_two_networks_of_one_file_are_two_items(tmp_path):
    rows = [WEB | {"item": f"n{k}", "reader_args": f'{{"network": {k}}}'} for k in (1, 2)]
    assert len(load_manifest(write(tmp_path, *rows), "nets")) == 2


def test_two_opinions_about_one_container_are_refused(tmp_path):
    inside = WEB | {"url": "https://example.org/all.zip", "container": "all.zip"}
    rows = [
        inside | {"item": "a", "member": "a", "bytes": "5"},
        inside | {"item": "b", "member": "b", "bytes": "6"},
    ]
    with pytest.raises(SeedlotError, match="differ from .*:2"):
        load_manifest(write(tmp_path, *rows), "nets")


@pytest.mark.parametrize(
    "text, message",
    [
        ("item\turl\n", "'origin' is missing"),
        ("\t".join(HEADER).replace("licence", "license") + "\n", "rename column 'license' to 'licence'"),
        ("\t".join([*HEADER, "item"]) + "\n", "occurs twice"),
        ("\t".join(HEADER) + "\nx\ty\n", "expected 13 cells, saw 2"),
        ("\t".join(HEADER) + "\n\n", "blank line"),
        ("\t".join(HEADER) + "\n" + "\t".join(["a\r"] * 13) + "\n", "carriage return"),
        ("\t".join(HEADER) + "\n" + "\t".join([" a"] * 13) + "\n", "blanks around"),
    ],
)
def test_broken_table_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "nets.tsv"
    path.write_bytes(text.encode())
    with pytest.raises(SeedlotError, match=message) as caught:
        load_manifest(path, "nets")
    assert f"{path}:" in str(caught.value)


def test_text_that_is_not_utf8_is_refused_with_its_line(tmp_path):
    path = write(tmp_path, WEB)
    path.write_bytes(path.read_bytes().replace(b"Karate club", b"Karat\xe9"))
    with pytest.raises(SeedlotError, match="not UTF-8") as caught:
        load_manifest(path, "nets")
    assert f"{path}:2" in str(caught.value)


def row(**changes) -> Row:
    plain = Row(
        "a",
        "upstream",
        "r",
        "https://h.org/x.zip",
        licence="l",
        evidence="e",
        extra={"format": "gml", "title": "t"},
    )
    return replace(plain, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"item": "b"},
        {"url": "https://h.org/y.zip"},
        {"container": "x.zip", "member": "m"},
        {"reader_args": {"network": 2}},
        {"extra": {"format": "pajek", "title": "t"}},
    ],
)
def test_row_digest_moves_with_what_decides_bytes(changes):
    assert row_digest([row(**changes)]) != row_digest([row()])


@pytest.mark.parametrize(
    "changes",
    [
        {"licence": "x"},
        {"evidence": "x"},
        {"bytes": 5},
        {"sha256": "0" * 64},
        {"extra": {"format": "gml", "title": "other"}},
    ],
)
def test_row_digest_ignores_what_is_only_checked(changes):
    assert row_digest([row(**changes)]) == row_digest([row()])


def test_row_digest_ignores_order():
    rows = [row(item=name) for name in "abc"]
    assert row_digest(rows) == row_digest(rows[::-1])


def test_members_of_one_container_share_its_folder():
    one, two = (row(container="x.zip", member=f"d/{name}.net") for name in "ab")
    paths = [raw_path(Path("results"), "nets", each) for each in (one, two)]
    assert paths[0].parent == paths[1].parent and paths[0] != paths[1]
    assert paths[0].relative_to("results").parts[:5] == ("raw", "nets", "upstream", "r", "files")


def test_same_name_at_two_urls_is_two_files():
    one, two = (raw_path(Path(), "n", row(url=f"https://h.org/{k}/out.txt")) for k in "ab")
    assert one.name == two.name == "out.txt" and one != two


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_no_accepted_row_leaves_its_folder(url_tail, member):
    for one in (
        row(url="https://h.org/" + url_tail),
        row(url="folder:" + url_tail),
        row(container="x.zip", member=member),
    ):
        try:
            check_row(one, "w")
        except SeedlotError:
            continue
        parts = raw_path(Path("root"), "nets", one).relative_to("root/raw/nets/upstream/r/files").parts
        assert ".." not in parts and all(
            part and len(part.encode()) < 256 and "/" not in part for part in parts
        )


@pytest.mark.parametrize(
    "name", ["", "/a", "../a", "a/../b", "a//b", "./a", "a/.", "a\\b", "C:/a", "~/a", "a\x00b", "a\nb", "a/"]
)
def test_unsafe_names_are_refused(name):
    with pytest.raises(SeedlotError, match="not a safe relative path"):
        safe_relative(name, kind="member")


def test_odd_and_long_names_become_file_names():
    assert as_filename("a b*ü") == "a%20b%2A%C3%BC"
    long = ["ü" * 200 + tail for tail in "ab"]
    assert len({as_filename(name) for name in long}) == 2 and all(
        len(as_filename(name)) <= 200 for name in long
    )


def test_bucket_is_the_start_of_the_names_sha256():
    # FIPS 180-2, appendix B.1: SHA-256 of "abc" starts with ba7816bf 8f01cfea
    assert bucket_of("abc", 60) == 0xBA7816BF8F01CFEA % 60
    assert bucket_of("abc", 1) == 0


def test_new_item_moves_no_other():
    rows = [row(item=f"n{k}") for k in range(200)]
    before, after = shards(rows, 16), shards([*rows, row(item="new")], 16)
    assert sum(before[name] != after[name] for name in before) <= 1


def test_item_above_the_cap_is_its_own_shard():
    rows = [row(item="small", bytes=10), row(item="big", bytes=1001)]
    found = shards(rows, 4, cap=1000)
    assert [one.item for one in found["i_big"]] == ["big"]
    assert sum(len(items) for items in found.values()) == 2


def test_buckets_are_about_even():
    sizes = [len(items) for items in shards([row(item=f"n{k}") for k in range(4000)], 40).values()]
    assert len(sizes) == 40 and min(sizes) > 60 and max(sizes) < 145


def test_no_buckets_is_refused():
    with pytest.raises(SeedlotError, match="1 or more"):
        bucket_of("a", 0)


@pytest.mark.parametrize("path", sorted((RESOURCES / "manifests").glob("*.tsv")), ids=lambda path: path.stem)
def test_committed_manifest_is_valid(path):
    if path.name.endswith(".lock.tsv"):
        pytest.skip("a lock, not a manifest")
    assert load_manifest(path, path.stem)
