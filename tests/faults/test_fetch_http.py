"""One file from servers that misbehave."""

from __future__ import annotations

import hashlib
import json
import random
from email.utils import formatdate

import pytest
import server as faults

from seedlot.catalog.http import Permanent, Transient, Wanted, Web, download, open_client
from seedlot.catalog.limits import Limits

BODY = random.Random(1).randbytes(50_000)
OTHER = random.Random(2).randbytes(50_000)
QUICK = Limits(
    connect_s=2,
    read_s=0.4,
    slow_window_s=0.3,
    slow_bytes_per_s=1000,
    tries=3,
    max_attempts=12,
    wait_s=1,
    wait_cap_s=8,
)


def sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


@pytest.fixture
def site():
    with faults.FaultServer() as server:
        yield server


@pytest.fixture
def web():
    """A client whose waits are recorded, not slept."""
    with open_client(QUICK) as client:
        waits: list[float] = []
        notes: list[str] = []
        web = Web(client, QUICK, sleep=waits.append, note=notes.append)
        web.waits, web.notes = waits, notes
        yield web


def get(web, site, tmp_path, body=BODY, path="/data.bin", known=True):
    wanted = Wanted("data.bin", len(body), sha(body)) if known else Wanted("data.bin")
    web.moved = 0

    def count(change):
        web.moved += change

    return download(web, site.url(path), tmp_path / "data.bin", wanted, count)


def left(tmp_path):
    return sorted(path.name for path in tmp_path.iterdir())


def test_whole_file_in_one_request(site, web, tmp_path):
    site.answers["/data.bin"] = faults.good(BODY)
    got = get(web, site, tmp_path)
    assert (got.bytes, got.sha256) == (len(BODY), sha(BODY))
    assert (tmp_path / "data.bin").read_bytes() == BODY
    assert left(tmp_path) == ["data.bin"] and web.moved == len(BODY) and web.waits == []


def test_empty_file_is_a_file(site, web, tmp_path):
    site.answers["/data.bin"] = faults.good(b"")
    assert get(web, site, tmp_path, body=b"").bytes == 0


@pytest.mark.parametrize("known", [True, False], ids=["digest known", "digest unknown"])
def test_truncation_is_resumed_from_where_it_stopped(site, web, tmp_path, known):
    site.answers["/data.bin"] = faults.cut(BODY, 20_000, times=1)
    assert get(web, site, tmp_path, known=known).sha256 == sha(BODY)
    first, second = site.asked("/data.bin")
    assert "Range" not in first
    assert second["Range"] == "bytes=20000-" and second["If-Range"] == faults.etag(BODY)
    assert web.moved == len(BODY) and web.waits == [1]


def test_reset_in_mid_body_is_retried(site, web, tmp_path):
    site.answers["/data.bin"] = faults.reset(BODY, 20_000, times=1)
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert len(site.asked("/data.bin")) == 2


def test_part_of_a_killed_run_is_resumed_by_the_next(site, web, tmp_path):
    site.answers["/data.bin"] = faults.cut(BODY, 20_000, times=99, tag=faults.etag(BODY))
    with pytest.raises(Transient, match="gave up"):
        get(web, site, tmp_path)
    assert left(tmp_path) == ["data.bin.part", "data.bin.part.json"]
    site.answers["/data.bin"] = faults.good(BODY)
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert site.asked("/data.bin")[-1]["Range"] == "bytes=20000-"


def test_complete_part_is_used_without_a_request(site, web, tmp_path):
    site.answers["/data.bin"] = faults.cut(BODY, 20_000, times=99)
    with pytest.raises(Transient):
        get(web, site, tmp_path)
    (tmp_path / "data.bin.part").write_bytes(BODY)
    asked = len(site.seen)
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert len(site.seen) == asked


def test_server_without_ranges_starts_again(site, web, tmp_path):
    site.answers["/data.bin"] = faults.cut(BODY, 20_000, times=1, ranges=False)
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert web.moved == len(BODY)


def test_unknown_file_without_validator_is_never_resumed(site, web, tmp_path):
    site.answers["/data.bin"] = faults.cut(BODY, 20_000, times=1, tag="")
    assert get(web, site, tmp_path, known=False).sha256 == sha(BODY)
    assert all("Range" not in headers for headers in site.asked("/data.bin"))


@pytest.mark.parametrize("honest", [True, False], ids=["If-Range honoured", "If-Range ignored"])
def test_file_changed_between_resumes_is_taken_anew(site, web, tmp_path, honest):
    site.answers["/data.bin"] = faults.changes(BODY, OTHER, 20_000, honest=honest)
    assert get(web, site, tmp_path, known=False).sha256 == sha(OTHER)
    assert web.moved == len(OTHER)


