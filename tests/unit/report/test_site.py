"""The report's page and its gate, from hand-made result files: everything is named, everything is escaped."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.report import collect, gate, site
from seedlot.report.ledger import SCHEMA
from seedlot.store.job import Job

EVIL = "<script>alert('x')</script>"
CLAIM = {"study": "toy", "claim": "c1", "statement": f"It holds {EVIL}.", "verdict": "not_testable",
         "method_check": "passed", "metric": "ratio", "unit": "1", "value": 0.25, "ci_low": 0.2, "ci_high": 0.3,
         "threshold": "< 0.5", "mde": None, "n": 7, "families": 0, "seeds": 1, "evidence": "simulated",
         "reason": "simulated only", "text_digest": "0" * 64, "repeat": "snakemake toy"}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch) -> Path:
    """A results root with one study, one subject, a failed item and a reject."""
    monkeypatch.chdir(tmp_path)
    root = Path("results")
    work = root / "datasets/demo/_work/toy"
    work.mkdir(parents=True)
    (root / "figures/demo/toy").mkdir(parents=True)
    (root / "figures/demo/toy/plot.svg").write_text("<svg/>")
    items = [
        ("good", "ok", ""),
        ("bad", "failed", f"member absent {EVIL}"),
        ("odd", "rejected", "line 3: no number"),
    ]
    pl.DataFrame(items, schema=["item", "status", "reason"], orient="row").write_parquet(
        work / "items.parquet"
    )
    rejects = pl.DataFrame(
        {"item": ["odd", "odd"], "file": ["f", "f"], "line": [3, 4], "record": [None, None],
         "reason": ["not_a_number", "not_a_number"], "text": [EVIL, "x"]},
        schema_overrides={"record": pl.Int64},
    )  # fmt: skip
    rejects.write_parquet(work / "rejects.parquet")
    (root / "studies/demo/toy").mkdir(parents=True)
    ledger = pl.DataFrame([CLAIM], schema={name: None for name in SCHEMA.names})
    ledger.write_parquet(root / "studies/demo/toy/claims.parquet")
    verdict = {"core_toy__rows": {"status": "pass", "rows": 9, "lot": "ab" * 32, "checks": []}}
    (work / "verdict.json").write_text(json.dumps({"tables": verdict}))
    (root / "datasets/demo/core_toy__fields").mkdir()
    store = {"contract": "core_toy__fields", "lot": "a" * 64, "shape": [7, 2], "store": "b000.zarr"}
    (root / "datasets/demo/core_toy__fields/b000.json").write_text(json.dumps(store))
    return root


def inventory(root: Path) -> dict:
    work = root / "datasets/demo/_work/toy"
    return {
        "studies": {
            "toy": {
                "figures": {"plot": f"{root}/figures/demo/toy/plot.svg"},
                "ledgers": [f"{root}/studies/demo/toy/claims.parquet"],
                "subjects": ["toy"],
            }
        },
        "subjects": {
            "toy": {
                "tables": ["core_toy__rows"],
                "verdict": f"{work}/verdict.json",
                "outcomes": [f"{work}/items.parquet"],
                "rejects": [f"{work}/rejects.parquet"],
            }
        },
        "arrays": [f"{root}/datasets/demo/core_toy__fields/b000.json"],
    }


def report(root: Path, run: str = "demo") -> str:
    page = root / "report" / run / "index.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    site.run(Job("report", {}, {"page": page}, {"run": run, "inventory": inventory(root)}, root=root))
    return page.read_text()


def test_the_page_names_claims_tables_figures_failures_and_rejects(root):
    text = report(root)
    for word in ("It holds", "0.25 [0.2, 0.3]", "not testable at this scale", "core_toy__rows", "ab" * 8, "bad",
                 "member absent", "odd", "not a number", "../../figures/demo/toy/plot.svg", "plot.parquet"):  # fmt: skip
        assert word in text, word
    assert ">good<" not in text


def test_arrays_stand_beside_the_tables_with_their_lots(root):
    page = report(root)
    row = next(line for line in page.splitlines() if "core_toy__fields" in line)
    assert ">7</td>" in row and "a" * 16 in row and "../../datasets/demo/core_toy__fields/b000.json" in row


def test_texts_from_raw_files_are_escaped(root):
    assert "<script>" not in report(root) and "&lt;script&gt;" in report(root)


def test_the_same_results_give_the_same_page(root):
    assert report(root) == report(root)


def test_the_front_page_shows_every_run_present(root):
    report(root)
    report(root, "paper")
    front = (root / "report/index.html").read_text()
    assert 'href="demo/index.html"' in front and 'href="paper/index.html"' in front


def test_the_summary_counts(root):
    told = json.loads((report(root) and root / "report/demo/summary.json").read_text())
    assert (told["claims"], told["checks_passed"], told["tables"], told["items_failed"]) == (1, 1, 1, 1)
    assert told["reproduced"] == told["contradicted"] == 0


def test_reject_reasons_are_counted_with_an_example(root):
    (row,) = collect.rejects([root / "datasets/demo/_work/toy/rejects.parquet"])
    assert (row["reason"], row["rows"], row["items"], row["line"]) == ("not_a_number", 2, 1, 3)
    assert collect.rejects([]) == []


def test_the_gate_names_failed_items_and_tables_that_did_not_pass(root):
    work = root / "datasets/demo/_work/toy"
    lines = gate.failures([work / "items.parquet"], [work / "verdict.json"])
    assert len(lines) == 1 and lines[0].startswith("item bad: member absent")
    (work / "verdict.json").write_text(json.dumps({"tables": {"core_toy__rows": {"status": "fail"}}}))
    assert any(
        "table core_toy__rows: verdict fail" in line for line in gate.failures([], [work / "verdict.json"])
    )


def gate_job(root: Path) -> Job:
    work = root / "datasets/demo/_work/toy"
    inputs = {"outcomes": [work / "items.parquet"], "verdicts": [work / "verdict.json"]}
    page = root / "report/demo/index.html"
    return Job("final_gate", inputs | {"report": page}, {"gate": root / "report/demo/gate.json"}, root=root)


def test_a_failed_item_makes_the_gate_fail_and_the_page_is_named(root):
    report(root)
    with pytest.raises(SeedlotError) as caught:
        gate.run(gate_job(root))
    assert "item bad" in str(caught.value) and "report/demo/index.html" in str(caught.value)
    assert not (root / "report/demo/gate.json").exists()


def test_a_rejected_item_alone_lets_the_gate_pass(root):
    path = root / "datasets/demo/_work/toy/items.parquet"
    pl.read_parquet(path).filter(pl.col("status") != "failed").write_parquet(path)
    report(root)
    gate.run(gate_job(root))
    assert (root / "report/demo/gate.json").is_file()


def test_a_damaged_summary_of_another_run_costs_no_report(tmp_path, caplog):
    told = {"run": "good", "claims": [], "studies": {}, "tables": [], "outcomes": []}
    for run, text in (("good", json.dumps(site.summary(told))), ("torn", "{")):
        (tmp_path / run).mkdir()
        (tmp_path / run / "summary.json").write_text(text)
    site.front(tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "good" in page and "torn" not in page
    assert "left out of the front page" in caplog.text and "torn/summary.json" in caplog.text
