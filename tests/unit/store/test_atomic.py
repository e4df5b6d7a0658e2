"""Files appear whole or not at all, and nothing temporary stays behind."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store.atomic import atomic_folder, atomic_path, read_json, write_json, write_text


def test_a_block_that_ends_well_leaves_one_file(tmp_path):
    with atomic_path(tmp_path / "deep" / "a.txt") as part:
        part.write_text("new")
        assert not (tmp_path / "deep" / "a.txt").exists()
        assert not list((tmp_path / "deep").glob("*.txt")), "a glob must not see the temporary file"
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["a.txt"]


def test_a_block_that_raises_leaves_the_old_file(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(RuntimeError), atomic_path(tmp_path / "a.txt") as part:
        part.write_text("half")
        raise RuntimeError
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_process_killed_inside_the_block_leaves_the_old_file(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    code = (
        "import os, signal, sys\nfrom seedlot.store.atomic import atomic_path\n"
        "with atomic_path(sys.argv[1]) as part:\n"
        "    part.write_text('half')\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    source = str(Path(__file__).resolve().parents[3] / "src")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.txt")], env={**os.environ, "PYTHONPATH": source}
    )
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_folder_replaces_a_filled_folder(tmp_path):
    for word in ("old", "new"):
        with atomic_folder(tmp_path / "f") as part:
            (part / f"{word}.txt").write_text(word)
    assert [p.name for p in (tmp_path / "f").iterdir()] == ["new.txt"]
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_folder_block_that_raises_leaves_the_old_folder(tmp_path):
    with atomic_folder(tmp_path / "f") as part:
        (part / "old.txt").write_text("old")
    with pytest.raises(RuntimeError), atomic_folder(tmp_path / "f") as part:
        (part / "half.txt").write_text("half")
        raise RuntimeError
    assert [str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.txt")] == ["f/old.txt"]


def test_json_has_sorted_keys_and_refuses_nan(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": "é"})
    assert (tmp_path / "a.json").read_bytes() == '{\n  "a": "é",\n  "b": 1\n}\n'.encode()
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": "é", "b": 1}
    with pytest.raises(ValueError):
        write_json(tmp_path / "b.json", {"a": float("nan")})
    assert not (tmp_path / "b.json").exists()


def test_text_keeps_its_line_ends(tmp_path):
    write_text(tmp_path / "a.txt", "a\r\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == b"a\r\nb\n"


def test_a_damaged_json_file_is_named_with_what_to_do(tmp_path):
    path = tmp_path / "verdict.json"
    path.write_text('{"status": ')
    with pytest.raises(SeedlotError, match="not whole JSON") as error:
        read_json(path)
    assert error.value.where == str(path) and "audit --repair" in error.value.todo
    write_json(path, {"a": 1})
    assert read_json(path) == {"a": 1}
