"""sources.tsv, access gates and keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from seedlot.catalog.licences import key_headers, missing_licences, redact
from seedlot.catalog.manifest import COMMON
from seedlot.catalog.releases import COLUMNS, find_release, load_catalogue, load_releases
from seedlot.config.errors import SeedlotError

RESOURCES = Path(__file__).parents[3] / "resources"
ROW = {
    "source": "nets",
    "release": "2024",
    "title": "Nets",
    "home": "https://example.org",
    "licence": "CC-BY-4.0",
    "access": "open",
    "redistribution": "yes",
    "citation": "A 2020",
    "manifest": "manifests/nets.tsv",
    "added": "2026-01-31",
}
ITEM = {
    "item": "a",
    "origin": "upstream",
    "release": "2024",
    "url": "https://example.org/a",
    "licence": "x",
    "evidence": "x",
}


def resources(tmp_path, *rows, items=(ITEM,)):
    (tmp_path / "manifests").mkdir(exist_ok=True)
    for name, header, table in (("sources.tsv", COLUMNS, rows), ("manifests/nets.tsv", COMMON, items)):
        lines = ["\t".join(header), *("\t".join(row.get(column, "") for column in header) for row in table)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path / "sources.tsv"


def test_a_good_table_is_read(tmp_path):
    found = load_releases(resources(tmp_path, ROW, ROW | {"release": "2025"}))
    assert [row.release for row in found] == ["2024", "2025"]
    assert find_release(found, "nets", "2025") is found[1] and find_release(found, "nets", "1999") is None


@pytest.mark.parametrize(
    "change, message",
    [
        ({"access": "opne"}, "did you mean 'open'"),
        ({"redistribution": "maybe"}, "unknown redistribution 'maybe'"),
        ({"home": "example.org"}, "must start with https"),
        ({"added": "31.1.2026"}, "expected a date"),
        ({"manifest": "../x.tsv"}, "expected 'manifests/nets.tsv'"),
        ({"source": "n2", "manifest": "manifests/n2.tsv"}, "does not exist"),
        ({"licence": ""}, "'licence' is empty"),
        ({"source": "Nets"}, "must match"),
        ({"release": "a/b"}, "release"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(tmp_path, change, message):
    with pytest.raises(SeedlotError, match=message) as caught:
        load_releases(resources(tmp_path, ROW | change))
    assert "sources.tsv:2" in str(caught.value)


def test_order_and_repeats_are_refused(tmp_path):
    with pytest.raises(SeedlotError, match="occurs twice"):
        load_releases(resources(tmp_path, ROW, ROW))
    with pytest.raises(SeedlotError, match="must stand before 'nets 2025'"):
        load_releases(resources(tmp_path, ROW | {"release": "2025"}, ROW))


def test_manifest_and_table_are_joined_both_ways(tmp_path):
    resources(tmp_path, ROW)
    assert [row.item for row in load_catalogue(tmp_path)[1]["manifests/nets.tsv"]] == ["a"]
    resources(tmp_path, ROW, items=[ITEM | {"release": "2042"}])
    with pytest.raises(SeedlotError, match="did you mean '2024'"):
        load_catalogue(tmp_path)
    resources(tmp_path, ROW, ROW | {"release": "2025"})
    with pytest.raises(SeedlotError, match="release '2025' has no item"):
        load_catalogue(tmp_path)


def test_committed_catalogue_is_valid():
    releases, rows = load_catalogue(RESOURCES)
    assert releases and {row.manifest for row in releases} == set(rows)


def test_manifest_that_no_release_names_is_refused(tmp_path):
    resources(tmp_path, ROW)
    (tmp_path / "manifests" / "other.tsv").write_text("\t".join(COMMON) + "\n")
    with pytest.raises(SeedlotError, match="no release names 'manifests/other.tsv'"):
        load_catalogue(tmp_path)


def test_one_source_may_have_two_manifests(tmp_path):
    more = "manifests/nets_more.tsv"
    resources(tmp_path, ROW)
    (tmp_path / more).write_text((tmp_path / "manifests/nets.tsv").read_text().replace("2024", "2025"))
    resources(tmp_path, ROW, ROW | {"release": "2025", "manifest": more})
    assert set(load_catalogue(tmp_path)[1]) == {"manifests/nets.tsv", more}


def test_missing_licences_name_page_and_variable(tmp_path):
    rows = [ROW | {"release": "1"}, ROW | {"release": "2", "access": "agreement"}]
    releases = load_releases(resources(tmp_path, *rows))
    missing = missing_licences(releases, {})
    assert list(missing) == [("nets", "2")]
    assert "https://example.org" in missing["nets", "2"] and "SEEDLOT_NETS_KEY" in missing["nets", "2"]
    assert missing_licences(releases, {"SEEDLOT_NETS_KEY": "k"}) == {}


def test_key_is_sent_as_token_or_as_user_and_password():
    assert key_headers("nets", {}) == {}
    assert key_headers("nets", {"SEEDLOT_NETS_KEY": "abc"}) == {"Authorization": "Bearer abc"}
    # RFC 7617, section 2: Aladdin / open sesame
    assert key_headers("nets", {"SEEDLOT_NETS_KEY": "Aladdin:open sesame"}) == {
        "Authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    }


def test_key_is_redacted_in_every_form():
    environ = {"SEEDLOT_NETS_KEY": "Aladdin:open sesame"}
    text = redact("x Aladdin:open sesame QWxhZGRpbjpvcGVuIHNlc2FtZQ== 'open sesame'", "nets", environ)
    assert text == "x *** *** '***'"
    assert redact("nothing", "nets", {}) == "nothing"
