"""docs/soak.md: what `make soak` measured last, a section per test, each with its date, commit and machine."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from tests.benchmarks.page import commit, machine
from tests.helpers.clone import REPO

PAGE = REPO / "docs" / "soak.md"
HEAD = """# Soak results

`make soak` runs the tests of `make test` with larger numbers, and those that take too long for it. Tests that measure
something write it here; each section says when, at which commit and on what machine.
"""


def record(section: str, lines: list[str]) -> None:
    """Replace the section of that title, or append it."""
    box = machine()
    stamp = f"{datetime.now(UTC):%Y-%m-%d}, commit {commit()}, {box['processor']}, "
    stamp += f"{box['cores']} cores, {box['memory_gib']} GiB."
    text = PAGE.read_text() if PAGE.exists() else HEAD
    new = "\n".join([f"## {section}", "", stamp, "", *lines, ""])
    old = re.compile(rf"^## {re.escape(section)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if old.search(text):
        text = old.sub(lambda _: new + "\n", text)
    else:
        text = text.rstrip("\n") + "\n\n" + new
    PAGE.write_text(text.rstrip("\n") + "\n")
