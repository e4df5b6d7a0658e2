"""Run one job: check its inputs, call its entry, write its sidecar. The only caller is scripts/job.py."""

from __future__ import annotations

import importlib
import json
import logging
import sys
import time
import traceback
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.store.job import Job

# The libraries that decide bytes; a sidecar records those that the job had loaded.
LIBRARIES = ("numpy", "scipy", "numba", "polars", "pyarrow", "pandas", "zarr", "torch", "safetensors", "Bio",
             "networkx", "great_expectations", "matplotlib", "h5py", "httpx", "snakemake")  # fmt: skip
# A library by its import name: the distribution that holds it, where the two differ.
DISTRIBUTION = {"Bio": "biopython", "great_expectations": "great-expectations"}


def flat(values) -> list[Path]:
    """All paths of a mapping of name -> Path or list of Paths."""
    out: list[Path] = []
    for value in values:
        out.extend([value] if isinstance(value, Path) else value)
    return out


def execute(job: Job, entry: str) -> None:
    """Call `entry` ('module:function') on `job` between the checks and the sidecar.

    Raises SeedlotError for changed inputs or a declared output that was not written.
    """
    module, _, function = entry.partition(":")
    marker = lineage.mark_pending(job.root, job.output.values())
    sidecars = lineage.Sidecars.scan(job.root)
    inputs = lineage.check_inputs(flat(job.input.values()), job.root, sidecars)
    for path in job.output.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    getattr(importlib.import_module(module), function)(job)
    seconds = time.perf_counter() - started
    missing = [str(p) for p in job.output.values() if not p.exists()]
    if missing:
        raise SeedlotError(f"{entry} did not write {', '.join(missing)}", where=f"rule {job.rule}")
    record = {
        "rule": job.rule,
        "entry": entry,
        "code": job.code,
        "inputs": inputs,
        "outputs": lineage.describe(job.output.values(), job.root),
        "params": json.loads(json.dumps(dict(job.params), default=str, sort_keys=True)),
        "threads": job.threads,
        "versions": loaded_versions(),
        "seconds": round(seconds, 3),
    }
    lineage.write(job.root, record)
    marker.unlink(missing_ok=True)


def loaded_versions() -> dict[str, str]:
    """Version of Python, of seedlot and of every library of LIBRARIES that this process has imported."""
    out = {"python": sys.version.split()[0], "seedlot": version("seedlot")}
    for name in LIBRARIES:
        if name in sys.modules:
            try:
                out[name] = version(DISTRIBUTION.get(name, name))
            except PackageNotFoundError:
                out[name] = "unknown"
    return out


def main(job: Job, entry: str) -> int:
    """Run a job with logging to its log file; the return value is the exit status.

    A SeedlotError is printed as its message; anything else keeps its traceback in the log, below one line
    that says what happened.
    """
    if job.log:
        job.log.parent.mkdir(parents=True, exist_ok=True)
    handlers: list[logging.Handler] = [logging.FileHandler(job.log, mode="w")] if job.log else []
    logging.basicConfig(
        level=logging.INFO, format="%(levelname)s %(message)s", handlers=handlers or None, force=True
    )
    log = logging.getLogger("seedlot")
    log.info("seedlot %s, rule %s, entry %s", version("seedlot"), job.rule, entry)
    try:
        execute(job, entry)
    except SeedlotError as err:
        log.error("%s", err)
        print(f"rule {job.rule}: {err}", file=sys.stderr)
        return 1
    except Exception as err:
        log.error("%s", traceback.format_exc())
        print(f"rule {job.rule}: {type(err).__name__}: {err}\n  log: {job.log}", file=sys.stderr)
        return 1
    return 0
