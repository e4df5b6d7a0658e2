"""`seedlot datasets`, `sources` and `open`: what is there, and lines that load it when pasted."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest
from handmade_root import Root, make_clone, proteins

from seedlot.cli import main
from seedlot.commands.open import snippets


@pytest.fixture
def root(tmp_path, monkeypatch) -> Root:
    clone = make_clone(tmp_path / "clone")
    monkeypatch.chdir(clone)
    return Root(clone)


def test_every_line_that_open_prints_runs(root, tmp_path):
    import numpy as np
    import zarr

    proteins(root)
    nets = {"net_id": "k2", "n": 3, "m": 2}
    for table, rows in {
        "core_networks__nodes": [{"net_id": "k2", "node": i, "label": f"n{i}", "raw_index": i, "degree": 1 + i % 2}
                                 for i in range(3)],
        "core_networks__edges": [{"net_id": "k2", "src": 0, "dst": 1}, {"net_id": "k2", "src": 1, "dst": 2}],
    }.items():  # fmt: skip
        root.table(table, "b000", rows, [])
    import polars as pl

    path = root.file("datasets/demo/core_networks__nets/all.parquet")
    path.parent.mkdir()
    pl.DataFrame([nets]).write_parquet(path)
    folder = root.file("datasets/demo/core_heat__fields")
    group = zarr.open_group(folder / "b000.zarr", mode="w")
    group.create_array("u", data=np.zeros((2, 3), "f4"), dimension_names=("time", "x"))
    told = {"store": "b000.zarr", "lot": "cd" * 32, "contract": "c@1.0.0", "shape": [2, 3]}
    root.text("datasets/demo/core_heat__fields/b000.json", json.dumps(told))

    made = {}
    for table in ("core_uniprot__proteins", "core_networks__edges", "core_heat__fields"):
        for library, lines in snippets(table, root.path.relative_to(root.clone), "demo").items():
            made[f"{table}: {library}"] = lines
    optional = {"duckdb", "xarray", "pandas"}
    missing = {name for name in optional if find_spec(name) is None}
    chosen = {k: v for k, v in made.items() if k.split(": ")[1] not in missing}
    script = "\n".join(f"print('== {name}')\n{lines}" for name, lines in chosen.items())
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    parts = dict(part.split("\n", 1) for part in done.stdout.split("== ")[1:])
    assert set(parts) == set(chosen)
    assert (
        "P00001" in parts["core_uniprot__proteins: polars"]
        and "P00001" in parts["core_uniprot__proteins: seedlot"]
    )
    assert "3 nodes and 2 edges" in parts["core_networks__edges: networkx"]
    for library in {"duckdb", "pandas"} - missing:
        assert "P00001" in parts[f"core_uniprot__proteins: {library}"]


def test_open_names_the_nearest_table_and_run(root, capsys):
    proteins(root)
    assert main(["open", "core_uniprot__protein"]) == 2
    assert "did you mean 'core_uniprot__proteins'?" in capsys.readouterr().err
    assert main(["open", "core_uniprot__proteins", "--run", "dema"]) == 2
    assert "did you mean 'demo'?" in capsys.readouterr().err
    assert main(["open", "core_uniprot__proteins", "--absolute"]) == 0
    assert str(root.path / "datasets") in capsys.readouterr().out


def test_datasets_lists_every_run_with_verdicts_and_fails_for_a_refused_table(root, capsys):
    made = proteins(root)
    root.table("core_uniprot__proteins", "b000", [], [made["receipt"]], run="paper")
    assert main(["datasets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in lines[1:]] == [
        ["demo", "core_uniprot__proteins", "2", "pass"],
        ["paper", "core_uniprot__proteins", "?", "not"],
    ]
    root.verdict("uniprot", {"core_uniprot__proteins": {"rows": 0, "status": "fail"}}, [], run="paper")
    assert main(["datasets", "--run", "paper", "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["rows"], row["verdict"], row["lot"]) == (0, "fail", "ab" * 32)


def test_datasets_without_any_says_what_to_run(root, capsys):
    assert main(["datasets"]) == 2
    assert "make demo" in capsys.readouterr().err


def test_sources_lists_releases_and_shows_one_source_in_full(root, capsys):
    assert main(["sources"]) == 0
    table = capsys.readouterr().out
    assert table.startswith("source") and "uniprot" in table
    assert main(["sources", "uniprot"]) == 0
    text = capsys.readouterr().out
    assert "licence       MIT" in text and "manifests/uniprot.tsv" in text
    assert main(["sources", "uniport"]) == 2
    assert "did you mean 'uniprot'?" in capsys.readouterr().err


def test_a_source_that_needs_a_key_names_the_variable(root, capsys, monkeypatch):
    (root.clone / "resources").unlink()
    folder = root.clone / "resources"
    (folder / "manifests").mkdir(parents=True)
    (folder / "sources.tsv").write_text(
        "source\trelease\ttitle\thome\tlicence\taccess\tredistribution\tcitation\tmanifest\tadded\tnote\n"
        "scans\t1\tScans\thttps://example.org\tDUA\tagreement\tno\tScans\tmanifests/scans.tsv\t2026-01-01\t\n"
    )
    (folder / "manifests" / "scans.tsv").write_text(
        "item\torigin\trelease\turl\tcontainer\tmember\tbytes\tsha256\treader_args\tlicence\tevidence\n"
        "a\tupstream\t1\thttps://example.org/a\t\t\t2000000\t\t\tDUA\tpage\n"
    )
    monkeypatch.delenv("SEEDLOT_SCANS_KEY", raising=False)
    assert main(["sources"]) == 0
    assert "agreement (key missing)" in capsys.readouterr().out
    monkeypatch.setenv("SEEDLOT_SCANS_KEY", "x")
    assert main(["sources", "scans"]) == 0
    text = capsys.readouterr().out
    assert "access        agreement" in text and "SEEDLOT_SCANS_KEY" in text and "2.0 MB" in text
