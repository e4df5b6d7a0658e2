"""What runs again, and what does not: nothing after a remark, exactly the affected rules after a real edit."""

from __future__ import annotations

import re

from tests.helpers.clone import Clone

BEHIND = ["final_gate", "report"]


def test_a_finished_run_has_nothing_to_do(finished: Clone):
    assert finished.planned() == []
    assert finished.planned() == []


def test_a_deleted_figure_is_rebuilt_and_only_report_and_gate_behind_it(copied: Clone):
    figure = copied.result("figures/demo/heat_step/step_error.svg")
    before, stamps = figure.read_bytes(), copied.stamps()
    figure.unlink()
    assert copied.ran(copied.snakemake()) == ["final_gate", "heat_step_figure", "report"]
    assert figure.read_bytes() == before
    changed = {name for name, stamp in copied.stamps().items() if stamps.get(name) != stamp}
    kept = {
        name for name in changed if not name.startswith(("report/", "lineage/", "figures/demo/heat_step/"))
    }
    assert kept == set()
    assert copied.planned() == []


def test_a_deleted_page_of_the_report_is_written_again(copied: Clone):
    copied.result("report/demo/index.html").unlink()
    assert copied.planned() == BEHIND


def test_remarks_docstrings_and_blank_lines_rerun_nothing(copied: Clone):
    remarks = '"""Another description."""\n# a remark\n\n\n'
    for name in ("studies/heat_step/train.py", "report/plot.py", "sources/uniprot/curate.py"):
        path = copied.path / "src/seedlot" / name
        text = path.read_text()
        assert text.startswith('"""')
        path.write_text(remarks + text[text.index('"""', 3) + 3 :].replace("\n\n\ndef ", "\n\n\n# why\ndef "))
        compile(path.read_text(), name, "exec")
    for name in ("store/lineage.py", "cli.py", "contracts/judge.py"):
        path = copied.path / "src/seedlot" / name
        path.write_text(path.read_text() + "\n\nEXTRA = 1\n")
    assert copied.planned() == []


def test_an_edit_reruns_the_rules_that_reach_it_and_what_lies_behind(copied: Clone):
    copied.edit("src/seedlot/studies/heat_step/evaluate.py", "MODES = 8", "MODES = 7")
    assert copied.planned() == ["final_gate", "heat_step_evaluate", "heat_step_figure", "report"]


def test_an_edit_of_a_join_reruns_the_join_and_its_study_and_no_source(copied: Clone):
    path = copied.path / "src/seedlot/joins/proteins/spans.py"
    path.write_text(path.read_text() + "\n\nEXTRA = 1\n")
    planned = set(copied.planned())
    assert {"proteins_join", "domain_spans_evaluate", "domain_spans_figure"} <= planned
    assert not {
        rule
        for rule in planned
        if rule.startswith(("heat", "networks", "lgd", "uniprot", "interpro", "fetch"))
    }


def test_an_edit_of_one_dismantling_method_reruns_that_method_alone(copied: Clone):
    path = copied.path / "src/seedlot/studies/lgd_na/methods/cnd.py"
    path.write_text(path.read_text() + "\n\nEXTRA = 1\n")
    text = copied.snakemake("--dry-run")
    jobs = re.findall(
        r"^(?:local)?rule (lgd_na_dismantle|lgd_na_collect):$(?:.|\n)*?wildcards: (.*)$", text, re.MULTILINE
    )
    assert {re.search(r"method=(\w+)", wildcards)[1] for _, wildcards in jobs} == {"cnd"}
    assert sum(rule == "lgd_na_dismantle" for rule, _ in jobs) == 2
    rules = set(re.findall(r"^(?:local)?rule (\w+):$", text, re.MULTILINE))
    assert not rules & {"networks_curate", "networks_index", "fetch", "heat_curate", "heat_step_train"}


def test_an_edit_of_one_reader_reruns_only_shards_with_its_format(copied: Clone):
    path = copied.path / "src/seedlot/formats/graphs/konect.py"
    path.write_text(path.read_text() + "\n\nEXTRA = 1\n")
    assert copied.planned() == []


def test_a_new_claim_text_reruns_the_evaluation_alone(copied: Clone):
    path = copied.path / "src/seedlot/studies/domain_spans/claims.yaml"
    text = path.read_text()
    path.write_text(text.replace("statement:", "statement: Said anew.", 1) if "statement: " in text else text)
    assert path.read_text() != text
    assert [r for r in copied.planned() if r not in BEHIND] == [
        "domain_spans_evaluate",
        "domain_spans_figure",
    ]


def test_a_note_or_evidence_in_the_manifest_reruns_nothing(copied: Clone):
    path = copied.path / "resources/manifests/heat.tsv"
    lines = path.read_text().splitlines()
    place = lines[0].split("\t").index("note")
    cells = (lines[1] + "\t" * len(lines[0].split("\t"))).split("\t")[: len(lines[0].split("\t"))]
    cells[place] = "another remark"
    path.write_text("\n".join([lines[0], "\t".join(cells), *lines[2:]]) + "\n")
    assert copied.planned() == []


def test_another_setting_reruns_only_what_takes_it(copied: Clone, base_config):
    studies = base_config["studies"] | {"heat_step": base_config["studies"]["heat_step"] | {"epochs": 61}}
    copied.configure(base_config | {"studies": studies})
    rules = copied.planned()
    assert rules == ["final_gate", "heat_step_evaluate", "heat_step_figure", "heat_step_train", "report"]
