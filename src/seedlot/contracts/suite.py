"""The expectation suite of one table, judged by Great Expectations on what the check tables counted."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measure:
    """One number (or text) that was measured about a table, and what it must be.

    check, subject: as in check tables, e.g. `range` of column `node`. seen: the number, or text compared
    with `equals`. low, high: inclusive bounds of a number. words: what the number is. samples: keys to look
    at. todo: what a person does when it fails.
    """

    check: str
    subject: str
    words: str
    seen: float | str
    todo: str
    low: float = 0.0
    high: float = 0.0
    equals: str | None = None
    samples: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Check and subject as one word, the column name in the judged frame."""
        return f"{self.check} {self.subject}".strip()

    @property
    def expected(self) -> str:
        """What must hold, in words."""
        if self.equals is not None:
            return self.equals
        if self.low == self.high:
            return f"{self.high:g}"
        return f"at most {self.high:g}" if self.low == 0 else f"{self.low:g} to {self.high:g}"


def judge(tables: Mapping[str, Sequence[Measure]]) -> dict[str, list[bool]]:
    """Per table, whether each of its measures is as expected, in the order given.

    Great Expectations is imported here and nowhere else (about 4 s), with its usage statistics off. Raises
    RuntimeError when an expectation could not be evaluated, since that would otherwise read as a failure.
    """
    os.environ["GX_ANALYTICS_ENABLED"] = "False"
    import great_expectations as gx
    import pandas as pd

    context = gx.get_context(mode="ephemeral")
    context.enable_analytics(False)
    context.variables.progress_bars = {"globally": False}
    source = context.data_sources.add_pandas("checks")
    outcome = {}
    for table, measures in sorted(tables.items()):
        frame = pd.DataFrame({m.name: [m.seen] for m in measures})
        if frame.shape != (1, len(measures)) or frame.isna().any(axis=None):
            raise RuntimeError(
                f"{table}: measures are not distinct or not known: {[m.name for m in measures]}"
            )
        suite = gx.ExpectationSuite(name=table, expectations=[_expectation(gx, m) for m in measures])
        definition = source.add_dataframe_asset(table).add_batch_definition_whole_dataframe("all")
        result = definition.get_batch(batch_parameters={"dataframe": frame}).validate(
            suite, result_format="BOOLEAN_ONLY"
        )
        found = {}
        for one in result.results:
            if one.exception_info.get("raised_exception", True):
                raise RuntimeError(f"{table}: {one.expectation_config.kwargs}: {one.exception_info}")
            found[one.expectation_config.kwargs["column"]] = bool(one.success)
        outcome[table] = [found[m.name] for m in measures]
    return outcome


def _expectation(gx: Any, measure: Measure) -> Any:
    meta = {"check": measure.check, "subject": measure.subject, "words": measure.words}
    if measure.equals is not None:
        return gx.expectations.ExpectColumnValuesToBeInSet(
            column=measure.name, value_set=[measure.equals], meta=meta
        )
    return gx.expectations.ExpectColumnValuesToBeBetween(
        column=measure.name, min_value=measure.low, max_value=measure.high, meta=meta
    )
