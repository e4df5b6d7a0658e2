"""The one exception that users are meant to read: what went wrong, where, and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SeedlotError(Exception):
    """An error with a message for a person.

    what: one sentence, expected against seen. where: file, line, record, item or residue.
    todo: the next command or edit. Command-line entry points print it without a traceback.
    """

    def __init__(self, what: str, *, where: str | None = None, todo: str | None = None):
        self.what, self.where, self.todo = what, where, todo
        parts = [what]
        if where:
            parts.append(f"  where: {where}")
        if todo:
            parts.append(f"  do:    {todo}")
        super().__init__("\n".join(parts))


def nearest(word: str, valid: Iterable[str]) -> str | None:
    """The valid name closest to a misspelt one, or None when nothing is close."""
    lower = {name.lower(): name for name in valid}
    hits = difflib.get_close_matches(word.lower(), lower, n=1, cutoff=0.5)
    return lower[hits[0]] if hits else None


def unknown(kind: str, word: str, valid: Iterable[str], *, where: str | None = None) -> SeedlotError:
    """A SeedlotError for a name that is not in a closed vocabulary, naming the nearest valid one."""
    names = sorted(valid)
    close = nearest(word, names)
    todo = f"did you mean '{close}'?" if close else f"valid: {', '.join(names) or 'there is none'}"
    return SeedlotError(f"unknown {kind} '{word}'", where=where, todo=todo)
