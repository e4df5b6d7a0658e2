"""seedlot plan"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from seedlot.catalog.licences import missing_licences
from seedlot.catalog.manifest import Row, container_path, raw_path
from seedlot.catalog.releases import load_releases
from seedlot.commands import _shared
from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.workflow.core import Workflow
from seedlot.workflow.model import plugins

HELP = "what a target would cost: jobs, core- and GPU-hours, memory, bytes, inodes, longest job, licences missing"
EXAMPLE = "seedlot plan lgd_na --configfile config/paper.yaml"
# Asked of a dry run only: a smaller number would cap the threads that rules ask for.
MANY_CORES = "100000"
SOURCES = Path("resources/sources.tsv")
SNAKEMAKE = [sys.executable, "-m", "snakemake"]


@dataclass
class Planned:
    """One job of a dry run, as Snakemake prints it; resources that are known only when it starts are left out."""

    rule: str
    wildcards: str = ""
    outputs: list[str] = field(default_factory=list)
    files: int = 0
    threads: int = 1
    resources: dict[str, str] = field(default_factory=dict)
    local: bool = False

    def number(self, *names: str) -> float:
        """The first of the named resources that is a number, else 0."""
        for name in names:
            try:
                return float(self.resources[name])
            except (KeyError, ValueError):
                continue
        return 0.0

    @property
    def minutes(self) -> float:
        """The minutes the job may take at most: its time limit."""
        return self.number("runtime")

    @property
    def gpus(self) -> float:
        """GPUs it asks for."""
        return self.number("gpu", "gpus")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The target and the config."""
    parser.add_argument("target", nargs="*", help="rules or files, as for snakemake (default: all)")
    _shared.add_config(parser)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")


def parse(lines: Iterable[str]) -> list[Planned]:
    """The jobs that a dry run lists, without those that write nothing (target rules such as `all`).

    Snakemake has no machine-readable dry run; its text is one `rule NAME:` line per job with indented
    `key: value` lines below it, and lists are joined by ', ', which no path of this workflow contains.
    """
    jobs: list[Planned] = []
    for line in lines:
        head = re.match(r"(local)?(?:rule|checkpoint) (\w+):$", line)
        if head:
            jobs.append(Planned(head[2], local=bool(head[1])))
            continue
        body = re.match(r"    (output|log|benchmark|wildcards|resources|threads): (.*)$", line)
        if not body or not jobs:
            continue
        job, (key, value) = jobs[-1], body.groups()
        if key == "output":
            job.outputs = value.split(", ")
        if key in ("output", "log", "benchmark"):
            job.files += value.count(", ") + 1
        elif key == "wildcards":
            job.wildcards = value
        elif key == "threads":
            job.threads = int(value)
        elif key == "resources":
            job.resources = dict(pair.split("=", 1) for pair in value.split(", ") if "=" in pair)
    return [job for job in jobs if job.outputs]


