"""`seedlot accept` commits counts, first values of claims and digests; `seedlot claims` shows what was edited later."""

import json
import shutil

import pytest
import yaml
from handmade_root import REPO, Root, make_clone, proteins

from seedlot.catalog.locks import Lock, read_locks, write_locks
from seedlot.cli import main
from seedlot.config.errors import SeedlotError
from seedlot.contracts import model
from seedlot.report.collect import ledger
from seedlot.report.ledger import text_digest
from seedlot.report.lock import LOCK, read_lock

ENTRY = {"id": "half", "statement": "It halves.", "metric": {"name": "ratio", "unit": "1"}}


@pytest.fixture
def root(tmp_path, monkeypatch) -> Root:
    """A clone with resources of its own, no git, and one study whose claims can be edited."""
    clone = make_clone(tmp_path / "clone")
    (clone / "resources").unlink()
    (clone / "resources" / "manifests").mkdir(parents=True)
    package = tmp_path / "package"
    (package / "studies" / "toy").mkdir(parents=True)
    shutil.copytree(REPO / "src/seedlot/sources/uniprot", package / "sources" / "uniprot")
    monkeypatch.setattr(model, "PACKAGE", package)
    monkeypatch.chdir(clone)
    return Root(clone)


def measured(root: Root, entry: dict, value: float | None, run: str = "demo") -> None:
    """The claims.yaml and the ledger of the study `toy`."""
    (model.PACKAGE / "studies" / "toy" / "claims.yaml").write_text(yaml.safe_dump({"claims": [entry]}))
    root.ledger("toy", [{
        "study": "toy", "claim": entry["id"], "statement": entry["statement"], "verdict": "not_testable",
        "method_check": "passed", "metric": "ratio", "unit": "1", "value": value, "threshold": "< 1", "n": 3,
        "families": 0, "seeds": 1, "evidence": "simulated", "reason": "", "text_digest": text_digest({}, entry),
        "repeat": "snakemake toy",
    }], run)  # fmt: skip


def test_counts_are_recorded_with_a_reason_and_only_once(root, capsys):
    proteins(root)
    assert main(["accept", "counts", "--reason", "first build"]) == 0
    path = root.clone / "resources/expected/demo.tsv"
    first = path.read_text()
    assert first.splitlines()[1].split("\t")[:4] == ["core_uniprot__proteins", "2", "", "first build"]
    assert "none -> 2 rows" in capsys.readouterr().out
    assert main(["accept", "counts", "--reason", "again"]) == 0
    assert path.read_text() == first
    assert main(["accept", "counts", "core_uniprot__proteins", "--lots", "--reason", "pin"]) == 0
    assert "ab" * 32 in path.read_text()


def test_counts_of_a_misspelt_table_or_an_unknown_run_change_nothing(root, capsys):
    proteins(root)
    assert main(["accept", "counts", "core_uniprot__protein", "--reason", "x"]) == 2
    assert "did you mean 'core_uniprot__proteins'?" in capsys.readouterr().err
    assert main(["accept", "counts", "--run", "paper", "--reason", "x"]) == 2
    assert not (root.clone / "resources/expected").exists()


def test_a_table_that_breaks_another_promise_is_named_when_its_count_is_accepted(root, capsys):
    check = {"check": "nulls", "subject": "uid", "words": "nulls", "seen": 4, "expected": "0"}
    root.verdict("uniprot", {"core_uniprot__proteins": {"rows": 9, "status": "fail", "failed": [check]}}, [])
    assert main(["accept", "counts", "--reason", "x"]) == 0
    assert "still fails: uid nulls, 4 against 0" in capsys.readouterr().out


