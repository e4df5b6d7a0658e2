"""The register of products: what `all` asks for, what the report lists, and files of jobs that did not end well."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from seedlot.config.errors import SeedlotError
from seedlot.store import lineage
from seedlot.workflow.core import Workflow


@pytest.fixture
def flow(tmp_path) -> Workflow:
    """Two studies; `toy` has one source in two shards, work files and a figure."""
    made = Workflow({"root": str(tmp_path), "targets": ["heat_step"]})
    ds, work = made.paths["ds"], made.paths["work"]
    made.publish(
        "heat",
        {s: {"core_heat__simulations": f"{ds}/core_heat__simulations/{s}.parquet"} for s in ("b000", "b001")},
        [f"{work}/heat/items/{s}.parquet" for s in ("b000", "b001")],
        [f"{work}/heat/rejects/{s}.parquet" for s in ("b000", "b001")],
    )
    made.publish("networks", {"all": {"core_networks__nets": f"{ds}/core_networks__nets/all.parquet"}})
    study = made.paths["study"]
    made.study(
        "heat_step", ["step_error"], [f"{study}/heat_step/claims.parquet"], ["heat"], [f"{study}/heat_step/w"]
    )
    made.study("lgd_na", ["curves"], [f"{study}/lgd_na/claims.parquet"], ["networks"])
    return made


def test_a_study_asks_for_figures_ledger_and_verdicts(flow):
    paths = flow.paths
    assert flow.study_products("heat_step") == [
        f"{paths['fig']}/heat_step/step_error.svg",
        f"{paths['study']}/heat_step/claims.parquet",
        f"{paths['work']}/heat/verdict.json",
    ]


def test_the_default_target_has_the_tables_of_its_studies_and_no_others(flow):
    found = flow.products(flow.config)
    assert f"{flow.paths['ds']}/core_heat__simulations/b001.parquet" in found
    assert not [path for path in found if "networks" in path or "lgd_na" in path]
    assert len(found) == len(set(found)) == 5


def test_without_targets_every_study_is_chosen(flow):
    assert flow.chosen(SimpleNamespace(targets=[])) == ["heat_step", "lgd_na"]
    assert len(flow.products(SimpleNamespace(targets=[]))) == 9


@pytest.mark.parametrize("which", ["work file", "table", "items", "checks"])
def test_a_file_whose_job_began_and_did_not_end_is_asked_for(flow, which):
    path = {
        "work file": f"{flow.paths['study']}/heat_step/w",
        "table": f"{flow.paths['ds']}/core_heat__simulations/b000.parquet",
        "items": f"{flow.paths['work']}/heat/items/b001.parquet",
        "checks": f"{flow.paths['work']}/heat/checks/b000.parquet",
    }[which]
    assert path not in flow.study_products("heat_step")
    marker = lineage.mark_pending(flow.root, [flow.root / "x", type(flow.root)(path)])
    assert path in flow.study_products("heat_step") and path not in flow.study_products("lgd_na")
    marker.unlink()
    assert path not in flow.study_products("heat_step")


def test_the_gate_takes_items_and_verdicts_of_the_chosen_studies(flow):
    files = flow.gate_files(flow.config)
    assert files["verdicts"] == [f"{flow.paths['work']}/heat/verdict.json"]
    assert [p.rsplit("/", 1)[1] for p in files["outcomes"]] == ["b000.parquet", "b001.parquet"]


def test_the_report_lists_figures_by_name_and_subjects_with_their_files(flow):
    told = flow.inventory(flow.config)
    assert list(told["studies"]) == ["heat_step"] and list(told["subjects"]) == ["heat"]
    assert told["studies"]["heat_step"]["figures"] == {
        "step_error": f"{flow.paths['fig']}/heat_step/step_error.svg"
    }
    assert told["subjects"]["heat"]["tables"] == ["core_heat__simulations"]


def test_the_inventory_does_not_change_while_jobs_are_unfinished(flow):
    before = flow.inventory(flow.config)
    lineage.mark_pending(flow.root, [type(flow.root)(f"{flow.paths['study']}/heat_step/w")])
    assert flow.inventory(flow.config) == before


def test_verification_takes_each_part_and_then_all_of_them(flow):
    part = SimpleNamespace(subject="heat", part="b001")
    assert flow.check_inputs(part) == {
        "core_heat__simulations": f"{flow.paths['ds']}/core_heat__simulations/b001.parquet"
    }
    named = flow.judge_inputs(SimpleNamespace(subject="heat"))
    assert [p.rsplit("/", 1)[1] for p in named["checks"]] == ["b000.parquet", "b001.parquet"]
    assert len(named["core_heat__simulations"]) == len(named["outcomes"]) == len(named["rejects"]) == 2


def test_an_unknown_subject_or_part_is_refused_with_the_nearest(flow):
    with pytest.raises(SeedlotError, match="did you mean 'heat'"):
        flow.check_inputs(SimpleNamespace(subject="heta", part="b000"))
    with pytest.raises(SeedlotError, match="did you mean .b00"):
        flow.check_inputs(SimpleNamespace(subject="heat", part="b009"))