def test_partial_answer_from_another_place_is_not_appended(site, web, tmp_path):
    def answer(handler, before):
        if before == 1:
            span = f"bytes 30000-{len(BODY) - 1}/{len(BODY)}"
            handler.plain(206, BODY[30_000:], Content_Range=span, ETag=faults.etag(BODY))
        else:
            faults.send(handler, BODY, faults.etag(BODY), stop_at=20_000 if before == 0 else None)

    site.answers["/data.bin"] = answer
    assert get(web, site, tmp_path, known=False).sha256 == sha(BODY)
    assert "Range" not in site.asked("/data.bin")[2]


def test_retry_after_in_seconds_is_waited(site, web, tmp_path):
    site.answers["/data.bin"] = faults.refuse(429, 1, BODY, Retry_After="7")
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert web.waits == [7.0]


def test_retry_after_as_a_date_is_waited(site, web, tmp_path):
    web.wall = lambda: 1_000_000_000.0
    site.answers["/data.bin"] = faults.refuse(
        503, 1, BODY, Retry_After=formatdate(1_000_000_030, usegmt=True)
    )
    get(web, site, tmp_path)
    assert web.waits == [30.0]


def test_retry_after_beyond_patience_ends_the_file(site, web, tmp_path):
    site.answers["/data.bin"] = faults.always(429, Retry_After="86400")
    with pytest.raises(Transient, match="asks to wait 86400 s"):
        get(web, site, tmp_path)
    assert web.waits == [] and len(site.seen) == 1


def test_503_backs_off_doubling_then_gives_up(site, web, tmp_path):
    web.limits = Limits(tries=5, wait_s=1, wait_cap_s=5)
    site.answers["/data.bin"] = faults.always(503)
    with pytest.raises(Transient, match="answered 503"):
        get(web, site, tmp_path)
    assert web.waits == [1, 2, 4, 5]


def test_attempts_that_bring_bytes_do_not_use_up_the_tries(site, web, tmp_path):
    def answer(handler, before):
        start = int(handler.headers.get("Range", "bytes=0-")[6:-1])
        faults.send(handler, BODY, faults.etag(BODY), stop_at=min(start + 6_000, len(BODY)))

    site.answers["/data.bin"] = answer
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert len(site.seen) == 9 > web.limits.tries


@pytest.mark.parametrize("code", [404, 410])
def test_gone_is_missing_at_once(site, web, tmp_path, code):
    site.answers["/data.bin"] = faults.always(code)
    with pytest.raises(Permanent, match=str(code)) as caught:
        get(web, site, tmp_path)
    assert caught.value.status == "missing" and len(site.seen) == 1 and left(tmp_path) == []


@pytest.mark.parametrize("code", [401, 403, 451])
def test_refused_is_no_access(site, web, tmp_path, code):
    site.answers["/data.bin"] = faults.always(code)
    with pytest.raises(Permanent) as caught:
        get(web, site, tmp_path)
    assert caught.value.status == "no_access"


def test_403_with_retry_after_is_a_rate_limit(site, web, tmp_path):
    site.answers["/data.bin"] = faults.refuse(403, 1, BODY, Retry_After="2")
    assert get(web, site, tmp_path).sha256 == sha(BODY)


@pytest.mark.parametrize("answer", [204, 400, 206])
def test_odd_codes_are_failures(site, web, tmp_path, answer):
    site.answers["/data.bin"] = faults.always(answer, b"" if answer == 204 else b"x")
    with pytest.raises(Permanent, match=f"answered {answer}"):
        get(web, site, tmp_path)


def test_longer_than_the_manifest_is_refused_before_the_body(site, web, tmp_path):
    site.answers["/data.bin"] = faults.good(BODY + b"more")
    with pytest.raises(Permanent, match=f"expected {len(BODY)} bytes, 127.0.0.1 offers {len(BODY) + 4}"):
        get(web, site, tmp_path)
    assert left(tmp_path) == []


def test_declared_length_never_reached_gives_up(site, web, tmp_path):
    site.answers["/data.bin"] = faults.wrong_length(BODY, len(BODY) + 1000)
    with pytest.raises(Transient, match="gave up after 3 tries"):
        get(web, site, tmp_path, known=False)
    assert not (tmp_path / "data.bin").exists()


def test_endless_body_stops_at_the_expected_size(site, web, tmp_path):
    def answer(handler, before):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while True:
            handler.wfile.write(b"2710\r\n" + b"x" * 10_000 + b"\r\n")

    site.answers["/data.bin"] = answer
    with pytest.raises(Permanent, match="more than the 50000 bytes"):
        get(web, site, tmp_path)
    assert left(tmp_path) == []


def test_wrong_digest_twice_is_kept_aside_and_failed(site, web, tmp_path):
    site.answers["/data.bin"] = faults.good(OTHER)
    with pytest.raises(Permanent, match="twice the same bytes, kept as data.bin.bad") as caught:
        get(web, site, tmp_path)
    assert caught.value.status == "failed" and sha(BODY)[:16] in caught.value.reason
    assert left(tmp_path) == ["data.bin.bad"]
    assert (tmp_path / "data.bin.bad").read_bytes() == OTHER and web.moved == 0