def test_the_first_value_of_a_claim_stays_and_a_later_edit_shows_both_values(root, capsys):
    measured(root, ENTRY, 0.5)
    assert main(["claims"]) == 0
    assert "seedlot accept claims toy" in capsys.readouterr().out
    assert main(["accept", "claims", "--reason", "first run"]) == 0
    (row,) = read_lock(LOCK).values()
    assert (row.study, row.claim, row.value, row.run, row.commit) == ("toy", "half", "0.5", "demo", "")
    assert main(["claims"]) == 0
    assert "AMENDED" not in capsys.readouterr().out

    measured(root, ENTRY | {"statement": "It nearly halves."}, 0.625)
    capsys.readouterr()
    assert main(["claims"]) == 0
    told = capsys.readouterr().out
    assert "AMENDED" in told and "then 0.5 1 (run demo, simulated evidence" in told and "now 0.625 1" in told
    assert main(["accept", "claims", "toy", "--reason", "again"]) == 0
    assert read_lock(LOCK)["toy", "half"] == row, "the first measurement is never replaced"
    (shown,) = ledger([root.file("studies/demo/toy/claims.parquet")])
    assert "then 0.5 1" in shown["amended"], "the report says it too"
    assert main(["claims", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.split("]\n", 1)[-1] or "[]") is not None


def test_a_claim_that_was_not_measured_has_no_first_value(root, capsys):
    measured(root, ENTRY, None)
    assert main(["accept", "claims", "--reason", "x"]) == 0
    assert read_lock(LOCK) == {}
    assert "1 not measured" in capsys.readouterr().out


def test_a_ledger_older_than_the_text_is_refused(root, capsys):
    measured(root, ENTRY, 0.5)
    changed = {"claims": [ENTRY | {"statement": "Else."}]}
    (model.PACKAGE / "studies" / "toy" / "claims.yaml").write_text(yaml.safe_dump(changed))
    assert main(["accept", "claims", "--reason", "x"]) == 2
    assert "snakemake --cores 2 toy" in capsys.readouterr().err


def test_uncommitted_text_of_a_claim_is_refused_and_the_commit_is_recorded(root, capsys, tmp_path):
    import subprocess

    def git(*words):
        me = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *me, *words], check=True, capture_output=True)

    measured(root, ENTRY, 0.5)
    try:
        git("init")
    except FileNotFoundError:
        pytest.skip("git is not installed")
    assert main(["accept", "claims", "--reason", "x"]) == 2
    assert "must be committed" in capsys.readouterr().err
    git("add", "package")
    git("commit", "-m", "claims")
    assert main(["accept", "claims", "--reason", "x"]) == 0
    head = subprocess.run(
        ["git", "-C", str(tmp_path), "rev-parse", "HEAD"], capture_output=True, text=True
    ).stdout
    assert read_lock(LOCK)["toy", "half"].commit == head[:12]


def test_digests_of_a_first_fetch_are_gathered_once(root, capsys):
    assert main(["accept", "digests", "uniprot"]) == 2
    assert "nothing to accept" in capsys.readouterr().err
    lock = Lock("upstream", "1", "https://example.org/a", "", 3, "ab" * 32)
    (root.path / "raw/uniprot/upstream/1/locks").mkdir(parents=True)
    write_locks(root.path / "raw/uniprot/upstream/1/locks/x.tsv", [lock])
    for words in ("1 digests added, 1 in", "0 digests added, 1 in"):
        assert main(["accept", "digests", "uniprot"]) == 0
        assert words in capsys.readouterr().out
    assert list(read_locks([root.clone / "resources/manifests/uniprot.lock.tsv"]).values()) == [lock]
    assert main(["accept", "digests", "uniport"]) == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [(("0.5", "half"), "could not convert"), (("simulated\tdemo\t2", "simulated\tdemo\tx"), "isoformat")],
)
def test_a_damaged_lock_names_its_line(root, change, words):
    measured(root, ENTRY, 0.5)
    main(["accept", "claims", "--reason", "x"])
    LOCK.write_text(LOCK.read_text().replace(*change))
    with pytest.raises(SeedlotError, match=words) as caught:
        read_lock(LOCK)
    assert caught.value.where.endswith(":2")
