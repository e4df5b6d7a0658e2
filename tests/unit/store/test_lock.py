"""One writer per results root: a dead holder is replaced, a living one is named."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store import lock


def write(root, **holder) -> None:
    base = {"user": "ann", "host": socket.gethostname(), "pid": os.getpid(), "started": None}
    (root / lock.NAME).write_text(json.dumps(base | holder))


def holder(root) -> dict:
    return json.loads((root / lock.NAME).read_text())


@pytest.fixture
def living():
    """A process that lives as long as the test."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    return process.pid


def test_the_lock_names_user_host_and_process_and_is_given_back(tmp_path):
    lock.acquire(tmp_path / "results")
    told = holder(tmp_path / "results")
    assert (told["host"], told["pid"]) == (socket.gethostname(), os.getpid()) and told["user"]
    lock.release(tmp_path / "results")
    assert list((tmp_path / "results").iterdir()) == []


def test_a_dead_holder_on_this_host_is_replaced_at_once(tmp_path):
    write(tmp_path, pid=dead_pid(), started="1")
    lock.acquire(tmp_path)
    assert holder(tmp_path)["pid"] == os.getpid()


def test_a_living_holder_is_refused_with_user_host_and_process(tmp_path, living):
    write(tmp_path, pid=living.pid, started=lock._started(living.pid))
    with pytest.raises(SeedlotError) as caught:
        lock.acquire(tmp_path)
    text = str(caught.value)
    assert f"ann on {socket.gethostname()}, process {living.pid}" in text
    assert f"kill {living.pid}" in text and "`root:`" in text
    assert holder(tmp_path)["pid"] == living.pid
    assert [p.name for p in tmp_path.iterdir()] == [lock.NAME]


def test_a_process_number_that_was_given_anew_counts_as_dead(tmp_path, living):
    write(tmp_path, pid=living.pid, started="1")
    lock.acquire(tmp_path)
    assert holder(tmp_path)["pid"] == os.getpid()


def test_a_holder_on_another_host_is_refused_and_the_file_to_remove_is_named(tmp_path):
    write(tmp_path, host="node17.example", pid=1, started="1")
    with pytest.raises(SeedlotError) as caught:
        lock.acquire(tmp_path)
    assert "node17.example" in str(caught.value) and str(tmp_path / lock.NAME) in str(caught.value)


def test_a_process_may_take_its_own_root_twice(tmp_path):
    lock.acquire(tmp_path)
    lock.acquire(tmp_path)
    lock.release(tmp_path)
    assert not (tmp_path / lock.NAME).exists()


def test_a_lock_cut_short_by_a_full_disk_is_replaced(tmp_path):
    (tmp_path / lock.NAME).write_text('{"user": "an')
    lock.acquire(tmp_path)
    assert holder(tmp_path)["pid"] == os.getpid()


def test_release_leaves_the_lock_of_another_process(tmp_path, living):
    write(tmp_path, pid=living.pid)
    lock.release(tmp_path)
    assert holder(tmp_path)["pid"] == living.pid
    lock.release(tmp_path / "absent")


@pytest.mark.parametrize("left_behind", [False, True], ids=["free", "dead holder"])
def test_of_many_that_ask_at_once_exactly_one_process_gets_it(tmp_path, left_behind):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom seedlot.store import lock\n"
        "print('ready', flush=True)\nsys.stdin.readline()\n"
        "lock.acquire(Path(sys.argv[1]))\nprint('mine', flush=True)\ntime.sleep(60)\n"
    )
    if left_behind:
        write(tmp_path, pid=dead_pid(), started="1")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], **pipes) for _ in range(4)]
    try:
        assert [p.stdout.readline() for p in started] == ["ready\n"] * 4
        for process in started:
            process.stdin.write("go\n")
            process.stdin.flush()
        answers = [p.stdout.readline() for p in started]
        assert sorted(answers) == ["", "", "", "mine\n"]
        winner = started[answers.index("mine\n")]
        assert holder(tmp_path)["pid"] == winner.pid
        assert all("another run writes" in p.stderr.read() for p in started if p is not winner)
        assert [p.name for p in tmp_path.iterdir()] == [lock.NAME]
    finally:
        for process in started:
            process.kill()
            process.communicate()


def test_a_lock_taken_while_a_dead_one_was_looked_at_stays(tmp_path, living):
    write(tmp_path, pid=dead_pid(), started="1")
    seen = (tmp_path / lock.NAME).read_text()
    write(tmp_path, pid=living.pid, started=lock._started(living.pid))
    lock._clear(tmp_path / lock.NAME, seen)
    assert holder(tmp_path)["pid"] == living.pid
    with pytest.raises(SeedlotError, match="another run"):
        lock.acquire(tmp_path)
