"""`seedlot trace` walks back to raw digests and folds what repeats."""

import json

import pytest
from handmade_root import Root, make_clone, proteins

from seedlot.cli import main
from seedlot.commands.trace import chain, releases_of
from seedlot.store import lineage


@pytest.fixture
def root(tmp_path, monkeypatch) -> Root:
    clone = make_clone(tmp_path / "clone")
    monkeypatch.chdir(clone)
    return Root(clone)


def test_a_table_leads_to_the_sha256_and_url_of_its_raw_file(root, capsys):
    made = proteins(root)
    steps = chain(made["table"], root.path)
    assert [step["rule"] for step in steps] == ["curate", "simulate"]
    (raw,) = steps[-1]["raw"]
    assert raw["sha256"] == lineage.file_sha256(root.path / raw["path"]) and raw["url"] == "sim:thin?seed=1"
    assert releases_of(steps) == [("uniprot", "sim1")]
    assert main(["trace", str(made["table"].relative_to(root.clone))]) == 0
    assert f"sha256 {raw['sha256']}  sim:thin?seed=1" in capsys.readouterr().out


def test_a_job_stands_before_all_jobs_it_read_from_also_when_one_is_read_twice(root):
    made = proteins(root)
    figure = root.text("figures/demo/s/f.svg", "<svg/>")
    root.job("figure", [made["receipt"], made["verdict"]], [figure])
    rules = [step["rule"] for step in chain(figure, root.path)]
    assert rules == ["figure", "verify_judge", "curate", "reject", "simulate"]


def test_ten_inputs_of_one_folder_and_their_jobs_are_folded(root, capsys):
    shards = []
    for i in range(10):
        shards.append(root.text(f"datasets/demo/core_x__t/b{i}.txt", str(i)))
        root.job("curate", [], [shards[-1]])
    out = root.text("studies/demo/s/out.txt", "all")
    root.job("join", shards, [out])
    assert main(["trace", "results/studies/demo/s/out.txt"]) == 0
    text = capsys.readouterr().out
    assert "… and 7 more\n" in text and "… and 8 more jobs of curate" in text
    assert text.endswith("11 jobs, 0 raw files\n")
    assert main(["trace", "results/studies/demo/s/out.txt", "--all"]) == 0
    assert capsys.readouterr().out.count("b7.txt") == 2


def test_json_holds_every_input(root, capsys):
    made = proteins(root)
    assert main(["trace", str(made["verdict"]), "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)
    assert set(steps[0]["inputs"]) == {
        "root:datasets/demo/core_uniprot__proteins/b000.parquet",
        "root:datasets/demo/_work/uniprot/rejects/b000.parquet",
    }


def test_a_file_changed_since_is_said_to_be(root, capsys):
    made = proteins(root)
    made["verdict"].write_text("{}")
    assert main(["trace", str(made["verdict"])]) == 2
    assert "was changed after its rule wrote it" in capsys.readouterr().err


def test_a_file_that_no_rule_wrote_is_refused(root, capsys):
    root.text("notes.txt", "mine")
    assert main(["trace", "results/notes.txt"]) == 2
    assert "no lineage record names this file" in capsys.readouterr().err
