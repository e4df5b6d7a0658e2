"""Rebuild exactly the broken jobs of a results root. Nothing is deleted before its successor is there.

The files of a broken job are moved aside, Snakemake is asked for the job's first output, and then either the new
files stay (and those that were intact come back, with their times), or everything comes back as it was.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedlot.commands._findings import BROKEN, Finding, run_of, store_of
from seedlot.config.errors import SeedlotError
from seedlot.store import lineage, lock

ASIDE = ".repair"


@dataclass
class Broken:
    """One job to run again. bad: outputs that are missing or wrong; raw: raw files behind its receipt that are."""

    record: Mapping[str, Any]
    bad: set[str] = field(default_factory=set)
    raw: set[Path] = field(default_factory=set)

    @property
    def key(self) -> str:
        """Its first output, as lineage names it."""
        return min(self.record["outputs"])

    def paths(self, root: Path) -> list[Path]:
        """Its outputs."""
        return [lineage.absolute(name, root) for name in self.record["outputs"]]


def broken_jobs(findings: Iterable[Finding], root: Path) -> dict[str, Broken]:
    """Key -> job, for the findings that a rebuild can mend."""
    jobs: dict[str, Broken] = {}
    for finding in findings:
        if finding.kind not in BROKEN:
            continue
        job = jobs.setdefault(finding.key, Broken(finding.record))
        if finding.kind.startswith("raw"):
            job.raw.add(finding.path)
        else:
            job.bad.add(lineage.relative(finding.path, root))
    return jobs


def waves(jobs: Mapping[str, Broken], root: Path) -> list[list[Broken]]:
    """The jobs in the order of their dependence, those of one wave independent of each other.

    Between two waves the times of what came back equal are restored. In one go Snakemake would see new files
    and run the intact jobs between two broken ones as well.
    """
    sidecars = lineage.Sidecars.scan(root)
    level: dict[str, int] = {}

    def height(record: Mapping[str, Any]) -> int:
        """Broken jobs on the longest way from raw to this job, itself not counted."""
        key = min(record["outputs"])
        if key not in level:
            level[key] = 0  # an output that is its own input cannot loop
            makers = (sidecars.of(lineage.absolute(name, root)) for name in record["inputs"])
            level[key] = max((height(m) + (min(m["outputs"]) in jobs) for m in makers if m), default=0)
        return level[key]

    for job in jobs.values():
        height(job.record)
    heights = sorted({level[key] for key in jobs})
    return [[jobs[key] for key in sorted(jobs) if level[key] == h] for h in heights]


def drop_orphans(findings: Iterable[Finding], root: Path) -> int:
    """Remove the lineage records and markers of orphans; their files, if any are left, stay. Returns how many."""
    count = 0
    for finding in findings:
        if finding.kind == "orphan record":
            name = lineage.sidecar_name(finding.record["outputs"])
            (root / lineage.FOLDER / name).unlink(missing_ok=True)
        elif finding.kind == "orphan marker":
            finding.path.unlink(missing_ok=True)
        else:
            continue
        count += 1
    return count


def demand_free(root: Path) -> None:
    """Raises SeedlotError while another run writes to the root."""
    lock.acquire(root)
    lock.release(root)


def put_back(root: Path) -> int:
    """Return what a killed repair had moved aside, unless its successor is whole; returns the number of files."""
    base = root / ASIDE
    if not base.is_dir():
        return 0
    count = 0
    sidecars = lineage.Sidecars.scan(root)
    for path in sorted(base.rglob("*")):
        is_store = path.suffix == ".zarr"
        if not is_store and (not path.is_file() or any(p.suffix == ".zarr" for p in path.parents)):
            continue
        home = root / path.relative_to(base)
        if home.exists() if is_store else _holds(home, root, sidecars):
            continue
        home.parent.mkdir(parents=True, exist_ok=True)
        path.replace(home)
        count += 1
    shutil.rmtree(base)
    return count


def _holds(path: Path, root: Path, sidecars: lineage.Sidecars) -> bool:
    record = sidecars.of(path)
    if record is None or not path.is_file():
        return False
    return lineage.file_sha256(path) == record["outputs"][lineage.relative(path, root)]["sha256"]


class Aside:
    """The files of some jobs, moved out of the way below `<root>/.repair`."""

    def __init__(self, root: Path, jobs: Iterable[Broken]):
        self.root = root
        self.moved: dict[Path, Path] = {}
        self.stores: dict[Path, Path] = {}
        self.markers = set((root / lineage.FOLDER / lineage.PENDING).glob("*.json"))
        for job in jobs:
            for path in [*sorted(job.raw), *job.paths(root)]:
                self._move(path)

    def _move(self, path: Path) -> None:
        if not path.exists():
            return
        if path.suffix == ".json" and (store := _store_beside(path)) is not None:
            self.stores[path] = store
            self._move(store)
        away = self.root / ASIDE / path.relative_to(self.root)
        away.parent.mkdir(parents=True, exist_ok=True)
        path.rename(away)
        self.moved[path] = away

    def restore(self, path: Path) -> None:
        """Put one file back, and the store it describes, over whatever is there now."""
        if path in self.stores:
            self.restore(self.stores.pop(path))
        away = self.moved.pop(path, None)
        if away is None:
            return
        if path.is_dir():
            shutil.rmtree(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        away.replace(path)

    def give_up(self, job: Broken) -> None:
        """Put all files of a job back, its record too, and take back the note that it began."""
        for path in [*job.raw, *job.paths(self.root)]:
            self.restore(path)
        lineage.write(self.root, job.record)
        marker = self.root / lineage.FOLDER / lineage.PENDING / lineage.sidecar_name(job.record["outputs"])
        if marker not in self.markers:
            marker.unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete what was moved aside and has a successor."""
        shutil.rmtree(self.root / ASIDE, ignore_errors=True)


