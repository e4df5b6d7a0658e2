"""The claims ledger: one row per claim of a study, in one shape for all studies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from seedlot.config.errors import SeedlotError, unknown
from seedlot.store.parquet import write_table

VERDICTS = ("reproduced", "contradicted", "inconclusive", "not_testable")
CHECKS = ("passed", "failed", "none")
SCHEMA = pa.schema(
    [
        pa.field("study", pa.string(), nullable=False),
        pa.field("claim", pa.string(), nullable=False),
        pa.field("statement", pa.string(), nullable=False),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("method_check", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("unit", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("ci_low", pa.float64()),
        pa.field("ci_high", pa.float64()),
        pa.field("threshold", pa.string(), nullable=False),
        pa.field("mde", pa.float64()),
        pa.field("n", pa.int32(), nullable=False),
        pa.field("families", pa.int32(), nullable=False),
        pa.field("seeds", pa.int32(), nullable=False),
        pa.field("evidence", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("text_digest", pa.string(), nullable=False),
        pa.field("repeat", pa.string(), nullable=False),
    ]
)


def text_digest(page: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """SHA-256 of what decides a claim's verdict, independent of key order and layout.

    That is its entry, the page's `frozen` comparison, and the scale of `scales` that the entry names, where the
    page has them.
    """
    parts: dict[str, Any] = {"claim": entry}
    if "frozen" in page:
        parts["frozen"] = page["frozen"]
    if "scale" in entry:
        parts["scale"] = page["scales"][entry["scale"]]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def text_digests(path: Path) -> dict[str, str]:
    """Claim id -> text_digest of every claim of a claims.yaml."""
    page = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {entry["id"]: text_digest(page, entry) for entry in page["claims"]}


def load_claims(path: Path) -> dict[str, dict[str, Any]]:
    """Claim id -> entry of a claims.yaml, in file order. Raises SeedlotError for a repeated id."""
    out: dict[str, dict[str, Any]] = {}
    for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]:
        if entry["id"] in out:
            raise SeedlotError(f"two claims are called '{entry['id']}'", where=str(path))
        out[entry["id"]] = entry
    return out


def method_check(claims: Path, study: str, id: str, value: float, n: int, target: str) -> dict[str, Any]:
    """The ledger row of a claim that was measured on simulated data: `value` against its threshold.

    The entry's metric has name, unit, direction ('less' or 'more') and threshold. Simulated data never earns
    'reproduced' or 'contradicted'.
    """
    entries = load_claims(claims)
    if id not in entries:
        raise unknown("claim", id, entries, where=str(claims))
    entry, metric = entries[id], entries[id]["metric"]
    good = value < metric["threshold"] if metric["direction"] == "less" else value > metric["threshold"]
    sign = "<" if metric["direction"] == "less" else ">"
    return {
        "study": study,
        "claim": id,
        "statement": entry["statement"],
        "verdict": "not_testable",
        "method_check": "passed" if good else "failed",
        "metric": metric["name"],
        "unit": metric["unit"],
        "value": value,
        "threshold": f"{sign} {metric['threshold']}",
        "n": n,
        "families": 0,
        "seeds": 1,
        "evidence": "simulated",
        "reason": "measured on simulated data only",
        "text_digest": text_digests(claims)[id],
        "repeat": f"snakemake --cores 1 {target}",
    }


def write_ledger(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write claim rows sorted by study and claim. Raises SeedlotError for a word outside its vocabulary."""
    clean = [{name: row.get(name) for name in SCHEMA.names} for row in rows]
    for row in clean:
        for name, words in (("verdict", VERDICTS), ("method_check", CHECKS)):
            if row[name] not in words:
                raise unknown(name, str(row[name]), words, where=f"claim {row['claim']}")
        if row["verdict"] in ("reproduced", "contradicted") and row["evidence"] != "real":
            raise SeedlotError("only real evidence earns this verdict", where=f"claim {row['claim']}")
    write_table(path, pa.Table.from_pylist(clean, schema=SCHEMA), SCHEMA, ["study", "claim"])
