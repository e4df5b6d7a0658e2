"""seedlot audit"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

from seedlot.commands import _repair, _shared
from seedlot.commands._findings import BROKEN, Finding, bytes_to_read, inspect
from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.workflow.core import Workflow
from seedlot.workflow.model import plugins

HELP = "compare every file with its lineage record; --repair rebuilds exactly what is missing or wrong"
EXAMPLE = "seedlot audit --repair"
MOST = 40
HARMLESS = ("orphan record", "orphan marker")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The root, and whether and how to repair."""
    parser.add_argument(
        "--root", type=Path, help="results root (default: `root` of the config, else results)"
    )
    parser.add_argument("--quick", action="store_true", help="compare sizes only, read no file")
    parser.add_argument(
        "--repair", action="store_true", help="rebuild what is missing or wrong, nothing else"
    )
    parser.add_argument("--cores", default=str(os.cpu_count()), help="cores for the rebuild (default: all)")
    parser.add_argument("--all", action="store_true", help=f"list every finding, not only {MOST} of a kind")
    _shared.add_config(parser)


def run(args: argparse.Namespace) -> int:
    """Print what is not as recorded; 0 when no file is missing or wrong, or when everything was repaired."""
    root, flow = _root(args)
    if not root.is_dir():
        raise SeedlotError("no results here", where=str(root), todo="run `make demo`, or pass --root")
    if args.repair:
        _repair.demand_free(root)
        back = _repair.put_back(root)
        if back:
            print(f"an earlier repair was killed: {back} files it had moved aside are back")
    findings = _inspect(root, args.quick, args.all)
    if not findings:
        return 0
    wrong = any(finding.kind not in HARMLESS for finding in findings)
    if not args.repair:
        print(
            "`seedlot audit --repair` rebuilds what is missing or wrong, and nothing else"
            if wrong
            else "no harm done"
        )
        return 1 if wrong else 0
    if flow is None:
        raise SeedlotError(
            "a repair runs the workflow", where=str(Path.cwd()), todo="cd to the clone and repeat"
        )
    clean = _mend(findings, root, flow, args)
    left = _inspect(root, args.quick, args.all)
    if left:
        print("not everything could be repaired, see above")
    else:
        print(
            "repaired"
            if clean
            else "repaired, but not with the same bytes: run snakemake for what depends on them"
        )
    return 1 if left else 0


def _root(args: argparse.Namespace) -> tuple[Path, Workflow | None]:
    """The root to look at, and the workflow as configured when this is a clone."""
    if not Path("Snakefile").is_file():
        return args.root or Path("results"), None
    flow = Workflow(_shared.config_data(args))
    root = args.root or flow.root
    if args.repair:
        _repair.demand_same_root(root, flow.root)
    return flow.root if args.repair else root, flow


def _inspect(root: Path, quick: bool, every: bool) -> list[Finding]:
    total = None if quick else bytes_to_read(root)
    with _shared.progress("reading", total, "B") as bar:
        findings, checked = inspect(root, quick=quick, on_bytes=bar.update)
    for kind in sorted({finding.kind for finding in findings}):
        lines = [_line(finding) for finding in findings if finding.kind == kind]
        for line in lines if every else _shared.folded(lines, MOST):
            print(line)
    count = Counter(finding.kind for finding in findings)
    words = ", ".join(f"{number} {kind}" for kind, number in sorted(count.items()))
    print(f"{checked} files checked: {words or 'all as recorded'}")
    return findings


def _line(finding: Finding) -> str:
    more = {
        "orphan record": f"rule {finding.rule}; no job needs it any more, --repair drops the record",
        "orphan marker": "no job needs it any more, --repair drops it",
        "unfinished": "its job began and did not end well; snakemake runs it again",
        "unlisted": "no rule wrote it, but reading the table by its folder reads it; move it away",
    }.get(finding.kind, f"rule {finding.rule}")
    return f"{finding.kind}: {finding.path}  ({more})"


def _mend(findings: list[Finding], root: Path, flow: Workflow, args: argparse.Namespace) -> bool:
    """Drop orphans, rebuild broken jobs wave by wave; True when every job came back with its old bytes."""
    dropped = _repair.drop_orphans(findings, root)
    if dropped:
        print(f"{dropped} orphan records dropped")
    jobs = _repair.broken_jobs([f for f in findings if f.kind in BROKEN], root)
    others = _repair.foreign(jobs, flow.run, _receipts(flow))
    for owner, theirs in sorted(others.items()):
        whose = f"run '{owner}'" if owner else "another run's manifests or bucket counts"
        print(f"{len(theirs)} jobs belong to {whose}: repeat with the --configfile of that run")
        for job in theirs:
            del jobs[job.key]
    command = ["--cores", args.cores, *_shared.config_words(args)]
    clean = not others
    if jobs:
        print(f"rebuilding {len(jobs)} jobs")
    with _shared.progress("rebuilding", len(jobs), "job") as bar:
        for wave in _repair.waves(jobs, root):
            for line in _repair.rebuild(wave, root, command):
                print(line)
                clean = False
            bar.update(len(wave))
    return clean


def _receipts(flow: Workflow) -> set[str]:
    """The receipts that this config declares, as lineage names them."""
    return {
        lineage.relative(path, flow.root)
        for source in plugins("sources")
        for path in _shared.receipt_rows(flow, source)
    }
