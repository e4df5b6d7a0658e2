"""What consumers call before they read a whole table: refuse one whose verdict is not `pass`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from seedlot.config.errors import SeedlotError, unknown
from seedlot.store.atomic import read_json
from seedlot.store.job import Job


def read_verdict(path: Path | str) -> dict[str, Any]:
    """A verdict as written by `contracts.judge`; SeedlotError when the file is missing or no verdict."""
    try:
        verdict = read_json(path, "delete it, judge again")
    except FileNotFoundError:
        raise SeedlotError(
            "no verdict", where=str(path), todo="run the rule that judges these tables"
        ) from None
    if not isinstance(verdict, dict) or not {"tables", "status"} <= set(verdict):
        raise SeedlotError("this is no verdict", where=str(path), todo="name a verdict.json")
    return verdict


def require_pass(
    verdicts: Path | str | Sequence[Path | str], tables: Iterable[str] | None = None
) -> dict[str, str | None]:
    """Return table -> lot when every one of `tables` (default: all that were judged) passed.

    Raises SeedlotError that names the failed checks with sample keys and what to do, and for a table that none
    of the verdicts judged.
    """
    paths = [verdicts] if isinstance(verdicts, str | Path) else list(verdicts)
    judged = {}
    for path in paths:
        judged |= {name: (entry, path) for name, entry in read_verdict(path)["tables"].items()}
    wanted = sorted(judged if tables is None else tables)
    for name in wanted:
        if name not in judged:
            raise unknown("table", name, judged, where=", ".join(map(str, paths)))
    failed = [name for name in wanted if judged[name][0]["status"] != "pass"]
    if failed:
        raise SeedlotError(
            "; ".join(f"'{name}' did not pass: {_reasons(judged[name][0])}" for name in failed),
            where=", ".join(sorted({str(judged[name][1]) for name in failed})),
            todo=judged[failed[0]][0]["failed"][0]["todo"],
        )
    return {name: judged[name][0]["lot"] for name in wanted}


def _reasons(entry: dict[str, Any], most: int = 3) -> str:
    words = []
    for check in entry["failed"][:most]:
        name = f"{check['check']} {check['subject']}".strip()
        keys = f", e.g. {', '.join(check['samples'][:2])}" if check["samples"] else ""
        words.append(f"{name} is {check['seen']}, expected {check['expected']}{keys}")
    rest = len(entry["failed"]) - most
    return ", ".join(words) + (f", and {rest} more" if rest > 0 else "")


def require_inputs(job: Job) -> None:
    """Require every table of every input of a job whose name ends in `verdict`."""
    for name in job.input:
        if name.endswith("verdict"):
            require_pass(job.path(name))
