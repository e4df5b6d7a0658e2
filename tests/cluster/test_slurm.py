"""One run through a real one-node Slurm (tests/cluster/slurm_up.sh starts one)."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from tests.helpers.clone import Clone


def up() -> bool:
    """Whether a controller answers and a node can take jobs."""
    if not shutil.which("slurmctld") and not shutil.which("sinfo"):
        return False
    try:
        done = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and any(state in done.stdout for state in ("idle", "mixed", "allocated"))


pytestmark = pytest.mark.slurm
POLLING = ["--slurm-init-seconds-before-status-checks", "1", "--seconds-between-status-checks", "1"]


@pytest.fixture(scope="module", autouse=True)
def slurm():
    if not up():
        pytest.skip("no Slurm is running here: tests/cluster/slurm_up.sh starts one as root")


def test_a_study_runs_as_slurm_jobs_and_gives_the_lots_of_a_local_run(fresh: Clone, finished: Clone):
    said = fresh.run("snakemake", "--profile", "slurm", "--configfile", "test.yaml", "--latency-wait", "10", *POLLING,
                     "--", "results/figures/demo/heat_step/step_error.svg")  # fmt: skip
    ids = [line.split("SLURM jobid ")[1].split()[0] for line in said.splitlines() if "SLURM jobid" in line]
    assert len(ids) == len(set(ids)) >= 6, said[-3000:]
    known = subprocess.run(
        ["squeue", "-h", "-t", "all", "-o", "%i %T", "-j", ",".join(ids)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert dict(zip(known[::2], known[1::2])) == dict.fromkeys(ids, "COMPLETED")
    logs = {p.parent.parent.name for p in (fresh.path / ".snakemake/slurm_logs").rglob("*.log")}
    assert {"rule_heat_curate", "rule_verify_judge"} <= logs
    for name in ("figures/demo/heat_step/step_error.svg", "studies/demo/heat_step/weights.safetensors"):
        assert fresh.result(name).read_bytes() == finished.result(name).read_bytes()
    assert fresh.lots()["core_heat__simulations"] == finished.lots()["core_heat__simulations"]


def test_fetching_needs_no_compute_node(fresh: Clone):
    said = fresh.run("snakemake", "--profile", "slurm", "--configfile", "test.yaml", "-n", "--", "lgd_na")
    assert "localrule fetch:" in said and "localrule networks_curate:" not in said
