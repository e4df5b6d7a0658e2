"""`seedlot audit` names every kind of damage; `--repair` rebuilds only that and loses nothing when it fails."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from handmade_root import Root, make_clone, proteins

from seedlot.cli import main
from seedlot.commands import _repair
from seedlot.commands._findings import inspect, run_of
from seedlot.store import lineage


@pytest.fixture
def root(tmp_path, monkeypatch) -> Root:
    clone = make_clone(tmp_path / "clone")
    monkeypatch.chdir(clone)
    return Root(clone)


def kinds(root: Root, **options) -> list[tuple[str, str]]:
    """(kind, path below the root) of every finding."""
    found, _ = inspect(root.path, **options)
    return [(f.kind, f.path.relative_to(root.path).as_posix()) for f in found]


def test_an_intact_root_has_no_findings(root, capsys):
    proteins(root)
    assert main(["audit"]) == 0
    assert "5 files checked: all as recorded" in capsys.readouterr().out


def test_missing_changed_and_raw_files_are_told_apart(root, capsys):
    made = proteins(root)
    made["table"].unlink()
    text = made["verdict"].read_text()
    made["verdict"].write_text(text.replace("demo", "dema"))
    raw = root.file("raw/uniprot/simulated/sim1/files/thin")
    raw.write_text("short")
    assert kinds(root) == [
        ("changed", "datasets/demo/_work/uniprot/verdict.json"),
        ("missing", "datasets/demo/core_uniprot__proteins/b000.parquet"),
        ("raw changed", "raw/uniprot/simulated/sim1/files/thin"),
    ]
    raw.unlink()
    assert ("raw missing", "raw/uniprot/simulated/sim1/files/thin") in kinds(root)
    assert ("changed", "datasets/demo/_work/uniprot/verdict.json") not in kinds(root, quick=True), (
        "equal size"
    )
    assert main(["audit"]) == 1
    assert "--repair" in capsys.readouterr().out


def test_a_zarr_store_is_held_against_its_lot(root):
    import json

    import numpy as np
    import zarr

    from seedlot.store.lot import zarr_lot

    store = root.file("datasets/demo/core_x__fields/b0.zarr")
    array = zarr.open_group(store, mode="w").create_array("u", data=np.arange(6.0))
    told = {
        "store": "b0.zarr",
        "contract": "core_x__fields@1.0.0",
        "lot": zarr_lot(store, "core_x__fields@1.0.0"),
    }
    manifest = root.text("datasets/demo/core_x__fields/b0.json", json.dumps(told))
    root.job("curate", [], [manifest])
    assert kinds(root) == []
    array[3] = -1.0
    assert kinds(root) == [("store changed", "datasets/demo/core_x__fields/b0.json")]
    chunk = next(p for p in store.rglob("c/*"))
    chunk.write_bytes(b"garbage")
    assert kinds(root) == [("store changed", "datasets/demo/core_x__fields/b0.json")]
    store.rename(store.with_name("away"))
    assert kinds(root) == [("store missing", "datasets/demo/core_x__fields/b0.json")]


def test_a_shard_that_the_judge_dropped_leaves_an_orphan_record_which_repair_drops(root, capsys):
    made = proteins(root)
    old = root.text("datasets/demo/core_uniprot__proteins/b007.parquet", "old bucket count")
    side = root.text("datasets/demo/_work/uniprot/items/b007.parquet", "its items")
    root.job("curate", [made["receipt"]], [old, side])
    late = root.text("datasets/demo/_work/uniprot/checks/b007.parquet", "its check")
    root.job("verify_check", [old], [late])
    root.verdict("uniprot", {"core_uniprot__proteins": {"rows": 2}}, [made["table"]])
    old.unlink()
    late.unlink()
    assert kinds(root) == [
        ("orphan record", "datasets/demo/_work/uniprot/checks/b007.parquet"),
        ("orphan record", "datasets/demo/core_uniprot__proteins/b007.parquet"),
    ]
    assert main(["audit"]) == 0, "deleted on purpose"
    assert main(["audit", "--repair"]) == 0
    assert "2 orphan records dropped" in capsys.readouterr().out
    assert side.exists() and lineage.Sidecars.scan(root.path).of(old) is None
    assert lineage.Sidecars.scan(root.path).of(made["table"]) is not None


def test_a_listed_shard_that_is_gone_is_missing_and_no_orphan(root):
    made = proteins(root)
    made["table"].unlink()
    assert kinds(root) == [("missing", "datasets/demo/core_uniprot__proteins/b000.parquet")]


def test_raw_files_of_a_former_manifest_are_an_orphan_record(root):
    root.receipt("uniprot", "dead", {"gone": "x"})
    root.file("raw/uniprot/simulated/sim1/files/gone").unlink()
    assert kinds(root) == [("orphan record", "raw/uniprot/simulated/sim1/files/gone")]


def test_jobs_that_began_and_failed_are_unfinished_until_their_run_passed_the_gate(root, capsys):
    wanted = root.file("figures/demo/s/f.svg")
    marker = lineage.mark_pending(root.path, [wanted])
    assert kinds(root) == [("unfinished", "figures/demo/s/f.svg")]
    gate = root.text("report/demo/gate.json", "[]")
    root.job("final_gate", [], [gate])
    assert [kind for kind, _ in kinds(root)] == ["orphan marker"]
    assert main(["audit", "--repair"]) == 0
    assert not marker.exists()


def test_a_marker_of_a_job_that_ended_well_after_all_is_no_finding(root):
    out = root.text("studies/demo/s/out.txt", "x")
    root.job("evaluate", [], [out])
    lineage.mark_pending(root.path, [out])
    assert kinds(root) == []


def test_a_foreign_parquet_file_in_a_tables_folder_is_unlisted_and_stays(root, capsys):
    proteins(root)
    foreign = root.text("datasets/demo/core_uniprot__proteins/mine.parquet", "x")
    assert kinds(root) == [("unlisted", "datasets/demo/core_uniprot__proteins/mine.parquet")]
    assert main(["audit", "--repair"]) == 1
    assert foreign.exists()


def test_files_of_another_run_need_the_config_of_that_run(root, capsys):
    out = root.text("studies/paper/s/out.txt", "x")
    root.job("evaluate", [], [out])
    out.write_text("y")
    assert main(["audit", "--repair"]) == 1
    assert "belong to run 'paper': repeat with the --configfile of that run" in capsys.readouterr().out
    assert out.read_text() == "y"


def test_repair_needs_the_config_that_writes_to_this_root_and_no_other_writer(root, capsys):
    proteins(root)
    assert main(["audit", "--repair", "--root", "elsewhere"]) == 2
    assert "--configfile" in capsys.readouterr().err
    with subprocess.Popen(
        [sys.executable, "-c", LOCKER, str(root.path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        assert main(["audit", "--repair"]) == 2
        assert f"process {other.pid}" in capsys.readouterr().err
        other.kill()
    assert main(["audit", "--repair"]) == 0, "a dead holder is replaced"


LOCKER = """
import sys, time
from pathlib import Path
from seedlot.store import lock
lock.acquire(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_what_a_killed_repair_had_moved_aside_comes_back_unless_it_was_rebuilt(root, capsys):
    made = proteins(root)
    aside = root.path / _repair.ASIDE / "datasets/demo/core_uniprot__proteins/b000.parquet"
    aside.parent.mkdir(parents=True)
    made["table"].rename(aside)
    half = root.path / _repair.ASIDE / "datasets/demo/_work/uniprot/verdict.json"
    half.parent.mkdir(parents=True)
    half.write_text("wrong bytes that were being replaced")
    assert main(["audit", "--repair"]) == 0
    assert "1 files it had moved aside are back" in capsys.readouterr().out
    assert made["table"].is_file() and not (root.path / _repair.ASIDE).exists()


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("root:datasets/demo/_work/x", "demo"),
        ("root:figures/p/s/f.svg", "p"),
        ("root:raw/x/y", ""),
        ("resources/a", ""),
    ],
)
def test_the_run_of_a_path(name, run):
    assert run_of(name) == run