def dry_run(targets: list[str], config: list[str]) -> list[Planned]:
    """The jobs that snakemake would run for the targets. Raises SeedlotError with its last lines when it fails."""
    command = [*SNAKEMAKE, "--dry-run", "--nocolor", "--cores", MANY_CORES]
    lines = []
    with (
        subprocess.Popen(
            [*command, *config, "--", *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process,
        _shared.progress("asking snakemake", unit="line") as bar,
    ):
        for line in process.stdout or ():
            lines.append(line.rstrip("\n"))
            bar.update()
    if process.returncode:
        start = max((i + 1 for i, line in enumerate(lines) if line.startswith("Building DAG")), default=0)
        words = [line for line in lines[start:] if line.strip() and not line.lstrip().startswith("File ")]
        tail = "\n    ".join(words[-8:])
        raise SeedlotError(f"snakemake cannot plan {' '.join(targets) or 'all'}\n    {tail}")
    return parse(lines)


def quantile(values: list[float], share: float) -> float:
    """Nearest-rank quantile: the smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def wanted_rows(flow: Workflow, jobs: list[Planned]) -> dict[str, list[Row]]:
    """Source -> manifest rows of the receipts that the planned jobs write."""
    asked = {path for job in jobs for path in job.outputs if "/receipts/" in path}
    found: dict[str, list[Row]] = defaultdict(list)
    for source in plugins("sources"):
        if not any(path.startswith(f"{flow.root.as_posix()}/raw/{source}/") for path in asked):
            continue
        for path, rows in _shared.receipt_rows(flow, source).items():
            if path.as_posix() in asked:
                found[source] += rows
    return dict(found)


def raw_needs(root: Path, wanted: Mapping[str, list[Row]]) -> dict[str, int]:
    """Files and known bytes of the raw files that the rows need: all, and those not here; files of unknown size."""
    told = {"files": 0, "bytes": 0, "files_here": 0, "bytes_here": 0, "files_of_unknown_size": 0}
    for source, rows in wanted.items():
        one_each = {}
        for row in rows:
            path = container_path if row.origin == "upstream" else raw_path
            one_each[path(root, source, row)] = row
        for path, row in one_each.items():
            here = path.exists()
            told["files"] += 1
            told["files_here"] += here
            told["bytes"] += row.bytes or 0
            told["bytes_here"] += (row.bytes or 0) * here
            told["files_of_unknown_size"] += row.bytes is None and not here
    return told


def seconds_before(root: Path) -> dict[str, list[float]]:
    """Rule -> seconds of its jobs that ran in this root before, from the lineage records."""
    found: dict[str, list[float]] = defaultdict(list)
    for record in lineage.Sidecars.scan(root).all():
        found[record["rule"]].append(record["seconds"])
    return found


def licences_missing(wanted: Mapping[str, list[Row]]) -> list[str]:
    """One sentence per release that the rows need and that may not be fetched yet."""
    needed = {(s, row.release) for s, rows in wanted.items() for row in rows if row.origin == "upstream"}
    gates = missing_licences(load_releases(SOURCES), os.environ)
    return [text for key, text in sorted(gates.items()) if key in needed]


def summary(flow: Workflow, jobs: list[Planned]) -> dict:
    """The numbers of a plan, as plain values; times are limits unless the name says otherwise.

    Minutes, hours, memory and the longest job leave out what runs beside snakemake on the login node (fetching,
    the report), unless there is nothing else.
    """
    computing = [job for job in jobs if not job.local] or jobs
    minutes = [job.minutes for job in computing]
    longest = max(computing, key=lambda job: job.minutes)
    fattest = max(computing, key=lambda job: job.number("mem_mb"))
    wanted = wanted_rows(flow, jobs)
    raw = raw_needs(flow.root, wanted)
    before = seconds_before(flow.root)
    rules = {}
    for rule in sorted({job.rule for job in jobs}):
        own = [job for job in jobs if job.rule == rule]
        rules[rule] = {
            "jobs": len(own),
            "threads": max(job.threads for job in own),
            "mem_mb": max(job.number("mem_mb") for job in own),
            "max_minutes": max(job.minutes for job in own),
            "median_seconds_before": median(before[rule]) if before.get(rule) else None,
        }
    return {
        "jobs": len(jobs),
        "local_jobs": len(jobs) - len(computing),
        "rules": rules,
        "minutes": {"p50": quantile(minutes, 0.5), "p95": quantile(minutes, 0.95), "max": max(minutes)},
        "longest_job": {"rule": longest.rule, "wildcards": longest.wildcards, "minutes": longest.minutes},
        "core_hours": sum(job.minutes * job.threads for job in computing) / 60,
        "gpu_hours": sum(job.minutes * job.gpus for job in computing) / 60,
        "peak_memory": {"mem_mb": fattest.number("mem_mb"), "rule": fattest.rule},
        "raw": raw,
        # one lineage record and one Snakemake record per job and output beside the declared files
        "inodes": sum(job.files + 1 + len(job.outputs) for job in jobs) + raw["files"] - raw["files_here"],
        "licences_missing": licences_missing(wanted),
    }


def run(args: argparse.Namespace) -> int:
    """Print the plan; 1 when a licence is missing."""
    flow = Workflow(_shared.config_data(args))
    jobs = dry_run(args.target, _shared.config_words(args))
    if not jobs:
        print('{"jobs": 0}' if args.json else "nothing to do")
        return 0
    told = summary(flow, jobs)
    if args.json:
        _shared.print_json(told)
    else:
        _print(told)
    return 1 if told["licences_missing"] else 0


def _print(told: dict) -> None:
    rows = [("rule", "jobs", "threads", "GB", "limit (min)", "before (s)")]
    for rule, of in told["rules"].items():
        seconds = of["median_seconds_before"]
        rows.append((rule, str(of["jobs"]), str(of["threads"]), f"{of['mem_mb'] / 1000:.1f}",
                     f"{of['max_minutes']:.0f}", "-" if seconds is None else f"{seconds:.1f}"))  # fmt: skip
    _shared.print_table(rows)
    minutes, longest, raw = told["minutes"], told["longest_job"], told["raw"]
    local = told["local_jobs"]
    aside = (
        f", {local} of them beside snakemake on this host, left out of the next five lines" if local else ""
    )
    print(f"\njobs          {told['jobs']}{aside}")
    print(
        f"minutes a job p50 {minutes['p50']:.0f}, p95 {minutes['p95']:.0f}, max {minutes['max']:.0f} (limits)"
    )
    named = f" ({longest['wildcards']})" if longest["wildcards"] else ""
    print(f"longest job   {longest['rule']}{named}: at most {longest['minutes']:.0f} min")
    print(f"core-hours    at most {told['core_hours']:.1f}")
    print(f"GPU-hours     at most {told['gpu_hours']:.1f}")
    print(f"peak memory   {told['peak_memory']['mem_mb'] / 1000:.1f} GB ({told['peak_memory']['rule']})")
    unknown = raw["files_of_unknown_size"]
    print(
        f"raw bytes     {_shared.size_words(raw['bytes'])} in {raw['files']} files, "
        f"{_shared.size_words(raw['bytes_here'])} in {raw['files_here']} of them are here"
        + (f"; {unknown} files of unknown size are not counted" if unknown else "")
    )
    print(f"inodes        about {told['inodes']}")
    print("licences      " + ("\n              ".join(told["licences_missing"]) or "none missing"))
