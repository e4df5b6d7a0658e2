"""The report: one static page per run, and a front page over all runs present. Works from file://."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from seedlot.config.errors import SeedlotError
from seedlot.report.collect import gather
from seedlot.store.atomic import read_json, write_json, write_text
from seedlot.store.job import Job

log = logging.getLogger("seedlot")
TEMPLATES = Path(__file__).with_name("templates")


def environment() -> Environment:
    """Jinja with escaping on: names and texts come from raw files."""
    env = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    env.filters["words"] = lambda name: str(name).replace("_", " ")
    return env


def summary(told: dict[str, Any]) -> dict[str, Any]:
    """The numbers that the front page shows of a run."""
    verdicts = [claim["word"] for claim in told["claims"]]
    checks = [claim["method_check"] for claim in told["claims"]]
    return {
        "run": told["run"],
        "claims": len(verdicts),
        "reproduced": verdicts.count("reproduced"),
        "contradicted": verdicts.count("contradicted"),
        "inconclusive": verdicts.count("inconclusive"),
        "checks_passed": checks.count("passed"),
        "checks_failed": checks.count("failed"),
        "figures": sum(len(figures) for figures in told["studies"].values()),
        "tables": len(told["tables"]),
        "tables_failed": sum(table["status"] != "pass" for table in told["tables"]),
        "items_failed": sum(row["status"] == "failed" for row in told["outcomes"]),
    }


def run(job: Job) -> None:
    """Write `<root>/report/<run>/index.html`, its summary, and the front page `<root>/report/index.html`."""
    page = job.output["page"]
    told = gather(job.root, job.params["run"], job.params["inventory"])
    env = environment()
    env.filters["href"] = lambda path: Path(os.path.relpath(path, page.parent)).as_posix()
    write_text(page, env.get_template("run.html").render(**told, summary=summary(told)))
    write_json(page.with_name("summary.json"), summary(told))
    front(job.root / "report")


def front(folder: Path) -> None:
    """Write the front page over the summaries of all runs below the report folder."""
    runs = []
    for path in sorted(folder.glob("*/summary.json")):
        try:
            runs.append(read_json(path))
        except SeedlotError as error:  # another run's damage must not cost this run its report
            log.warning("left out of the front page: %s", error)
    write_text(folder / "index.html", environment().get_template("front.html").render(runs=runs))
