"""`seedlot describe`: the datasheet of a table, and Croissant that an independent reader understands."""

import json

import pytest
from handmade_root import Root, make_clone, proteins

from seedlot.cli import main
from seedlot.store import lineage

TABLE = "core_uniprot__proteins"


@pytest.fixture
def root(tmp_path, monkeypatch) -> Root:
    clone = make_clone(tmp_path / "clone")
    monkeypatch.chdir(clone)
    return Root(clone)


def test_the_datasheet_has_counts_lot_rejects_licence_and_release_date(root, capsys):
    proteins(root)
    assert main(["describe", TABLE]) == 0
    text = capsys.readouterr().out
    assert f"2 rows. Verdict: pass. Lot `{'ab' * 32}`." in text
    assert "of 3 raw records 2 were kept and 1 rejected" in text
    assert "| short_line | 1 | 1 | thin, line 7: `a\\|b` |" in text
    assert "| uniprot sim1 | MIT | yes | 2026-" in text
    assert "Key: `uid`" in text and "residue" in text


def test_a_table_that_is_not_built_yet_has_its_promises(root, capsys):
    assert main(["describe", TABLE]) == 0
    assert "Not built yet" in capsys.readouterr().out


def test_croissant_has_the_digest_of_every_file_and_an_independent_reader_reads_the_rows(root, capsys):
    mlcroissant = pytest.importorskip("mlcroissant")
    made = proteins(root)
    assert main(["describe", TABLE, "--croissant", "results/datasets/demo/croissant.json"]) == 0
    out = root.file("datasets/demo/croissant.json")
    told = json.loads(out.read_text())
    assert told["license"] == "MIT" and told["datePublished"].startswith("2026-")
    (file,) = [d for d in told["distribution"] if d["@type"] == "cr:FileObject"]
    assert file["sha256"] == lineage.file_sha256(made["table"])
    assert (out.parent / file["contentUrl"]).resolve() == made["table"].resolve()
    rows = list(mlcroissant.Dataset(jsonld=out).records(TABLE))
    assert sorted(row[f"{TABLE}/uid"].decode() for row in rows) == ["P00001", "P00002"]


def test_a_file_that_was_changed_gets_no_description(root, capsys):
    made = proteins(root)
    made["table"].write_bytes(made["table"].read_bytes() + b"x")
    assert main(["describe", TABLE, "--croissant", "c.json"]) == 2
    assert "is not what a rule wrote" in capsys.readouterr().err
    assert not (root.clone / "c.json").exists()


def test_an_array_dataset_has_units_and_a_misspelt_name_its_nearest(root, capsys):
    import numpy as np
    import zarr

    folder = root.file("datasets/demo/core_heat__fields")
    group = zarr.open_group(folder / "b000.zarr", mode="w")
    array = group.create_array("u", data=np.zeros((2, 3), "f4"), dimension_names=("time", "x"))
    array.attrs["units"] = "K"
    told = {"store": "b000.zarr", "lot": "cd" * 32, "contract": "core_heat__fields@1.0.0", "shape": [2, 3]}
    manifest = root.text("datasets/demo/core_heat__fields/b000.json", json.dumps(told))
    root.job("curate", [root.receipt("heat", "77", {"h": "1"})], [manifest])
    assert main(["describe", "core_heat__fields"]) == 0
    text = capsys.readouterr().out
    assert "| u | float32 | time, x | K |" in text and "heat sim1" in text and "cd" * 32 in text
    assert main(["describe", "core_heat__feilds"]) == 2
    assert "did you mean 'core_heat__fields'?" in capsys.readouterr().err
