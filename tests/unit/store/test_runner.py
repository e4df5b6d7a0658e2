"""Running one job: what it leaves behind when it ends well and when it does not, and what a person reads."""

from __future__ import annotations

import sys
import types

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.store.job import Job
from seedlot.store.runner import LIBRARIES, execute, flat, main


@pytest.fixture
def entries(monkeypatch):
    """A module of entries that jobs can name."""
    module = types.ModuleType("toy_entries")

    def copy(job: Job) -> None:
        job.output["copy"].write_text(job.path("text").read_text() if "text" in job.input else "made\n")

    def refuse(job: Job) -> None:
        raise SeedlotError("expected 3 columns, saw 2", where="a.tsv:7", todo="mend the row")

    def crash(job: Job) -> None:
        raise ZeroDivisionError("no such thing")

    def lazy(job: Job) -> None:
        pass

    module.copy, module.refuse, module.crash, module.lazy = copy, refuse, crash, lazy
    monkeypatch.setitem(sys.modules, "toy_entries", module)
    return module


def job(root, text=None, **more) -> Job:
    given = {} if text is None else {"text": text}
    output = {"copy": root / "deep/er/copy.txt"}
    return Job(
        "toy", given, output, {"b": 1, "a": [2]}, root=root, code="c0de", log=root / "logs/toy.log", **more
    )


def test_a_job_that_ends_well_leaves_its_record_and_no_marker(tmp_path, entries):
    execute(job(tmp_path), "toy_entries:copy")
    record = lineage.Sidecars.scan(tmp_path).of(tmp_path / "deep/er/copy.txt")
    assert (record["rule"], record["entry"], record["code"]) == ("toy", "toy_entries:copy", "c0de")
    assert record["params"] == {"a": [2], "b": 1}
    assert record["versions"]["python"] == sys.version.split()[0]
    assert lineage.pending(tmp_path) == []


def test_the_record_tells_the_digests_of_the_inputs(tmp_path, entries):
    execute(job(tmp_path), "toy_entries:copy")
    first = tmp_path / "deep/er/copy.txt"
    second = Job("next", {"text": first}, {"copy": tmp_path / "second.txt"}, root=tmp_path)
    execute(second, "toy_entries:copy")
    record = lineage.Sidecars.scan(tmp_path).of(tmp_path / "second.txt")
    assert record["inputs"]["root:deep/er/copy.txt"]["sha256"] == lineage.file_sha256(first)


@pytest.mark.parametrize("name", ["refuse", "crash", "lazy"])
def test_a_job_that_fails_leaves_its_marker_and_no_record(tmp_path, entries, name):
    assert main(job(tmp_path), f"toy_entries:{name}") == 1
    assert lineage.pending(tmp_path) == [tmp_path / "deep/er/copy.txt"]
    assert lineage.Sidecars.scan(tmp_path).all() == []


def test_a_job_that_fails_and_then_succeeds_is_no_longer_pending(tmp_path, entries):
    assert main(job(tmp_path), "toy_entries:crash") == 1
    assert main(job(tmp_path), "toy_entries:copy") == 0
    assert lineage.pending(tmp_path) == []


def test_a_changed_input_is_refused_before_the_entry_runs(tmp_path, entries):
    execute(job(tmp_path), "toy_entries:copy")
    first = tmp_path / "deep/er/copy.txt"
    first.write_text("tampered\n")
    second = Job("next", {"text": [first]}, {"copy": tmp_path / "second.txt"}, root=tmp_path)
    with pytest.raises(SeedlotError, match="was changed after rule 'toy' wrote it"):
        execute(second, "toy_entries:copy")
    assert not (tmp_path / "second.txt").exists()


def test_an_output_that_was_not_written_is_named(tmp_path, entries):
    with pytest.raises(SeedlotError, match=r"did not write .*copy\.txt"):
        execute(job(tmp_path), "toy_entries:lazy")


def test_an_error_for_a_person_is_printed_without_a_traceback(tmp_path, entries, capsys):
    main(job(tmp_path), "toy_entries:refuse")
    printed = capsys.readouterr().err
    assert "rule toy: expected 3 columns, saw 2" in printed
    assert "a.tsv:7" in printed and "mend the row" in printed and "Traceback" not in printed
    assert "expected 3 columns" in (tmp_path / "logs/toy.log").read_text()


def test_a_crash_is_one_line_on_screen_and_a_traceback_in_the_log(tmp_path, entries, capsys):
    main(job(tmp_path), "toy_entries:crash")
    printed = capsys.readouterr().err
    assert "ZeroDivisionError: no such thing" in printed and "toy.log" in printed
    assert "Traceback" not in printed
    assert "Traceback" in (tmp_path / "logs/toy.log").read_text()


def test_the_first_line_of_the_log_names_package_rule_and_entry(tmp_path, entries):
    main(job(tmp_path), "toy_entries:copy")
    first = (tmp_path / "logs/toy.log").read_text().splitlines()[0]
    assert "seedlot 0." in first and "rule toy" in first and "toy_entries:copy" in first


def test_versions_name_only_libraries_that_were_loaded(tmp_path, entries, monkeypatch):
    for name in LIBRARIES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "numpy", types.ModuleType("numpy"))
    execute(job(tmp_path), "toy_entries:copy")
    record = lineage.Sidecars.scan(tmp_path).of(tmp_path / "deep/er/copy.txt")
    assert set(record["versions"]) == {"python", "seedlot", "numpy"}


def test_a_job_names_one_file_or_several(tmp_path):
    made = Job("toy", {"one": tmp_path / "a", "two": [tmp_path / "b", tmp_path / "c"]}, {})
    assert made.path("one") == tmp_path / "a" and made.paths("one") == [tmp_path / "a"]
    assert made.paths("two") == [tmp_path / "b", tmp_path / "c"]
    with pytest.raises(SeedlotError, match="'two' is 2 files"):
        made.path("two")
    assert flat(made.input.values()) == [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
