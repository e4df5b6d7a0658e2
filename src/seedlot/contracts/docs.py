"""The data docs of one verdict: a page that needs no network, no script and no other file."""

from __future__ import annotations

from html import escape
from typing import Any

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
h2 { margin-top: 2.5rem; border-top: 1px solid #ccc; padding-top: 1rem; }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid #e4e4e4; }
th { font-weight: 600; } td.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: .9em; overflow-wrap: anywhere; }
.pass { color: #00603a; } .fail { color: #9b1c1c; font-weight: 600; }
"""


def page(verdict: dict[str, Any]) -> str:
    """The verdict (see `contracts.judge`) as HTML; every text from data or contracts is escaped."""
    subject, run = escape(verdict["subject"]), escape(verdict["run"])
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{subject}: verdict of run {run}</title><style>{STYLE}</style></head><body>",
        f"<h1>{subject}: {_status(verdict['status'])}</h1>",
        f"<p>Run {run}. {len(verdict['tables'])} tables.</p>",
        _items(verdict["items"]),
        *(_table(name, entry) for name, entry in sorted(verdict["tables"].items())),
        "</body></html>",
    ]
    return "\n".join(p for p in parts if p) + "\n"


def _items(items: dict[str, Any] | None) -> str:
    if items is None:
        return ""
    by_status = ", ".join(f"{count} {status}" for status, count in items["status"].items())
    return (
        f"<p>Items: {items['total']} ({by_status}). Raw records: {items['read']} read, {items['kept']} kept, "
        f"{items['rejected']} rejected.</p>"
    )


def _table(name: str, entry: dict[str, Any]) -> str:
    head = (
        f'<h2 id="{escape(name)}">{escape(name)}: {_status(entry["status"])}</h2>'
        f"<p>{escape(entry['title'])}. {entry['rows']} rows, key {escape(', '.join(entry['key']))}, contract "
        f"{escape(entry['contract'])}.<br>Lot <code>{escape(str(entry['lot']))}</code></p>"
    )
    checks = _grid(
        ("Check", "Of", "What is counted", "Seen", "Expected", "", "First keys"),
        [
            (
                escape(c["check"]),
                escape(c["subject"]),
                escape(c["words"]),
                escape(_number(c["seen"])),
                escape(c["expected"]),
                _status(c["status"]),
                "<br>".join(f"<code>{escape(s)}</code>" for s in c["samples"])
                + (f"<br>{escape(c['todo'])}" if c["status"] == "fail" else ""),
            )
            for c in sorted(entry["checks"], key=lambda c: c["status"])
        ],
    )
    columns = _grid(
        ("Column", "Nulls", "Least", "Largest"),
        [
            (escape(column), _number(s["nulls"]), _number(s["min"]), _number(s["max"]))
            for column, s in entry["columns"].items()
        ],
    )
    return head + checks + columns


def _grid(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    top = "".join(f"<th>{h}</th>" for h in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _number(value: float | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _status(status: str) -> str:
    return f'<span class="{"pass" if status == "pass" else "fail"}">{escape(status)}</span>'
