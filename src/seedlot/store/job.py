"""What a rule hands to the package: named inputs, outputs and parameters, nothing of Snakemake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedlot.config.errors import SeedlotError


@dataclass(frozen=True)
class Job:
    """One job of one rule. Every entry point is a function `run(job: Job) -> None`.

    input: name -> Path or list of Paths. output: name -> Path. params: plain values only (what the
    rule declares, less `entry` and `code`). root: the results root that relative paths in files start
    from. deadline: seconds since the epoch at which the allocation ends, or None. tmpdir: scratch space.
    code: digest of the code that the result depends on, part of the key of a costly step.
    """

    rule: str
    input: Mapping[str, Path | list[Path]]
    output: Mapping[str, Path]
    params: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    root: Path = Path("results")
    log: Path | None = None
    deadline: float | None = None
    tmpdir: Path = Path("/tmp")
    code: str = ""

    def paths(self, name: str) -> list[Path]:
        """The input of that name as a list, also when the rule gave one file."""
        value = self.input[name]
        return [value] if isinstance(value, Path) else list(value)

    def path(self, name: str) -> Path:
        """The one file of that input; SeedlotError when the rule gave several."""
        found = self.paths(name)
        if len(found) != 1:
            raise SeedlotError(
                f"input '{name}' is {len(found)} files, this step works on one", where=f"rule {self.rule}"
            )
        return found[0]