def _store_beside(manifest: Path) -> Path | None:
    try:
        store = store_of(manifest)
    except ValueError:  # the manifest was damaged; the writer replaces the store behind it whole
        return None
    return store if store is not None and store.parent == manifest.parent else None


def rebuild(jobs: list[Broken], root: Path, snakemake: list[str]) -> list[str]:
    """Run the jobs of one wave again; returns one line per file or job that is not as it was before.

    Whatever ends this function, no file is lost: a job that was not rebuilt has its old files back.
    """
    aside = Aside(root, jobs)
    targets = [lineage.absolute(job.key, root).as_posix() for job in jobs]
    # The one trigger that never fires here: only what is missing may run.
    options = ["--rerun-triggers", "software-env", "--show-failed-logs", "--nocolor"]
    lines: list[str] = []
    done: set[str] = set()
    try:
        text, status = _wait([sys.executable, "-m", "snakemake", *snakemake, *options, "--", *targets])
        after = lineage.Sidecars.scan(root)
        for job in jobs:
            record = _new_record(job, root, after)
            if record is None:
                wrong = [*job.raw, *(lineage.absolute(name, root) for name in job.bad)]
                lines.append(f"not rebuilt, all put back as it was: {', '.join(sorted(map(str, wrong)))}")
                continue
            done.add(job.key)
            lines += _settle(job, record, aside)
        if status:
            lines.append(f"snakemake ended with status {status}:\n" + "\n".join(text.splitlines()[-25:]))
    finally:
        for job in jobs:
            if job.key not in done:
                aside.give_up(job)
        aside.clear()
    return lines


def _wait(command: list[str]) -> tuple[str, int]:
    """What a command prints and its status. An interrupt reaches it too; it is given the time to clean up."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        text, _ = process.communicate()
    except KeyboardInterrupt:
        process.communicate()
        raise
    return text, process.returncode


def _new_record(job: Broken, root: Path, sidecars: lineage.Sidecars) -> dict[str, Any] | None:
    """The record of the rebuilt job, None unless every output is there as it says."""
    record = sidecars.of(lineage.absolute(job.key, root))
    if record is None or set(record["outputs"]) != set(job.record["outputs"]):
        return None
    for name, told in record["outputs"].items():
        path = lineage.absolute(name, root)
        if not path.is_file() or path.stat().st_size != told["bytes"]:
            return None
        if lineage.file_sha256(path) != told["sha256"]:
            return None
    if job.raw and any(
        record["outputs"][n]["sha256"] != job.record["outputs"][n]["sha256"] for n in record["outputs"]
    ):
        return None  # a receipt that differs did not bring the same raw files again
    return record


def _settle(job: Broken, record: Mapping[str, Any], aside: Aside) -> list[str]:
    """Bring back the old times, and the job's intact files; returns a line for each file with other bytes.

    Intact files return (they may hold measured seconds) when the job did the same work again: equal code, inputs
    and parameters. Otherwise all its new files stay together. The record that is written says what is there.
    """
    told, now = job.record["outputs"], record["outputs"]
    same_work = _work(record) == _work(job.record)
    lines, outputs = [], {}
    for name in sorted(told):
        path = lineage.absolute(name, aside.root)
        outputs[name] = told[name]
        if name not in job.bad and same_work:
            aside.restore(path)
        elif now[name]["sha256"] == told[name]["sha256"]:
            os.utime(path, ns=(told[name]["mtime_ns"], told[name]["mtime_ns"]))
        else:
            outputs[name] = now[name]
            lines.append(f"rebuilt with other bytes, its consumers will run again: {path}")
    lineage.write(aside.root, record | {"outputs": outputs})
    return lines


def _work(record: Mapping[str, Any]) -> dict[str, Any]:
    """What decides a job's result."""
    digests = {name: told["sha256"] for name, told in record["inputs"].items()}
    return {
        "code": record["code"],
        "inputs": digests,
        "params": record["params"],
        "versions": record["versions"],
    }


def demand_same_root(root: Path, config_root: Path) -> None:
    """Raises SeedlotError when the config writes to another root than the one to repair."""
    if root.resolve() != config_root.resolve():
        raise SeedlotError(
            f"the config writes to '{config_root}', the files to repair are in '{root}'",
            todo="pass the --configfile of the run that made them",
        )


def foreign(jobs: Mapping[str, Broken], run: str, receipts: set[str]) -> dict[str, list[Broken]]:
    """Jobs that this config cannot rebuild, by the run they belong to; '' for receipts of other manifests."""
    out: dict[str, list[Broken]] = {}
    for job in jobs.values():
        owner = run_of(job.key)
        if (owner and owner != run) or (not owner and job.key not in receipts):
            out.setdefault(owner, []).append(job)
    return out
