"""Lineage records: found from any output, replaced when outputs change hands, and the refusal of changed inputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.store.lineage import Sidecars, check_inputs


def made(root: Path, rule: str, *outputs: str, text: str = "x\n") -> dict:
    """Write outputs below a root and their record."""
    paths = [root / name for name in outputs]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    record = {"rule": rule, "inputs": {}, "outputs": lineage.describe(paths, root)}
    lineage.write(root, record)
    return record


def test_a_record_is_found_from_each_of_its_outputs(tmp_path):
    made(tmp_path, "curate", "a/one.txt", "a/two.txt")
    sidecars = Sidecars.scan(tmp_path)
    assert sidecars.of(tmp_path / "a/one.txt") == sidecars.of(tmp_path / "a/two.txt")
    assert sidecars.of(tmp_path / "a/one.txt")["rule"] == "curate"
    assert sidecars.of(tmp_path / "a/three.txt") is None


def test_names_are_relative_to_the_root_or_to_the_clone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "scratch"
    assert lineage.relative(root / "a/b.txt", root) == "root:a/b.txt"
    assert lineage.relative(tmp_path / "resources/x.tsv", root) == "resources/x.tsv"
    assert lineage.absolute("root:a/b.txt", root) == root / "a/b.txt"
    assert lineage.absolute("resources/x.tsv", root) == Path("resources/x.tsv")


def test_records_hold_no_machine_path(tmp_path):
    made(tmp_path, "curate", "a/one.txt")
    (file,) = (tmp_path / "lineage").glob("*.json")
    assert str(tmp_path) not in file.read_text()


def test_a_record_tells_size_digest_and_time(tmp_path):
    record = made(tmp_path, "curate", "one.txt", text="seed\n")
    told = record["outputs"]["root:one.txt"]
    assert told["bytes"] == 5
    assert told["sha256"] == "4a6689419b00b11700c9b6246bcfa8936c8f5e1e824db3a7e57030e2d1c1a684"  # sha256sum
    assert told["mtime_ns"] == (tmp_path / "one.txt").stat().st_mtime_ns


def test_an_output_that_another_job_now_writes_belongs_to_that_job_alone(tmp_path):
    made(tmp_path, "old", "one.txt", "two.txt")
    made(tmp_path, "new", "one.txt")
    records = Sidecars.scan(tmp_path).all()
    assert [r["rule"] for r in records] == ["new"]
    assert Sidecars.scan(tmp_path).of(tmp_path / "one.txt")["rule"] == "new"


def test_running_a_job_again_replaces_its_record(tmp_path):
    made(tmp_path, "job", "one.txt", text="a")
    made(tmp_path, "job", "one.txt", text="b")
    assert len(list((tmp_path / "lineage").glob("*.json"))) == 1


def test_a_job_with_too_many_outputs_is_an_error_of_the_rule():
    with pytest.raises(ValueError, match="17 outputs"):
        lineage.sidecar_name([f"root:{i}" for i in range(17)])


# -- inputs --------------------------------------------------------------------------------------------
def inputs(root: Path, *names: str) -> dict:
    return check_inputs([root / name for name in names], root, Sidecars.scan(root))


def test_an_untouched_input_passes_with_its_recorded_digest(tmp_path):
    record = made(tmp_path, "curate", "one.txt")
    found = inputs(tmp_path, "one.txt")
    assert found["root:one.txt"]["sha256"] == record["outputs"]["root:one.txt"]["sha256"]


@pytest.mark.parametrize("text", ["y\n", "longer\n", ""], ids=["same size", "longer", "emptied"])
def test_a_changed_input_is_refused_with_the_command_that_mends_it(tmp_path, text):
    made(tmp_path, "curate", "one.txt")
    (tmp_path / "one.txt").write_text(text)
    with pytest.raises(SeedlotError) as caught:
        inputs(tmp_path, "one.txt")
    message = str(caught.value)
    assert "changed after rule 'curate' wrote it" in message
    assert "one.txt" in message and "seedlot audit --repair" in message


def test_a_missing_input_is_refused(tmp_path):
    made(tmp_path, "curate", "one.txt")
    (tmp_path / "one.txt").unlink()
    with pytest.raises(SeedlotError, match="gone although"):
        inputs(tmp_path, "one.txt")


def test_a_result_without_a_record_is_refused(tmp_path):
    (tmp_path / "stray.txt").write_text("x")
    with pytest.raises(SeedlotError, match="no lineage record"):
        inputs(tmp_path, "stray.txt")


def test_a_committed_file_needs_no_record_and_is_hashed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("expected.tsv").write_text("table\trows\n")
    found = check_inputs([Path("expected.tsv")], tmp_path / "results", Sidecars.scan(tmp_path / "results"))
    assert list(found) == ["expected.tsv"] and len(found["expected.tsv"]["sha256"]) == 64


def test_a_touch_without_a_change_passes(tmp_path):
    made(tmp_path, "curate", "one.txt")
    (tmp_path / "one.txt").touch()
    assert inputs(tmp_path, "one.txt")


def test_a_large_file_is_trusted_by_its_size(tmp_path, monkeypatch):
    made(tmp_path, "curate", "big.bin", text="abcd")
    monkeypatch.setattr(lineage, "FULL_CHECK_BYTES", 3)
    (tmp_path / "big.bin").write_text("abce")
    assert inputs(tmp_path, "big.bin")
    (tmp_path / "big.bin").write_text("abcde")
    with pytest.raises(SeedlotError, match="was changed"):
        inputs(tmp_path, "big.bin")


# -- markers of unfinished jobs ------------------------------------------------------------------------
def test_outputs_of_a_job_that_began_are_pending_until_its_marker_goes(tmp_path):
    outputs = [tmp_path / "b.txt", tmp_path / "a.txt"]
    marker = lineage.mark_pending(tmp_path, outputs)
    assert lineage.pending(tmp_path) == sorted(outputs)
    marker.unlink()
    assert lineage.pending(tmp_path) == []


def test_a_marker_is_no_record(tmp_path):
    lineage.mark_pending(tmp_path, [tmp_path / "a.txt"])
    assert Sidecars.scan(tmp_path).all() == []


def test_a_job_that_began_twice_has_one_marker(tmp_path):
    lineage.mark_pending(tmp_path, [tmp_path / "a.txt"])
    lineage.mark_pending(tmp_path, [tmp_path / "a.txt"])
    assert lineage.pending(tmp_path) == [tmp_path / "a.txt"]


def test_a_root_without_lineage_has_nothing(tmp_path):
    assert Sidecars.scan(tmp_path / "absent").all() == [] and lineage.pending(tmp_path / "absent") == []


def test_records_are_sorted_json(tmp_path):
    made(tmp_path, "curate", "one.txt")
    (file,) = (tmp_path / "lineage").glob("*.json")
    data = json.loads(file.read_text())
    assert file.read_text() == json.dumps(data, indent=2, sort_keys=True) + "\n"
