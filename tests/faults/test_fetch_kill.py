"""Killed fetches, fetches at the same time, and what a person sees meanwhile."""

from __future__ import annotations

import hashlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest
import server as faults

from seedlot.catalog.fetch import Options, fetch
from seedlot.catalog.manifest import Row, container_path
from seedlot.catalog.progress import Progress
from seedlot.catalog.receipts import read_receipt, write_receipt
from seedlot.config.errors import SeedlotError

CHILD = """
import json, sys
from pathlib import Path
from types import SimpleNamespace
from seedlot.catalog.fetch import run
url, root = sys.argv[1:]
row = {"item": "a", "origin": "upstream", "release": "r", "url": url, "licence": "l", "evidence": "e"}
params = {"source": "nets", "rows": [row], "resources": root + "/none"}
run(SimpleNamespace(params=params, root=Path(root), output={"receipt": Path(root) / "r.tsv"}))
"""


@pytest.fixture
def site():
    with faults.FaultServer() as server:
        yield server


def test_sigkill_in_mid_body_then_the_next_run_resumes(site, tmp_path):
    body = os.urandom(300_000)

    def answer(handler, before):
        if before:
            faults.send(handler, body, faults.etag(body))
            return
        handler.send_response(200)
        handler.send_header("ETag", faults.etag(body))
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:200_000])
        handler.wfile.flush()
        time.sleep(20)

    site.answers["/a.bin"] = answer
    row = Row("a", "upstream", "r", site.url("/a.bin"), licence="l", evidence="e")
    part = container_path(tmp_path, "nets", row).with_name("a.bin.part")
    command = [sys.executable, "-c", CHILD, row.url, str(tmp_path)]
    source = str(Path(__file__).parents[2] / "src")
    child = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": source}, stderr=subprocess.PIPE)
    end = time.monotonic() + 10
    while not (part.exists() and part.stat().st_size > 100_000) and time.monotonic() < end:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert not (tmp_path / "r.tsv").exists() and part.stat().st_size > 100_000
    held = part.stat().st_size
    fetch([row], "nets", tmp_path, tmp_path / "r.tsv", Options(resources=tmp_path / "none", environ={}))
    (one,) = read_receipt(tmp_path / "r.tsv")
    assert one.sha256 == hashlib.sha256(body).hexdigest()
    assert site.asked("/a.bin")[1]["Range"] == f"bytes={held}-"
    assert sorted(path.name for path in part.parent.iterdir()) == ["a.bin"]


def test_two_jobs_that_need_one_container_fetch_it_once(site, tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as pack:
        for name in "ab":
            pack.writestr(name, name * 1000)
    site.answers["/all.zip"] = faults.counted(buffer.getvalue(), 0.1)
    errors = []

    def job(name):
        row = Row(name, "upstream", "r", site.url("/all.zip"), "all.zip", name, licence="l", evidence="e")
        try:
            fetch([row], "nets", tmp_path, tmp_path / f"{name}.tsv", Options(resources=tmp_path, environ={}))
        except SeedlotError as error:
            errors.append(error)

    threads = [threading.Thread(target=job, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and len(site.seen) == 1
    assert {read_receipt(tmp_path / f"{name}.tsv")[0].status for name in "ab"} == {"ok"}


class Screen(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


def test_progress_is_plain_and_rare_outside_a_terminal():
    now = [0.0]
    screen = Screen(False)
    progress = Progress("fetch nets", 2, screen, every_s=30, clock=lambda: now[0])
    for _ in range(100):
        now[0] += 1
        progress.add_bytes(10_000)
    progress.add_file()
    progress.close()
    assert screen.getvalue().splitlines() == [
        "fetch nets: 0 of 2 files, 0.3 MB",
        "fetch nets: 0 of 2 files, 0.6 MB",
        "fetch nets: 0 of 2 files, 0.9 MB",
        "fetch nets: 1 of 2 files, 1.0 MB",
    ]


def test_progress_says_nothing_when_nothing_moved():
    screen = Screen(False)
    progress = Progress("fetch nets", 2, screen)
    progress.add_file()
    progress.close()
    assert screen.getvalue() == ""


def test_progress_is_a_bar_on_a_terminal():
    screen = Screen(True)
    progress = Progress("fetch nets", 1, screen)
    progress.add_bytes(5_000_000)
    progress.add_file()
    progress.note("odd")
    progress.close()
    assert "5.00M" in screen.getvalue() and "1/1 files" in screen.getvalue()
    assert "fetch nets: odd\n" in screen.getvalue()


def test_damaged_receipt_is_refused_with_its_line(tmp_path):
    write_receipt(tmp_path / "r.tsv", [])
    assert read_receipt(tmp_path / "r.tsv") == []
    text = (tmp_path / "r.tsv").read_text()
    for cells, message in (
        ("a\tp\t1\tx\tu\tmising\t", "did you mean 'missing'"),
        ("a\tp\t-1\tx\tu\tok\t", "whole number"),
    ):
        (tmp_path / "r.tsv").write_text(text + cells + "\n")
        with pytest.raises(SeedlotError, match=message) as caught:
            read_receipt(tmp_path / "r.tsv")
        assert "r.tsv:2" in str(caught.value)
