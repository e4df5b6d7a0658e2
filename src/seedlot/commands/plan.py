"""seedlot plan"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from seedlot.catalog.licences import missing_licences
from seedlot.catalog.releases import load_releases
from seedlot.config import base
from seedlot.config.errors import SeedlotError
from seedlot.workflow.core import Workflow
from seedlot.workflow.model import plugins

HELP = "what a target would cost: jobs, core- and GPU-hours, memory, bytes, inodes, longest job, licences missing"
EXAMPLE = "seedlot plan lgd_na --configfile config/paper.yaml"


@dataclass
class Planned:
    """One job of a dry run. minutes is the time it asks for, seconds the predicted time where a rule gives one."""

    rule: str
    wildcards: str = ""
    outputs: int = 0
    threads: int = 1
    resources: dict[str, str] = field(default_factory=dict)

    @property
    def minutes(self) -> float:
        """Predicted minutes: `predicted_s` of the rule, else the time limit it asks for."""
        if "predicted_s" in self.resources:
            return float(self.resources["predicted_s"]) / 60
        return float(self.resources.get("runtime", 0))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The target and the config."""
    parser.add_argument("target", nargs="*", help="targets, as for snakemake (default: all)")
    parser.add_argument("--configfile", type=Path, help="config on top of config/config.yaml")


def parse(text: str) -> list[Planned]:
    """The jobs that the printed text of a dry run lists."""
    jobs: list[Planned] = []
    for line in text.splitlines():
        head = re.match(r"(?:local)?(?:rule|checkpoint) (\w+):$", line)
        if head:
            jobs.append(Planned(head[1]))
            continue
        body = re.match(r"    (output|wildcards|resources|threads): (.*)$", line)
        if not body or not jobs:
            continue
        job, (key, value) = jobs[-1], body.groups()
        if key == "output":
            job.outputs = value.count(", ") + 1
        elif key == "wildcards":
            job.wildcards = value
        elif key == "threads":
            job.threads = int(value)
        else:
            job.resources = dict(pair.split("=", 1) for pair in value.split(", ") if "=" in pair)
    return jobs


def dry_run(targets: list[str], configfile: Path | None) -> str:
    """What `snakemake -n` prints. Raises SeedlotError with its last lines when it fails."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--nocolor", "--cores", "1"]
    if configfile:
        command += ["--configfile", str(configfile)]
    done = subprocess.run([*command, "--", *targets], capture_output=True, text=True, check=False)
    if done.returncode:
        tail = "\n    ".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise SeedlotError(f"snakemake cannot plan {' '.join(targets) or 'all'}\n    {tail}")
    return done.stdout + done.stderr


def quantile(values: list[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * len(ordered) * 1000) // 1000) - 1))]


def run(args: argparse.Namespace) -> int:
    """Print the plan."""
    jobs = [j for j in parse(dry_run(args.target, args.configfile)) if j.rule not in ("all", *args.target)]
    data = base.read_yaml(Path("config/config.yaml"))
    if args.configfile:
        data = base.merge(data, base.read_yaml(args.configfile))
    flow = Workflow(data)
    minutes = [j.minutes for j in jobs]
    if not jobs:
        print("nothing to do")
        return 0
    longest = max(jobs, key=lambda j: j.minutes)
    memory = max(jobs, key=lambda j: float(j.resources.get("mem_mb", 0)))
    print(f"jobs            {len(jobs)}")
    for rule, count in sorted(Counter(j.rule for j in jobs).items()):
        print(f"  {rule:<28} {count}")
    print(
        f"minutes a job   p50 {quantile(minutes, 0.5):.1f}, p95 {quantile(minutes, 0.95):.1f}, max {max(minutes):.1f}"
    )
    print(
        f"longest job     {longest.rule} ({longest.wildcards or 'no wildcards'}): {longest.minutes:.1f} min"
    )
    print(f"core-hours      at most {sum(j.minutes * j.threads for j in jobs) / 60:.1f}")
    gpu = sum(j.minutes * float(j.resources.get("gpu", 0)) for j in jobs) / 60
    print(f"GPU-hours       at most {gpu:.1f}")
    print(f"peak memory     {float(memory.resources.get('mem_mb', 0)) / 1000:.1f} GB ({memory.rule})")
    _print_raw(flow, jobs)
    return 0


def _print_raw(flow: Workflow, jobs: list[Planned]) -> None:
    sources = {
        m[1]
        for j in jobs
        for m in re.finditer(r"source=(\w+)", j.wildcards)
        if j.rule in ("fetch", "simulate")
    } & set(plugins("sources"))
    rows = {(s, r.url, r.container): r for s in sorted(sources) for r in flow.rows(s)}.values()
    known = [r.bytes for r in rows if r.bytes is not None]
    unknown = sum(r.bytes is None and r.origin == "upstream" for r in rows)
    print(
        f"raw bytes       {sum(known) / 1e9:.3f} GB known"
        + (f", {unknown} files of unknown size" if unknown else "")
    )
    inodes = sum(j.outputs + 3 for j in jobs) + len(rows)
    print(f"inodes          about {inodes} (outputs, logs, lineage, raw files)")
    wanted = {(s, r.release) for s in sources for r in flow.rows(s)}
    gates = missing_licences(load_releases(Path("resources/sources.tsv")), os.environ)
    missing = [text for key, text in gates.items() if key in wanted]
    print("licences        " + ("none missing" if not missing else "\n                ".join(missing)))
