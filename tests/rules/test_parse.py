"""Planning: fast, light, clean, the same from a fresh clone, and strict about the configuration."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from tests.helpers.clone import REPO, Clone

HEAVY = {"torch", "great_expectations", "matplotlib", "scipy", "numba", "pandas", "zarr", "networkx", "h5py"}
SLURM_TOOLS = ["sbatch", "squeue", "sacct", "sacctmgr", "scontrol", "sinfo", "scancel", "sshare", "srun"]


@pytest.fixture
def no_slurm(tmp_path: Path) -> dict[str, str]:
    """A PATH on which every Slurm tool is there and knows nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in SLURM_TOOLS:
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_a_misspelt_key_is_refused_before_any_job_is_planned(fresh: Clone, base_config):
    fresh.configure(base_config | {"studies": {"heat_step": {"epoch": 3}}})
    said = fresh.snakemake("--dry-run", ok=False)
    assert "studies.heat_step.epoch: unknown key, did you mean 'epochs'?" in said
    assert "Building DAG" not in said


def test_an_unknown_target_study_names_the_nearest(fresh: Clone, base_config):
    fresh.configure(base_config | {"targets": ["heat_stepp"]})
    said = fresh.snakemake("--dry-run", ok=False)
    assert "heat_stepp" in said and "did you mean 'heat_step'?" in said


# Snakemake as from the command line; at its end it tells its CPU seconds and what it had imported.
TELL = """
import atexit, json, sys, time
from snakemake.cli import main
begun = time.process_time()
words = lambda: [time.process_time() - begun, sorted({m.split('.')[0] for m in sys.modules})]
atexit.register(lambda: print('TOLD ' + json.dumps(words())))
main(sys.argv[1:])
"""


def told(clone: Clone, *args: str) -> tuple[float, set[str]]:
    """(CPU seconds, imported packages) of a Snakemake run."""
    (clone.path / "empty.smk").write_text("rule all:\n    input: []\n")
    command = [sys.executable, "-c", TELL, *args]
    done = subprocess.run(command, cwd=clone.path, env=clone.env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    seconds, modules = json.loads(done.stdout.partition("TOLD ")[2])
    return seconds, set(modules)


def test_parsing_takes_less_than_three_seconds(fresh: Clone):
    assert min(told(fresh, "--list-rules")[0] for _ in range(2)) < 3


def test_planning_imports_nothing_heavy(finished: Clone):
    _, ours = told(finished, "-n", "--cores", "1", "--configfile", "test.yaml")
    _, empty = told(finished, "-n", "--cores", "1", "--snakefile", "empty.smk")
    assert (ours - empty) & HEAVY == set()


def test_the_workflow_is_lint_clean(fresh: Clone):
    said = fresh.run("snakemake", "--lint", ok=None)
    assert "Congratulations" in said, said[-3000:]


def test_the_rules_are_formatted():
    done = subprocess.run(
        [sys.executable, "-m", "snakefmt", "--check", "Snakefile", "rules"],
        cwd=REPO,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_rule_is_wiring_only():
    """Each rule calls the one adapter, names its entry, keeps a log, and every entry exists."""
    for path in sorted(REPO.glob("rules/*.smk")):
        for block in re.split(r"^rule ", path.read_text(), flags=re.MULTILINE)[1:]:
            name = block.partition(":")[0]
            if "script:" not in block:
                assert re.search(r"^    input:", block, re.MULTILINE) and "output:" not in block, (
                    f"{path.name}: {name}"
                )
                continue
            assert '"../scripts/job.py"' in block and "entry=" in block and "log:" in block, (
                f"{path.name}: {name}"
            )
            entry = re.search(r'entry="(seedlot[\w.]+):(\w+)"', block)
            if entry:
                module = REPO / "src" / (entry[1].replace(".", "/") + ".py")
                assert module.is_file(), f"{path.name}: {name}: no module {entry[1]}"
                assert re.search(rf"^def {entry[2]}\(", module.read_text(), re.MULTILINE), (
                    f"{name}: {entry[2]}"
                )


def test_a_fresh_clone_plans_for_slurm(fresh: Clone, no_slurm):
    said = fresh.run("snakemake", "--profile", "slurm", "-n", "--configfile", "test.yaml", env=no_slurm)
    assert "rule heat_step_train:" in said and "This was a dry-run" in said


def test_a_dry_run_needs_no_network(fresh: Clone):
    block = fresh.path / "block"
    block.mkdir()
    (block / "sitecustomize.py").write_text(
        "import socket\n"
        "def refuse(*a, **k):\n    raise OSError('the network is blocked')\n"
        "socket.socket.connect = refuse\nsocket.getaddrinfo = refuse\nsocket.create_connection = refuse\n"
    )
    env = {"PYTHONPATH": f"{block}:{fresh.env['PYTHONPATH']}"}
    assert "This was a dry-run" in fresh.snakemake("--dry-run", env=env)


def test_the_cluster_profile_sets_what_was_measured_to_matter():
    told = yaml.safe_load((REPO / "slurm/profile.yaml").read_text())
    assert told["executor"] == "slurm" and told["slurm-status-command"] == "squeue" and told["retries"] >= 1
    default = yaml.safe_load((REPO / "profiles/default/profile.yaml").read_text())
    assert set(default) == {"rerun-triggers", "rerun-incomplete", "nolock", "keep-going", "scheduler"}


def test_fetching_stays_on_the_head_node():
    block = (REPO / "rules/common.smk").read_text().partition("rule fetch:")[2].partition("\nrule ")[0]
    assert "localrule: True" in block


PAPER = REPO / "config/paper.yaml"


@pytest.mark.skipif(not PAPER.is_file(), reason="there is no config/paper.yaml")
def test_the_paper_run_plans_few_jobs_quickly(fresh: Clone):
    (fresh.path / "empty.smk").write_text("rule all:\n    input: []\n")
    started = time.perf_counter()
    fresh.run("snakemake", "-n", "--cores", "1", "--snakefile", "empty.smk")
    empty = time.perf_counter() - started
    started = time.perf_counter()
    said = fresh.run(
        "snakemake", "-n", "--cores", "1", "--quiet", "rules", "--configfile", "config/paper.yaml"
    )
    took = time.perf_counter() - started
    total = int(re.search(r"^total\s+(\d+)", said, re.MULTILINE)[1])
    assert total < 2000
    assert took <= max(15, 8 * empty), (took, empty)