# -- with a workflow: three rules in a row, the first with a sibling output that never repeats itself ---------------

JOB = """
import sys, uuid
from pathlib import Path
from seedlot.store import lineage
rule, source, *outputs = sys.argv[1:]
if Path("broken").exists() and rule == Path("broken").read_text():
    sys.exit("cannot")
root = Path("results")
inputs = [] if source == "-" else [Path(source)]
lineage.check_inputs(inputs, root, lineage.Sidecars.scan(root))
for path in map(Path, outputs):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(uuid.uuid4().hex if path.name == "seconds.txt" else f"{rule} of {source}")
told = {name: {"bytes": d["bytes"], "sha256": d["sha256"]} for name, d in lineage.describe(inputs, root).items()}
lineage.write(root, {"rule": rule, "entry": rule, "code": "", "params": {}, "threads": 1, "versions": {}, "seconds": 0,
                     "inputs": told, "outputs": lineage.describe(map(Path, outputs), root)})
with open("ran.txt", "a") as log:
    log.write(rule + " ")
"""
RULES = """
P = f"{PYTHON} job.py"
rule third:
    input: "results/studies/demo/s/second.txt"
    output: "results/studies/demo/s/third.txt"
    shell: P + " third {input} {output}"
rule second:
    input: "results/studies/demo/s/first.txt"
    output: "results/studies/demo/s/second.txt"
    shell: P + " second {input} {output}"
rule first:
    output: "results/studies/demo/s/first.txt", "results/studies/demo/s/seconds.txt"
    shell: P + " first - {output}"
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A clone in which the three rules have run."""
    clone = make_clone(tmp_path_factory.mktemp("row") / "clone")
    (clone / "Snakefile").write_text(f"PYTHON = {sys.executable!r}\n{RULES}")
    (clone / "job.py").write_text(JOB)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(clone)
        snakemake()
    (clone / "ran.txt").unlink()
    return clone


