"""A training that is killed or runs out of time ends with the very bytes of one that was left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from tests.helpers.clone import Clone, wait_for

from seedlot.config.errors import SeedlotError
from seedlot.store.job import Job
from seedlot.training.checkpoint import MARGIN_SECONDS

SETTINGS = {"epochs": 300, "batch": 32, "learning_rate": 0.01, "save_every": 100, "seed": 0}
pytestmark = pytest.mark.soak
KILLS = 20 if os.environ.get("SEEDLOT_SOAK") else 2


def job(root: Path, folder: Path, deadline: float | None = None) -> Job:
    """The training job of the finished run, with its outputs in another folder."""
    data = root / "datasets/demo"
    return Job(
        "heat_step_train",
        {
            "fields": data / "core_heat__fields/b000.json",
            "simulations": data / "core_heat__simulations/b000.parquet",
            "verdict": data / "_work/heat/verdict.json",
        },
        {"weights": folder / "weights.safetensors", "curve": folder / "curve.parquet"},
        SETTINGS,
        root=root,
        deadline=deadline,
        code="c0de",
    )


def train(root: Path, folder: Path, deadline: float | None = None) -> None:
    from seedlot.studies.heat_step.train import run

    folder.mkdir(parents=True, exist_ok=True)
    run(job(root, folder, deadline))


def made(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in ("weights.safetensors", "curve.parquet")}


@pytest.fixture(scope="module")
def undisturbed(finished: Clone, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    train(finished.result(""), folder)
    return folder


def test_the_method_checks_of_the_study_pass(finished: Clone, undisturbed, tmp_path):
    from seedlot.studies.heat_step.evaluate import run

    trained = job(finished.result(""), undisturbed)
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("errors", "modes", "ledger")}
    run(Job("heat_step_evaluate", {**trained.input, "weights": trained.output["weights"]}, outputs))
    ledger = pl.read_parquet(outputs["ledger"])
    assert ledger["method_check"].to_list() == ["passed", "passed"]
    assert set(ledger["verdict"]) == {"not_testable"} and set(ledger["evidence"]) == {"simulated"}
    errors = dict(pl.read_parquet(outputs["errors"]).iter_rows())
    # float32 raw values: the exact step is right to about 1e-7
    assert errors["exact propagator"] < 1e-6 < errors["trained step"] < errors["repeat the last frame"]


def test_five_segments_that_end_at_their_deadline_equal_one_run(finished: Clone, undisturbed, tmp_path):
    steps = []
    for _ in range(5):
        with pytest.raises(SeedlotError, match="the time limit is near; the state is saved"):
            train(finished.result(""), tmp_path, time.time() + MARGIN_SECONDS + 0.05)
        newest = max((tmp_path / "checkpoints").glob("step-*.pt"))
        steps.append(int(newest.stem.removeprefix("step-")))
    assert steps == sorted(set(steps)), "a segment did not advance"
    train(finished.result(""), tmp_path)
    assert made(tmp_path) == made(undisturbed)


CHILD = """
import sys
from pathlib import Path
from tests.e2e.test_training_resume import train
train(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def start(root: Path, folder: Path) -> subprocess.Popen:
    from tests.helpers.clone import REPO

    return subprocess.Popen([sys.executable, "-c", CHILD, str(root), str(folder)], cwd=REPO)


def newest_step(folder: Path) -> int:
    return max((int(p.stem.removeprefix("step-")) for p in folder.glob("checkpoints/step-*.pt")), default=0)


def test_a_training_killed_several_times_equals_one_run(finished: Clone, undisturbed, tmp_path):
    for _ in range(KILLS):
        reached = newest_step(tmp_path)
        if reached > 0.7 * SETTINGS["epochs"] * 15:
            break
        process = start(finished.result(""), tmp_path)
        while newest_step(tmp_path) == reached and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"
        assert not (tmp_path / "weights.safetensors").exists()
    train(finished.result(""), tmp_path)
    assert made(tmp_path) == made(undisturbed)


def test_a_terminated_training_saves_and_says_so(finished: Clone, tmp_path):
    process = start(finished.result(""), tmp_path)
    wait_for(lambda: newest_step(tmp_path) > 0, 120, "a checkpoint")
    before = newest_step(tmp_path)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 1
    assert newest_step(tmp_path) >= before


def test_a_finished_training_is_restored_without_a_step(finished: Clone, undisturbed, tmp_path):
    from shutil import copytree

    copytree(undisturbed, tmp_path / "again")
    for name in ("weights.safetensors", "curve.parquet"):
        (tmp_path / "again" / name).unlink()
    before = sorted(p.stat().st_mtime_ns for p in (tmp_path / "again/checkpoints").iterdir())
    train(finished.result(""), tmp_path / "again")
    assert made(tmp_path / "again") == made(undisturbed)
    assert sorted(p.stat().st_mtime_ns for p in (tmp_path / "again/checkpoints").iterdir()) == before
