"""`seedlot stale` lists the jobs that other library versions made."""

import sys

import pytest
from handmade_root import Root, make_clone

from seedlot.cli import main
from seedlot.commands.stale import differences

PYTHON = ".".join(map(str, sys.version_info[:3]))


@pytest.fixture
def root(tmp_path, monkeypatch) -> Root:
    clone = make_clone(tmp_path / "clone")
    (clone / "envs").unlink()
    (clone / "envs").mkdir()
    (clone / "envs/requirements.lock").write_text(
        "# pins\nnumpy==9.9.0\nbiopython==1.0 ; python_version > '3'\ntorch==2.0\n"
    )
    monkeypatch.chdir(clone)
    return Root(clone)


def made(root: Root, name: str, rule: str, **versions) -> None:
    root.job(rule, [], [root.text(name, "x")], versions={"python": PYTHON, "seedlot": "0.0"} | versions)


def test_jobs_of_another_version_are_listed_by_rule_the_rest_not(root, capsys):
    for i in range(6):
        made(root, f"studies/demo/s/{i}.txt", "train", numpy="9.8.0")
    made(root, "studies/demo/s/good.txt", "plot", numpy="9.9.0", torch="2.0+cpu", Bio="1.0")
    assert main(["stale"]) == 1
    text = capsys.readouterr().out
    assert "train: 6 jobs made with numpy 9.8.0, locked 9.9.0" in text and "… and 3 more" in text
    assert "6 of 7 jobs are stale" in text and "plot" not in text
    assert "run `make env` first" in text, "the installed numpy is not the locked one"
    assert main(["stale", "--files"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == "results/studies/demo/s/0.txt"


def test_nothing_stale_is_status_0(root, capsys):
    made(root, "studies/demo/s/good.txt", "plot", torch="2.0+cu130")
    assert main(["stale"]) == 0
    assert "0 of 1 jobs are stale" in capsys.readouterr().out


def test_the_patch_number_of_python_does_not_count_the_minor_does():
    major, minor = sys.version_info[:2]
    assert differences({"versions": {"python": f"{major}.{minor}.99"}}, {}) == ()
    assert differences({"versions": {"python": f"{major}.1.0"}}, {}) == (
        f"python {major}.1, installed {major}.{minor}",
    )


def test_without_a_lock_it_says_so(root, capsys):
    assert main(["stale", "--lock", "none.lock"]) == 2
    assert "no lock of library versions" in capsys.readouterr().err