@pytest.fixture
def row(finished, tmp_path, monkeypatch) -> Root:
    """A copy of it, modification times and Snakemake's records included."""
    shutil.copytree(finished, tmp_path / "clone", symlinks=True)
    monkeypatch.chdir(tmp_path / "clone")
    return Root(tmp_path / "clone")


def snakemake(*words: str) -> str:
    """What the tiny workflow prints."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--nolock", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def stamps() -> dict[str, tuple[str, int]]:
    """Content and modification time of every result of the tiny workflow."""
    return {
        p.name: (p.read_text(), p.stat().st_mtime_ns) for p in Path("results/studies/demo/s").glob("*.txt")
    }


def test_repair_runs_only_the_broken_jobs_and_nothing_is_left_to_do(row, capsys):
    folder = Path("results/studies/demo/s")
    before = stamps()
    (folder / "first.txt").unlink()
    (folder / "third.txt").write_text("wrong")
    assert main(["audit", "--repair", "--cores", "1"]) == 0
    assert Path("ran.txt").read_text() == "first third ", "the intact job between them did not run"
    after = stamps()
    assert {k: v[0] for k, v in after.items()} == {k: v[0] for k, v in before.items()}
    assert after["seconds.txt"] == before["seconds.txt"], (
        "an intact sibling came back, measured seconds and all"
    )
    assert "Nothing to be done" in snakemake("--dry-run")
    assert kinds(row) == [] and not Path("results/.repair").exists()


def test_a_repair_that_fails_puts_everything_back(row, capsys):
    folder = Path("results/studies/demo/s")
    (folder / "first.txt").write_text("wrong")
    before = stamps()
    Path("broken").write_text("first")
    assert main(["audit", "--repair", "--cores", "1"]) == 1
    text = capsys.readouterr().out
    assert (
        "not rebuilt, all put back as it was: results/studies/demo/s/first.txt" in text
        and "snakemake ended" in text
    )
    assert stamps() == before
    assert kinds(row) == [("changed", "studies/demo/s/first.txt")]


def test_bytes_that_do_not_come_back_equal_are_said_to_differ(row, capsys):
    Path("results/studies/demo/s/seconds.txt").unlink()
    kept = stamps()["first.txt"]
    assert main(["audit", "--repair", "--cores", "1"]) == 0
    text = capsys.readouterr().out
    assert (
        "rebuilt with other bytes, its consumers will run again: results/studies/demo/s/seconds.txt" in text
    )
    assert stamps()["first.txt"] == kept
    assert kinds(row) == [], "the new record says what is there"
