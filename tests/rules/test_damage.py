"""Intermediates that were deleted or changed, and jobs that failed: nothing is called up to date that is not."""

from __future__ import annotations

import pyarrow.parquet as pq
from tests.helpers.clone import Clone

WEIGHTS = "studies/demo/heat_step/weights.safetensors"
ERRORS = "studies/demo/heat_step/errors.parquet"
FIGURE = "figures/demo/heat_step/step_error.svg"


def audit(clone: Clone, *args: str, ok: bool | None = True) -> str:
    return clone.seedlot("audit", "--configfile", "test.yaml", *args, ok=ok)


def changed(clone: Clone, before: dict) -> set[str]:
    """Result files that are other than before, without lineage records."""
    now = clone.stamps()
    names = {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
    return {name for name in names if not name.startswith("lineage/")}


def test_a_finished_run_passes_the_audit(finished: Clone):
    assert "all as recorded" in audit(finished)


def test_deleted_and_changed_intermediates_are_named_and_rebuilt_alone(copied: Clone):
    before, lots = copied.stamps(), copied.lots()
    curated = copied.result("datasets/demo/core_uniprot__proteins/b000.parquet")
    table = pq.read_table(curated)
    pq.write_table(table.slice(1), curated)
    weights = copied.result(WEIGHTS)
    kept = weights.read_bytes()
    weights.unlink()
    told = audit(copied, ok=False)
    assert "files checked: 1 changed, 1 missing" in told
    assert "changed: results/datasets/demo/core_uniprot__proteins/b000.parquet  (rule uniprot_curate)" in told
    assert f"missing: results/{WEIGHTS}  (rule heat_step_train)" in told

    assert "repaired" in audit(copied, "--repair")
    assert copied.lots() == lots and weights.read_bytes() == kept
    consumers = {
        name for name in changed(copied, before) if "uniprot" not in name and "heat_step" not in name
    }
    assert consumers == set(), "a consumer ran again"
    assert changed(copied, before).isdisjoint({FIGURE, ERRORS, "datasets/demo/_work/uniprot/verdict.json"})
    assert copied.planned() == []


def test_a_chunk_of_an_array_store_that_was_changed_is_found_and_rebuilt(copied: Clone):
    before = copied.stamps()
    chunks = [p for p in copied.result("datasets/demo/core_heat__fields").rglob("c/*") if p.is_file()]
    chunk = max(chunks, key=lambda p: p.stat().st_size)
    data = bytearray(chunk.read_bytes())
    data[len(data) // 2] ^= 1
    chunk.write_bytes(bytes(data))
    assert "(rule heat_curate)" in audit(copied, ok=False)
    assert "repaired" in audit(copied, "--repair")
    rest = {name for name in changed(copied, before) if "core_heat__fields" not in name}
    assert rest == set() and copied.planned() == []


def test_a_changed_intermediate_is_refused_by_its_consumer_and_the_repair_brings_all_back(copied: Clone):
    lots, figure = copied.lots(), copied.result(FIGURE).read_bytes()
    path = copied.result(ERRORS)
    pq.write_table(pq.read_table(path).slice(1), path)
    said = copied.snakemake(ok=False)
    assert "an input was changed after rule 'heat_step_evaluate' wrote it" in said
    assert "seedlot audit --repair" in said
    assert "repaired" in audit(copied, "--repair")
    assert copied.lots() == lots and copied.result(FIGURE).read_bytes() == figure
    copied.snakemake()
    assert copied.planned() == []


def test_a_failing_job_is_asked_for_again_although_its_consumers_look_current(copied: Clone):
    kept = {name: copied.result(name).read_bytes() for name in (WEIGHTS, FIGURE)}
    source = copied.path / "src/seedlot/studies/heat_step/train.py"
    text = source.read_text()
    source.write_text(text.replace("    p = job.params\n", "    raise RuntimeError('out of memory')\n"))
    assert source.read_text() != text
    said = copied.snakemake(ok=False)
    assert "out of memory" in said and not copied.result(WEIGHTS).exists()
    assert "heat_step_train" in copied.planned()

    source.write_text(text)
    assert "heat_step_train" in copied.planned()
    copied.snakemake()
    assert {name: copied.result(name).read_bytes() for name in kept} == kept
    assert copied.planned() == []
