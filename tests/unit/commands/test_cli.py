"""The `seedlot` command as a whole: every command explains itself, a wrong word names the nearest right one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from seedlot import cli
from seedlot.config.errors import SeedlotError

REPO = Path(__file__).resolve().parents[3]
COMMANDS = sorted([*cli.builtin(), *cli.study_commands()])
HEAVY = {
    "torch",
    "great_expectations",
    "matplotlib",
    "numba",
    "scipy",
    "zarr",
    "pandas",
    "networkx",
    "polars",
}


@pytest.fixture(autouse=True)
def in_the_clone(monkeypatch):
    monkeypatch.chdir(REPO)


def test_the_promised_commands_are_there():
    assert {"sources", "datasets", "open", "trace", "plan", "audit", "stale", "claims", "config"} <= set(
        COMMANDS
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_shows_an_example_that_its_parser_takes(name, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    assert f"example:\n  seedlot {name}" in text, text
    assert len(cli.command(name).help) > 20


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_the_overview_lists_every_command(words, capsys):
    assert cli.main(words) == 0
    text = capsys.readouterr().out
    assert all(f"  {name}" in text for name in COMMANDS)
    assert "snakemake --profile slurm" in text


def test_a_misspelt_command_names_the_nearest(capsys):
    assert cli.main(["tracee"]) == 2
    assert capsys.readouterr().err == "seedlot: no command 'tracee'; did you mean 'trace'?\n"


def test_a_word_close_to_nothing_lists_the_commands(capsys):
    assert cli.main(["zzzzzz"]) == 2
    assert "commands: " in capsys.readouterr().err


def test_the_version_is_told(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("seedlot 0.")


def test_an_error_for_a_person_is_printed_without_a_traceback(tmp_path, capsys):
    assert cli.main(["trace", str(tmp_path / "absent.svg"), "--root", str(tmp_path)]) == 2
    text = capsys.readouterr().err
    assert text.startswith("seedlot trace: ") and "absent.svg" in text and "Traceback" not in text


def test_an_interrupted_command_ends_with_130(monkeypatch, capsys):
    def interrupt(args):
        raise KeyboardInterrupt

    from seedlot.commands import sources

    monkeypatch.setattr(sources, "run", interrupt)
    assert cli.main(["sources"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["sources"], ["config", "--schema"]])
def test_light_commands_import_nothing_heavy(words):
    code = (
        "import sys, json, io, contextlib\nfrom seedlot import cli\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n    cli.main(sys.argv[1:])\n"
        "print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) & HEAVY == set()


def test_a_misspelt_key_is_found_by_config_check(tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text("sources: {networks: {bucket: 3}}\n")
    assert cli.main(["config", "--check", str(path)]) == 2
    assert "sources.networks.bucket: unknown key, did you mean 'buckets'?" in capsys.readouterr().err


def test_a_table_that_is_not_there_names_the_nearest(tmp_path):
    from seedlot import api

    folder = tmp_path / "datasets/demo/core_networks__edges"
    folder.mkdir(parents=True)
    (folder / "b000.parquet").touch()
    with pytest.raises(SeedlotError, match="did you mean 'core_networks__edges'"):
        api.table_files("core_network__edges", tmp_path)
    with pytest.raises(SeedlotError, match="did you mean 'demo'"):
        api.table_files("core_networks__edges", tmp_path, "demmo")
