"""Workflow: what Snakemake takes before the first job, in a copy of the clone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.model import Contender, Measure, Row, Samples
from tests.helpers.clone import REPO, Clone

PAPER = "config/paper.yaml"


def snakemake(*arguments: str) -> Contender:
    """A Snakemake start in the copy."""

    def make(folder: Path, size: int) -> Callable[[], int]:
        copy = Clone(folder / "clone")

        def once() -> int:
            process = copy.start("snakemake", "--cores", "1", "--quiet", "rules", *arguments)
            text, _ = process.communicate()
            if process.returncode:
                raise RuntimeError(text[-3000:])
            found = re.search(r"^total\s+(\d+)", text, re.MULTILINE)
            return int(found[1]) if found else 0

        return once

    return Contender(make, f"snakemake {' '.join(arguments)}", shares_answer=False)


def copy_clone(folder: Path, size: int) -> None:
    """A copy of the working tree, and beside it an empty workflow."""
    copy = Clone.make(folder / "clone", {})
    (copy.path / "empty.smk").write_text("rule all:\n    output: touch('done')\n")


def _measures(samples: Samples) -> list[Measure]:
    empty = samples["empty workflow"]
    out = [
        Measure(
            name, [one.cpu for one in own], 3.0 if name == "list rules" else None, at_least=False, unit="s"
        )
        for name, own in samples.items()
    ]
    if "dry run, paper" in samples:
        times = [paper.cpu / other.cpu for paper, other in zip(samples["dry run, paper"], empty)]
        jobs = [float(one.answer) for one in samples["dry run, paper"]]
        out.append(Measure("dry run, paper / empty dry run", times, 8.0, at_least=False))
        out.append(Measure("jobs of the paper's run", jobs, 2000, at_least=False, unit="jobs", by="count"))
    return out


def _contenders() -> dict[str, Contender]:
    made = {
        "list rules": snakemake("--list-rules"),
        "dry run, demo": snakemake("--dry-run"),
        "empty workflow": snakemake("--dry-run", "--snakefile", "empty.smk"),
    }
    if (REPO / PAPER).exists():
        made["dry run, paper"] = snakemake("--dry-run", "--configfile", PAPER)
    return made


ROWS = [
    Row(
        name="workflow_start",
        title="Snakemake before the first job: rules listed, dry runs",
        contenders=_contenders(),
        summarise=_measures,
        prepare=copy_clone,
        note="CPU seconds of a whole Snakemake process, Python's start included. "
        "The dry run of config/paper.yaml is measured once that file exists.",
    ),
]
