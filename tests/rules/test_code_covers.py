"""The code digest of each rule covers what its jobs really loaded."""

from __future__ import annotations

import json
from pathlib import Path

from tests.helpers.clone import NOTES, Clone

from seedlot.store.code import OUTSIDE, Memo, module_path, reached
from seedlot.workflow.core import Workflow


def loaded(clone: Clone) -> list[dict]:
    return [json.loads(p.read_text()) for p in sorted((clone.path / NOTES).glob("*.json"))]


def plugins(note: dict, flow: Workflow) -> list[str]:
    """Modules that a rule adds to its digest by name."""
    found = [f"seedlot.studies.lgd_na.methods.{name}" for name in note["methods"]]
    if note["rule"] == "networks_curate":
        found += flow.row_modules("networks", note["wildcards"]["shard"])
    return found


def test_every_module_that_a_job_loaded_is_in_its_digest_or_behind_a_stable_call(
    finished: Clone, base_config, monkeypatch
):
    monkeypatch.chdir(finished.path)
    flow = Workflow(base_config)
    notes = loaded(finished)
    rules = {note["rule"] for note in notes}
    assert {"heat_step_train", "networks_curate", "lgd_na_dismantle", "proteins_join", "simulate"} <= rules
    memo, wrong = Memo(None), set()
    for note in notes:
        if not note["code"]:
            continue
        covered = reached([note["entry"].partition(":")[0], *plugins(note, flow)], memo)
        for name in note["loaded"]:
            package = Path(module_path(name)).name == "__init__.py"
            # settings are read by the adapter, to expand the rows of the manifest
            if not (name in covered or package or name.startswith(OUTSIDE) or name.endswith(".settings")):
                wrong.add(f"{note['rule']}: {name}")
    assert sorted(wrong) == []


def test_only_rules_that_write_no_result_are_without_a_digest(finished: Clone):
    without = {note["rule"] for note in loaded(finished) if not note["code"]}
    assert without <= {"fetch", "verify_check", "verify_judge", "report", "final_gate"}