def test_wrong_digest_once_is_mended_by_a_fresh_start(site, web, tmp_path):
    site.answers["/data.bin"] = faults.alternating(OTHER, BODY)
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert all("Range" not in headers for headers in site.seen[1][1:])


def test_resume_onto_foreign_bytes_is_caught_by_the_digest(site, web, tmp_path):
    site.answers["/data.bin"] = faults.cut(BODY, 20_000, times=1, tag="")
    (tmp_path / "data.bin.part").write_bytes(OTHER[:10_000])
    facts = {"url": site.url("/data.bin"), "validator": "", "total": None}
    (tmp_path / "data.bin.part.json").write_text(json.dumps(facts))
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert (tmp_path / "data.bin.bad").exists()


def test_redirect_loop_is_a_failure(site, web, tmp_path):
    site.answers["/data.bin"] = faults.redirect("/other")
    site.answers["/other"] = faults.redirect("/data.bin")
    with pytest.raises(Permanent, match="more than 8 redirects"):
        get(web, site, tmp_path)
    assert len(site.seen) == 9


def test_redirect_is_followed_with_the_range(site, web, tmp_path):
    site.answers["/data.bin"] = faults.redirect("/there")
    site.answers["/there"] = faults.cut(BODY, 20_000, times=1)
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert site.asked("/there")[1]["Range"] == "bytes=20000-"


def test_redirect_to_another_scheme_is_refused(site, web, tmp_path):
    site.answers["/data.bin"] = faults.redirect("ftp://example.org/data.bin")
    with pytest.raises(Permanent, match="redirects"):
        get(web, site, tmp_path)


def test_slow_drip_is_cut_and_resumed(site, web, tmp_path):
    site.answers["/data.bin"] = faults.drip(BODY, 0.02, times=1)
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert any("too slow" in line for line in web.notes)
    assert "Range" in site.asked("/data.bin")[1]


def test_silence_is_a_timeout_and_retried(site, web, tmp_path):
    calm = faults.good(BODY)
    site.answers["/data.bin"] = lambda handler, before: (faults.silent(0.8) if before == 0 else calm)(
        handler, before
    )
    assert get(web, site, tmp_path).sha256 == sha(BODY)
    assert any("went silent" in line for line in web.notes)


@pytest.mark.parametrize("known", [True, False], ids=["size known", "size unknown"])
@pytest.mark.parametrize(
    "page, kind",
    [
        (b"<!DOCTYPE html><title>Sign in</title>", "text/html; charset=utf-8"),
        (b"\n  <HTML><body>maintenance</body></HTML>", "application/octet-stream"),
        (b"<!-- proxy --><html></html>", "text/html"),
    ],
    ids=["doctype", "page sent as binary", "comment first"],
)
def test_web_page_instead_of_data_is_named(site, web, tmp_path, page, kind, known):
    wanted = page if kind != "text/html; charset=utf-8" else BODY
    site.answers["/data.bin"] = faults.always(200, page, Content_Type=kind)
    with pytest.raises(Permanent, match="a web page instead of data"):
        get(web, site, tmp_path, body=wanted, known=known)
    assert left(tmp_path) == []


def test_xml_data_sent_as_html_without_a_page_is_data(site, web, tmp_path):
    text = b"*Vertices 2\n1\n2\n*Edges\n1 2\n"
    site.answers["/data.bin"] = faults.always(200, text, Content_Type="text/html")
    assert get(web, site, tmp_path, body=text).sha256 == sha(text)


def test_compression_in_transit_is_refused(site, web, tmp_path):
    site.answers["/data.bin"] = faults.always(200, BODY, Content_Encoding="gzip")
    with pytest.raises(Permanent, match="compresses in transit"):
        get(web, site, tmp_path)


def test_gz_file_labelled_as_encoded_keeps_its_bytes(site, web, tmp_path):
    site.answers["/x.gz"] = faults.always(200, BODY, Content_Encoding="gzip")
    wanted = Wanted("x.gz", len(BODY), sha(BODY))
    download(web, site.url("/x.gz"), tmp_path / "x.gz", wanted, lambda change: None)
    assert (tmp_path / "x.gz").read_bytes() == BODY


def test_unreachable_host_is_transient_and_named(web, tmp_path):
    with faults.FaultServer() as closed:
        url = closed.url("/data.bin")
    with pytest.raises(Transient, match="cannot reach 127.0.0.1"):
        download(web, url, tmp_path / "data.bin", Wanted("data.bin"), lambda change: None)


def test_full_disk_is_said_before_the_transfer(site, web, tmp_path, monkeypatch):
    monkeypatch.setattr("seedlot.catalog.http.shutil.disk_usage", lambda path: type("U", (), {"free": 10}))
    site.answers["/data.bin"] = faults.good(BODY)
    with pytest.raises(Transient, match="needs 50000 bytes, 10 are free"):
        get(web, site, tmp_path)
