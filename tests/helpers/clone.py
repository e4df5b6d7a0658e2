"""A copy of the clone with a results root of its own, and Snakemake run in it the way a user runs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

REPO = Path(__file__).resolve().parents[2]
CONFIG = "test.yaml"
# Every job of the first run notes here which modules it had loaded when it ended (see sitecustomize.py).
NOTES = "loaded"


def committed() -> list[str]:
    """Paths of the files of the working tree that git would carry, relative to the clone."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    text = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout
    return [name for name in text.split("\0") if name and os.path.lexists(REPO / name)]


@dataclass(frozen=True)
class Clone:
    """A working copy below a temporary folder."""

    path: Path

    @classmethod
    def make(cls, path: Path, config: dict) -> Clone:
        """Copy the working tree (not its results) and write the run's config as test.yaml.

        The accepted row counts stay behind: they are the demo's, and a test's run has that name and other items.
        """
        for name in committed():
            if name.startswith("resources/expected/"):
                continue
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPO / name, path / name, follow_symlinks=False)
        if (REPO / ".wheels").is_dir():
            (path / ".wheels").symlink_to(REPO / ".wheels")
        made = cls(path)
        made.configure(config)
        return made

    def copy(self, path: Path) -> Clone:
        """Everything, results and Snakemake's records included, with equal modification times."""
        command = ["cp", "--archive", "--reflink=auto", f"{self.path}/.", str(path)]
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(command, check=True)
        return Clone(path)

    def configure(self, config: dict) -> None:
        """Replace test.yaml."""
        (self.path / CONFIG).write_text(yaml.safe_dump(config))

    @property
    def env(self) -> dict[str, str]:
        """Environment in which `seedlot` is this copy's package; what numba compiled is shared by neighbours."""
        own = {"PYTHONPATH": str(self.path / "src"), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        own["NUMBA_CACHE_DIR"] = str(self.path.parent / "numba")
        return {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")} | own

    def start(
        self, *args: str, env: dict[str, str] | None = None, under: Sequence[str] = (), **more
    ) -> subprocess.Popen:
        """Start `python -m ...` in the copy; under: a command that starts it in its turn."""
        return subprocess.Popen(
            [*under, sys.executable, "-m", *args],
            cwd=self.path,
            env=self.env | (env or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **more,
        )

    def run(self, *args: str, ok: bool | None = True, **more) -> str:
        """What `python -m ...` prints; its exit status must be zero (ok) or not (ok=False), None: either."""
        process = self.start(*args, **more)
        text, _ = process.communicate(timeout=900)
        if ok is not None and (process.returncode == 0) is not ok:
            raise AssertionError(f"{args} ended with {process.returncode}\n{text[-6000:]}")
        return text

    def snakemake(self, *args: str, ok: bool | None = True, **more) -> str:
        """Run the workflow on two cores."""
        return self.run(
            "snakemake", "--nocolor", "--cores", "2", "--configfile", CONFIG, *args, ok=ok, **more
        )

    def seedlot(self, *args: str, ok: bool | None = True) -> str:
        """Run the command `seedlot`."""
        return self.run("seedlot.cli", *args, ok=ok)

    def planned(self, *args: str) -> list[str]:
        """Rules of the jobs that a dry run lists, sorted; [] when it says that nothing is to be done."""
        text = self.snakemake("--dry-run", *args)
        rules = sorted(re.findall(r"^(?:local)?rule (\w+):$", text, re.MULTILINE))
        assert rules or "Nothing to be done" in text, text[-3000:]
        return [rule for rule in rules if rule not in ("all",)]

    def ran(self, text: str) -> list[str]:
        """Rules of the jobs that a finished run's output names, sorted, without the bare target."""
        return sorted(r for r in re.findall(r"Finished jobid: \d+ \(Rule: (\w+)\)", text) if r != "all")

    # -- results --------------------------------------------------------------------------------------
    def result(self, name: str) -> Path:
        """A path below the results root."""
        return self.path / "results" / name

    def lots(self, run: str = "demo") -> dict[str, str]:
        """Table -> lot, over all verdicts of a run."""
        found = {}
        for path in sorted(self.result(f"datasets/{run}/_work").glob("*/verdict.json")):
            found |= {table: told["lot"] for table, told in json.loads(path.read_text())["tables"].items()}
        return found

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Every result file but logs, run times and caches -> (modification time, size)."""
        skip = ("logs", "benchmarks", "cache")
        files = (p for p in self.result("").rglob("*") if p.is_file() or p.is_symlink())
        rows = {str(p.relative_to(self.result(""))): (p.stat().st_mtime_ns, p.stat().st_size) for p in files}
        return {name: stamp for name, stamp in rows.items() if name.split("/")[0] not in skip}

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the one occurrence of a text in a file of the copy."""
        path = self.path / name
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new))


def wait_for(condition, seconds: float, what: str) -> None:
    """Poll until `condition()` is true; AssertionError after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)


def sealed() -> list[str]:
    """The command that starts another one without any network, [] where the system does not let us."""
    command = ["unshare", "--map-root-user", "--net"]
    try:
        done = subprocess.run([*command, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return []
    return command if done.returncode == 0 else []


def finished(path: Path, config: dict) -> Clone:
    """A clone in which the workflow has run once, sealed off if possible, with its jobs' notes in `loaded/`."""
    made = Clone.make(path, config)
    notes = path / NOTES
    notes.mkdir()
    env = {
        "PYTHONPATH": f"{Path(__file__).parent}{os.pathsep}{made.env['PYTHONPATH']}",
        "SEEDLOT_TEST_NOTES": str(notes),
    }
    made.snakemake(env=env, under=sealed())
    return made
