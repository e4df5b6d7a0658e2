"""A small results root written by hand: files with their lineage records, as jobs leave them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from seedlot.catalog.receipts import Receipt, write_receipt
from seedlot.contracts.model import contract
from seedlot.report.ledger import write_ledger
from seedlot.store import lineage
from seedlot.store.parquet import write_table
from seedlot.store.rejects import write_rejects

REPO = Path(__file__).resolve().parents[3]


def make_clone(path: Path) -> Path:
    """A folder that commands take for a clone: the committed resources, the demo's config, no rules."""
    (path / "config").mkdir(parents=True)
    (path / "config" / "config.yaml").write_text("run: demo\n")
    (path / "Snakefile").write_text("")
    (path / "envs").symlink_to(REPO / "envs")
    (path / "resources").symlink_to(REPO / "resources")
    return path


class Root:
    """Writes into `results` of a clone."""

    def __init__(self, clone: Path):
        self.clone, self.path = clone, clone / "results"

    def file(self, name: str) -> Path:
        """A path below the root."""
        return self.path / name

    def text(self, name: str, text: str) -> Path:
        """Write a text file."""
        path = self.file(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def job(self, rule: str, inputs: list[Path], outputs: list[Path], **more) -> Path:
        """The lineage record of a job whose outputs are there."""
        told = lineage.describe(inputs, self.path)
        record = {
            "rule": rule, "entry": more.pop("entry", f"seedlot.{rule}:run"), "code": "c0de", "params": {}, "threads": 1,
            "inputs": {n: {k: v for k, v in d.items() if k != "mtime_ns"} for n, d in told.items()},
            "outputs": lineage.describe(outputs, self.path), "versions": {}, "seconds": 1.5,
        }  # fmt: skip
        path = lineage.write(self.path, record | more)
        time.sleep(0.002)  # so that what is written later has a later modification time
        return path

    def receipt(self, source: str, name: str, files: Mapping[str, str], release: str = "sim1") -> Path:
        """Raw files and the receipt that brought them."""
        rows = []
        for item, text in files.items():
            path = self.text(f"raw/{source}/simulated/{release}/files/{item}", text)
            place, size, digest = (
                path.relative_to(self.path).as_posix(),
                path.stat().st_size,
                lineage.file_sha256(path),
            )
            rows.append(Receipt(item, place, size, digest, f"sim:{item}?seed=1", "ok", ""))
        receipt = self.file(f"raw/{source}/simulated/receipts/{name}.tsv")
        receipt.parent.mkdir(parents=True, exist_ok=True)
        write_receipt(receipt, rows)
        self.job("simulate", [], [receipt])
        return receipt

    def table(self, name: str, shard: str, rows: list[dict], inputs: list[Path], run: str = "demo") -> Path:
        """One shard of a published table under its contract."""
        promised = contract(name)
        schema = promised.arrow_schema()
        path = self.file(f"datasets/{run}/{name}/{shard}.parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(path, pa.Table.from_pylist(rows, schema=schema), schema, promised.key)
        self.job("curate", inputs, [path])
        return path

    def verdict(
        self, subject: str, tables: Mapping[str, dict], inputs: list[Path], run: str = "demo"
    ) -> Path:
        """A verdict as the judge writes it, with the items and rejects it saw."""
        rejects = self.file(f"datasets/{run}/_work/{subject}/rejects/b000.parquet")
        rejects.parent.mkdir(parents=True, exist_ok=True)
        write_rejects(
            rejects, [{"item": "thin", "file": "f", "line": 7, "reason": "short_line", "text": "a|b"}]
        )
        self.job("reject", [], [rejects])
        status = {"ok": 1, "rejected": 0, "failed": 0, "over_budget": 0, "no_access": 0}
        items = {"total": 1, "status": status, "read": 3, "kept": 2, "rejected": 1}
        full = {
            name: {"contract": f"{name}@1.0.0", "title": "", "key": contract(name).key, "lot": "ab" * 32,
                   "status": "pass", "failed": [], "checks": [], "columns": {}} | told
            for name, told in tables.items()
        }  # fmt: skip
        verdict = {
            "format": 1,
            "subject": subject,
            "run": run,
            "status": "pass",
            "items": items,
            "tables": full,
        }
        path = self.text(f"datasets/{run}/_work/{subject}/verdict.json", json.dumps(verdict))
        self.job("verify_judge", [*inputs, rejects], [path], entry="seedlot.contracts.judge:run")
        return path

    def ledger(self, study: str, rows: list[dict], run: str = "demo") -> Path:
        """A claims ledger."""
        path = self.file(f"studies/{run}/{study}/claims.parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_ledger(path, rows)
        self.job("evaluate", [], [path])
        return path


PROTEINS = [
    {
        "uid": f"P0000{i}",
        "entry_name": f"N{i}",
        "reviewed": True,
        "length": 3,
        "sequence": "MKV",
        "evidence": "simulated",
    }
    for i in (1, 2)
]


def proteins(root: Root) -> dict[str, Path]:
    """Raw file, receipt, one table and its verdict: the smallest whole chain."""
    receipt = root.receipt("uniprot", "0123", {"thin": ">P1\nMKV\n"})
    table = root.table("core_uniprot__proteins", "b000", PROTEINS, [receipt])
    verdict = root.verdict("uniprot", {"core_uniprot__proteins": {"rows": 2}}, [table])
    return {"receipt": receipt, "table": table, "verdict": verdict}
