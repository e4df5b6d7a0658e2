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


pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(
        not up(), reason="no Slurm is running here: tests/cluster/slurm_up.sh starts one as root"
    ),
]
POLLING = ["--slurm-init-seconds-before-status-checks", "1", "--seconds-between-status-checks", "1"]


def test_a_study_is_trained_in_slurm_jobs_and_gives_the_bytes_of_a_local_run(fresh: Clone, finished: Clone):
    weights = "studies/demo/heat_step/weights.safetensors"
    profile = ["--profile", "slurm", "--configfile", "test.yaml", "--latency-wait", "10", *POLLING]
    said = fresh.run("snakemake", *profile, "--", f"results/{weights}")
    ids = [line.split("SLURM jobid ")[1].split()[0] for line in said.splitlines() if "SLURM jobid" in line]
    assert len(ids) == len(set(ids)) == 5, said[-3000:]
    command = ["squeue", "-h", "-t", "all", "-o", "%i %T", "-j", ",".join(ids)]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert dict(zip(words[::2], words[1::2])) == dict.fromkeys(ids, "COMPLETED")
    logs = {
        p.relative_to(fresh.path / ".snakemake/slurm_logs").parts[0]
        for p in fresh.path.rglob("slurm_logs/*/**/*.log")
    }
    assert {"rule_heat_curate", "rule_verify_judge", "rule_heat_step_train"} <= logs
    assert fresh.result(weights).read_bytes() == finished.result(weights).read_bytes()
    assert fresh.lots()["core_heat__simulations"] == finished.lots()["core_heat__simulations"]
    assert fresh.planned("--", f"results/{weights}") == []
