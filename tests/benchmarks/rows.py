"""All benchmark rows by name."""

from __future__ import annotations

from importlib import import_module

from tests.benchmarks.model import Row

MODULES = ("rows_reading", "rows_dismantling", "rows_store", "rows_workflow")


def all_rows() -> dict[str, Row]:
    """name -> row, in the order of the page."""
    rows: dict[str, Row] = {}
    for module in MODULES:
        for row in import_module(f"tests.benchmarks.{module}").ROWS:
            if row.name in rows:
                raise ValueError(f"two benchmark rows are called '{row.name}'")
            rows[row.name] = row
    return rows


def load_row(name: str) -> Row:
    """The row of that name; KeyError when there is none."""
    return all_rows()[name]
