"""The datasheet section of a table, in Markdown: what a stranger must know before using it."""

from __future__ import annotations

from typing import Any

from seedlot.contracts.model import Column, Contract


def section(
    promised: Contract, judged: dict[str, Any] | None = None, items: dict[str, Any] | None = None
) -> str:
    """A Markdown section on one table, headed by its name.

    judged: the table's entry of a verdict, items: the verdict's `items`; without them the section says that
    the table has not been built.
    """
    parts = [
        f"## {promised.name}",
        f"**{promised.title}.** {promised.description.strip()}",
        f"One row is {promised.unit_of_observation}. Key: {_codes(promised.key)}. Contract: `{promised.id}`.",
        _state(judged),
        _columns(promised, judged),
        _promises(promised, judged),
        _items(items),
    ]
    return "\n\n".join(p for p in parts if p) + "\n"


def _state(judged: dict[str, Any] | None) -> str:
    if judged is None:
        return "Not built yet: no rows, lot or verdict."
    lot = f"Lot `{judged['lot']}`." if judged["lot"] else "No lot."
    return f"{judged['rows']} rows. Verdict: {judged['status']}. {lot}"


def _columns(promised: Contract, judged: dict[str, Any] | None) -> str:
    head = ["Column", "Type", "Unit", "Meaning", "Allowed"]
    stats = judged["columns"] if judged else {}
    rows = []
    for column in promised.columns:
        row = [f"`{column.name}`", column.type, column.unit or "", column.description, _allowed(column)]
        if judged:
            seen = stats.get(column.name, {})
            row += [str(seen.get("nulls", "")), _range(seen)]
        rows.append(row)
    return _grid(head + (["Nulls", "Seen"] if judged else []), rows)


def _allowed(column: Column) -> str:
    words = []
    if column.allowed is not None:
        words.append(", ".join(f"`{v}`" for v in column.allowed))
    if column.min is not None or column.max is not None:
        low = "" if column.min is None else f"{column.min:g} ≤ "
        high = "" if column.max is None else f" ≤ {column.max:g}"
        words.append(f"{low}x{high}")
    if column.pattern is not None:
        words.append(f"matches `{column.pattern}`")
    if column.nullable:
        words.append("or null")
    if column.volatile:
        words.append("(not part of the lot)")
    return " ".join(words)


def _range(seen: dict[str, Any]) -> str:
    low, high = seen.get("min"), seen.get("max")
    return "" if low is None else f"{_number(low)} to {_number(high)}"


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _promises(promised: Contract, judged: dict[str, Any] | None) -> str:
    failed = {(c["check"], c["subject"]) for c in judged["failed"]} if judged else set()
    rows = []
    for rule in promised.checks:
        share = f"at most {rule.tolerance:g} of rows break it" if rule.tolerance else "every row"
        rows.append(
            [f"`{rule.name}`", f"`{rule.expr}`", share, _outcome(judged, ("rule", rule.name) in failed)]
        )
    for reference in promised.references:
        columns = ", ".join(reference.columns)
        subject = f"{columns} -> {reference.table}"
        words = f"{_codes(reference.columns)} occurs in `{reference.table}` as {_codes(reference.to)}"
        rows.append(["reference", words, "every row", _outcome(judged, ("reference", subject) in failed)])
    for limit, share in sorted(promised.limits.items()):
        rows.append([f"`{limit}`", "ceiling", f"{share:g}", _outcome(judged, ("limit", limit) in failed)])
    if not rows:
        return ""
    return _grid(
        ["Check", "What holds", "For", *(["Verdict"] if judged else [])],
        [[c for c in r if c is not None] for r in rows],
    )


def _outcome(judged: dict[str, Any] | None, failed: bool) -> str | None:
    return None if judged is None else "fail" if failed else "pass"


def _items(items: dict[str, Any] | None) -> str:
    if items is None:
        return ""
    by_status = ", ".join(f"{count} {status}" for status, count in items["status"].items() if count)
    return (
        f"Built from {items['total']} items ({by_status}); of {items['read']} raw records {items['kept']} were kept "
        f"and {items['rejected']} rejected."
    )


def _codes(names: list[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


def _grid(head: list[str], rows: list[list[str]]) -> str:
    lines = [
        head,
        ["---"] * len(head),
        *([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
