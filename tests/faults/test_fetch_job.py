"""The fetch job: receipts, the others finished first, mirrors, gates, offline, archives."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import zipfile
from types import SimpleNamespace

import pytest
import server as faults

from seedlot.catalog import fetch as module
from seedlot.catalog.fetch import Options, fetch
from seedlot.catalog.limits import Limits
from seedlot.catalog.locks import commit_locks
from seedlot.catalog.manifest import Row, container_path, raw_path
from seedlot.catalog.receipts import read_receipt, receipt_path
from seedlot.catalog.releases import COLUMNS
from seedlot.config.errors import SeedlotError

QUICK = Limits(connect_s=2, read_s=0.5, slow_window_s=0.3, tries=2, max_attempts=6)
SOURCES = list(COLUMNS)


def sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


@pytest.fixture
def site():
    with faults.FaultServer() as server:
        yield server


@pytest.fixture
def place(tmp_path):
    """A root, resources without releases, and options whose waits cost nothing."""
    resources = tmp_path / "resources"
    (resources / "manifests").mkdir(parents=True)
    options = Options(
        resources=resources,
        limits=QUICK,
        environ={},
        wheels_dir=tmp_path / "wheels",
        tune=lambda web: setattr(web, "sleep", lambda seconds: None),
    )
    return SimpleNamespace(root=tmp_path / "results", resources=resources, options=options)


def row(site, item, body=None, path=None, **more):
    known = {} if body is None else {"bytes": len(body), "sha256": sha(body)}
    url = site.url(path or f"/{item}.txt")
    return Row(item, "upstream", "r1", url, licence="MIT", evidence="a listing", **(known | more))


def go(place, rows, **changes):
    for name, value in changes.items():
        setattr(place.options, name, value)
    path = receipt_path(place.root, "nets", rows)
    fetch(rows, "nets", place.root, path, place.options)
    return {one.item: one for one in read_receipt(path)}


def gated(place, access):
    cells = [
        "nets",
        "r1",
        "Nets",
        "https://nets.example/join",
        "DUA",
        access,
        "no",
        "c",
        "manifests/nets.tsv",
    ]
    text = "\t".join(SOURCES) + "\n" + "\t".join([*cells, "2026-01-31", ""]) + "\n"
    (place.resources / "sources.tsv").write_text(text)
    (place.resources / "manifests" / "nets.tsv").write_text("")


def test_receipt_names_file_size_digest_and_url(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a", b"1 2\n")]
    one = go(place, rows)["a"]
    assert (one.status, one.bytes, one.sha256, one.url) == ("ok", 4, sha(b"1 2\n"), site.url("/a.txt"))
    assert (place.root / one.path).read_bytes() == b"1 2\n"
    assert place.root / one.path == raw_path(place.root, "nets", rows[0])


def test_rerun_asks_for_nothing_and_writes_the_same_receipt(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a"), row(site, "b", path="/gone.txt")]
    go(place, rows)
    path = receipt_path(place.root, "nets", rows)
    before, asked = path.read_bytes(), len(site.asked("/a.txt"))
    path.unlink()
    go(place, rows)
    assert path.read_bytes() == before and len(site.asked("/a.txt")) == asked


def test_permanent_causes_are_rows_and_the_others_arrive(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    site.answers["/bad.txt"] = faults.good(b"other")
    site.answers["/gone.txt"] = faults.always(410)
    site.answers["/shut.txt"] = faults.always(403)
    found = go(place, [row(site, "a"), row(site, "bad", b"right"), row(site, "gone"), row(site, "shut")])
    assert {item: one.status for item, one in found.items()} == {
        "a": "ok",
        "bad": "failed",
        "gone": "missing",
        "shut": "no_access",
    }
    assert "kept as bad.txt.bad" in found["bad"].reason and found["bad"].path == ""


def test_transient_cause_ends_the_job_after_the_others(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    site.answers["/z.txt"] = faults.good(b"3 4\n")
    site.answers["/m.txt"] = faults.always(503)
    rows = [row(site, item) for item in "amz"]
    with pytest.raises(SeedlotError, match="1 of 3 items of nets") as caught:
        go(place, rows)
    assert "m: 127.0.0.1 answered 503" in caught.value.where
    assert not receipt_path(place.root, "nets", rows).exists()
    assert raw_path(place.root, "nets", rows[0]).exists() and raw_path(place.root, "nets", rows[2]).exists()
    site.answers["/m.txt"] = faults.good(b"5 6\n")
    assert all(one.status == "ok" for one in go(place, rows).values())
    assert len(site.asked("/a.txt")) == len(site.asked("/z.txt")) == 1


def test_host_that_keeps_failing_is_left_alone(site, place):
    rows = [row(site, f"n{k:02d}") for k in range(12)]
    for one in rows:
        site.answers[f"/{one.item}.txt"] = faults.always(500)
    with pytest.raises(SeedlotError, match="12 of 12") as caught:
        go(place, rows)
    assert "not asked again in this run" in caught.value.where
    assert len(site.seen) < 12 * QUICK.tries


def test_unknown_digest_is_locked_and_a_later_change_refused(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a")]
    go(place, rows)
    committed = commit_locks(place.root, "nets", place.resources / "manifests")
    assert sha(b"1 2\n") in committed.read_text()
    other = SimpleNamespace(**(vars(place) | {"root": place.root / "elsewhere"}))
    site.answers["/a.txt"] = faults.good(b"1 3\n")
    found = go(other, rows)["a"]
    assert found.status == "failed" and "expected sha256" in found.reason


def test_damaged_file_on_disk_is_kept_aside_and_fetched_again(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a")]
    go(place, rows)
    path = raw_path(place.root, "nets", rows[0])
    path.write_bytes(b"9 9\n")
    assert go(place, rows)["a"].sha256 == sha(b"1 2\n")
    assert path.with_name("a.txt.bad").read_bytes() == b"9 9\n" and len(site.seen) == 2


def test_at_most_per_host_requests_at_once(site, place):
    rows = [row(site, f"n{k}") for k in range(8)]
    for one in rows:
        site.answers[f"/{one.item}.txt"] = faults.counted(one.item.encode(), 0.03)
    go(place, rows)
    assert site.most_busy == QUICK.per_host


def test_offline_lists_what_is_missing_and_asks_nobody(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a", b"1 2\n"), row(site, "b", b"x" * 1_000_000)]
    with pytest.raises(SeedlotError, match=r"offline: 2 of 2 items of nets are not here \(1.0 MB known\)"):
        go(place, rows, offline=True)
    assert site.seen == []


def test_offline_with_everything_present_is_fine(site, place):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a", b"1 2\n")]
    go(place, rows)
    assert go(place, rows, offline=True)["a"].status == "ok" and len(site.seen) == 1


@pytest.mark.parametrize("layout", ["raw", "host", "flat"])
def test_mirror_folder_serves_before_the_url(site, place, tmp_path, layout):
    rows = [row(site, "a", b"1 2\n")]
    target = raw_path(place.root, "nets", rows[0])
    name = {"raw": target.relative_to(place.root / "raw"), "host": "127.0.0.1/a.txt", "flat": "a.txt"}[layout]
    path = tmp_path / "mirror" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"1 2\n")
    assert go(place, rows, mirrors=[str(tmp_path / "mirror")], offline=True)["a"].status == "ok"
    assert site.seen == []


def test_mirror_with_other_bytes_is_named_and_passed_over(site, place, tmp_path, capsys):
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "a.txt").write_bytes(b"1 3\n")
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    assert go(place, [row(site, "a", b"1 2\n")], mirrors=[str(tmp_path / "mirror")])["a"].sha256 == sha(
        b"1 2\n"
    )
    assert "mirror file" in capsys.readouterr().err


def test_mirror_url_is_tried_first_and_its_failure_is_no_failure(site, place):
    rows = [row(site, "a", b"1 2\n"), row(site, "b", b"3 4\n")]
    name = raw_path(place.root, "nets", rows[0]).relative_to(place.root / "raw").as_posix()
    site.answers[f"/m/{name}"] = faults.good(b"1 2\n")
    site.answers["/b.txt"] = faults.good(b"3 4\n")
    found = go(place, rows, mirrors=[site.url("/m/")])
    assert [one.status for one in found.values()] == ["ok", "ok"]
    assert site.asked("/a.txt") == [] and len(site.asked("/b.txt")) == 1


def test_mirror_url_is_not_trusted_for_a_file_of_unknown_digest(site, place):
    rows = [row(site, "a")]
    name = raw_path(place.root, "nets", rows[0]).relative_to(place.root / "raw").as_posix()
    site.answers[f"/m/{name}"] = faults.good(b"9 9\n")
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    assert go(place, rows, mirrors=[site.url("/m")])["a"].sha256 == sha(b"1 2\n")


@pytest.mark.parametrize("access", ["registration", "agreement"])
def test_gate_names_what_to_sign_and_the_variable(site, place, access):
    gated(place, access)
    one = go(place, [row(site, "a")])["a"]
    assert one.status == "no_access" and site.seen == []
    assert "https://nets.example/join" in one.reason and "SEEDLOT_NETS_KEY" in one.reason


@pytest.mark.parametrize("key", ["t0ps3cret", "ann:t0ps3cret"])
def test_key_opens_the_gate_and_appears_nowhere(site, place, key, capsys):
    gated(place, "registration")
    site.answers["/a.txt"] = faults.needs_key(b"1 2\n", key)
    rows = [row(site, "a"), row(site, "b")]
    site.answers["/b.txt"] = faults.always(401, f"bad {key}".encode())
    found = go(place, rows, environ={"SEEDLOT_NETS_KEY": key})
    assert (found["a"].status, found["b"].status) == ("ok", "no_access")
    texts = [path.read_bytes() for path in place.root.rglob("*") if path.is_file()]
    assert not any(b"t0ps3cret" in text for text in texts) and "t0ps3cret" not in capsys.readouterr().err


def test_key_is_not_carried_to_another_host_by_a_redirect(site, place):
    gated(place, "registration")
    site.answers["/a.txt"] = faults.redirect(site.url("/there").replace("127.0.0.1", "localhost"))
    site.answers["/there"] = faults.good(b"1 2\n")
    go(place, [row(site, "a")], environ={"SEEDLOT_NETS_KEY": "k"})
    assert site.asked("/a.txt")[0]["Authorization"] == "Bearer k"
    assert "Authorization" not in site.asked("/there")[0]


def archive(kind, members):
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as pack:
            for name, body in members.items():
                pack.writestr(name, body)
    else:
        with tarfile.open(fileobj=buffer, mode="w:bz2") as pack:
            for name, body in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(body)
                pack.addfile(info, io.BytesIO(body))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["zip", "tar.bz2"])
def test_items_of_one_archive_share_one_download(site, place, kind):
    body = archive(kind, {"d/a.net": b"A", "d/b.net": b"B"})
    site.answers[f"/all.{kind}"] = faults.good(body)
    inside = {"path": f"/all.{kind}", "container": f"all.{kind}", "body": body}
    rows = [row(site, name, member=f"d/{name}.net", **inside) for name in ("a", "b", "c")]
    found = go(place, rows)
    assert len(site.seen) == 1
    assert (place.root / found["b"].path).read_bytes() == b"B" and found["b"].sha256 == sha(b"B")
    assert found["c"].status == "missing" and "nearest name is 'd/" in found["c"].reason
    stamp = (place.root / found["a"].path).stat().st_mtime_ns
    (place.root / found["b"].path).write_bytes(b"?")
    again = go(place, rows)
    assert again["b"].sha256 == sha(b"B") and len(site.seen) == 1
    assert (place.root / found["a"].path).stat().st_mtime_ns == stamp


def test_broken_archive_fails_its_items_only(site, place):
    body = archive("zip", {"a.net": b"A" * 5000})
    body = body[: len(body) // 2]
    site.answers["/all.zip"] = faults.good(body)
    site.answers["/z.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a", path="/all.zip", container="all.zip", member="a.net"), row(site, "z")]
    found = go(place, rows)
    assert found["a"].status == "failed" and "not a readable zip or tar" in found["a"].reason
    assert found["z"].status == "ok"


def test_user_folder_is_copied_with_its_digest_checked(site, place, tmp_path):
    (tmp_path / "mine" / "sub").mkdir(parents=True)
    (tmp_path / "mine" / "sub" / "a.txt").write_bytes(b"1 2\n")
    (tmp_path / "mine" / "b.txt").write_bytes(b"1 2\n")
    extra = {"folder": str(tmp_path / "mine")}
    common = {"licence": "mine", "evidence": "my.tsv:2", "extra": extra}
    rows = [
        Row("a", "upstream", "mine", "folder:sub/a.txt", sha256=sha(b"1 2\n"), **common),
        Row("b", "upstream", "mine", "folder:b.txt", sha256=sha(b"1 3\n"), **common),
        Row("c", "upstream", "mine", "folder:c.txt", **common),
    ]
    found = go(place, rows, offline=True)
    assert {item: one.status for item, one in found.items()} == {"a": "ok", "b": "failed", "c": "missing"}
    assert str(tmp_path) not in found["a"].path
    extra["folder"] = str(tmp_path / "unplugged")
    rows.append(Row("d", "upstream", "mine", "folder:d.txt", **common))
    with pytest.raises(SeedlotError, match="could not be fetched|offline") as caught:
        go(place, rows)
    assert "unplugged' of the user's manifest is not there" in caught.value.where


def test_entry_takes_plain_params(site, place, monkeypatch):
    site.answers["/a.txt"] = faults.good(b"1 2\n")
    rows = [row(site, "a", extra={"format": "edges"})]
    params = {
        "source": "nets",
        "rows": json.loads(json.dumps([one.to_dict() for one in rows])),
        "offline": False,
        "mirrors": [],
        "resources": str(place.resources),
        "network": {"tries": 2, "wait_s": 0.01},
    }
    job = SimpleNamespace(params=params, root=place.root, output={"receipt": place.root / "r.tsv"})
    module.run(job)
    assert read_receipt(place.root / "r.tsv")[0].status == "ok"
    params["network"] = {"trys": 2}
    with pytest.raises(SeedlotError, match="did you mean 'tries'"):
        module.run(job)


def test_stopped_in_the_middle_leaves_no_final_file(site, place):
    body = b"z" * 400_000
    site.answers["/a.txt"] = faults.cut(body, 100_000, times=99)
    rows = [row(site, "a", body)]
    with pytest.raises(SeedlotError):
        go(place, rows)
    target = container_path(place.root, "nets", rows[0])
    assert not target.exists() and target.with_name("a.txt.part").stat().st_size > 0
