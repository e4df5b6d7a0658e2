"""Loading a configuration: what is refused, and whether the message names file, key and the nearest valid one."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import Field

from seedlot.config import base
from seedlot.config.errors import SeedlotError, nearest, unknown


class Inner(base.Settings):
    """Toy settings of a study."""

    epochs: int = Field(3, ge=1, description="Passes.")
    rate: float = Field(0.1, gt=0, description="Step.")


class Source(base.Settings):
    """Toy settings of a manifest."""

    path: Path = Field(description="File.")
    columns: dict[str, str] = Field(default_factory=dict, description="Names.")


class Toy(base.Settings):
    """Toy configuration."""

    run: str = Field("demo", pattern="^[a-z]+$", description="Name.")
    targets: list[str] = Field(default_factory=list, description="Studies.")
    study: Inner = Field(default_factory=Inner, description="Nested.")
    manifests: dict[str, Source] = Field(default_factory=dict, description="Yours.")


def refused(data: dict) -> str:
    with pytest.raises(SeedlotError) as caught:
        base.load(Toy, data, where="my.yaml")
    return str(caught.value)


def test_an_empty_config_gives_the_defaults():
    made = base.load(Toy, {})
    assert (made.run, made.study.epochs, made.targets) == ("demo", 3, [])


def test_settings_cannot_be_changed_after_loading():
    with pytest.raises(ValueError):
        base.load(Toy, {}).run = "other"


def test_a_misspelt_key_names_the_nearest_valid_one_and_the_file():
    text = refused({"tragets": ["a"]})
    assert "tragets: unknown key, did you mean 'targets'?" in text
    assert "my.yaml" in text and "docs/config.md" in text


def test_a_misspelt_nested_key_is_named_with_its_dotted_place():
    assert "study.epoch: unknown key, did you mean 'epochs'?" in refused({"study": {"epoch": 5}})


def test_a_misspelt_key_below_a_mapping_of_names_is_found_too():
    text = refused({"manifests": {"networks": {"path": "a.tsv", "colums": {}}}})
    assert "manifests.networks.colums: unknown key, did you mean 'columns'?" in text


def test_a_key_close_to_nothing_lists_the_valid_ones():
    text = refused({"study": {"zzzzzz": 1}})
    assert "valid keys: epochs, rate" in text


def test_every_problem_is_listed_at_once():
    text = refused({"runs": "x", "study": {"epochs": 0, "rate": "fast"}})
    assert "3 problems" in text
    assert "runs: unknown key, did you mean 'run'?" in text
    assert "study.epochs:" in text and "got 0" in text
    assert "study.rate:" in text and "got 'fast'" in text


@pytest.mark.parametrize(
    "data, key",
    [
        ({"targets": "heat"}, "targets"),
        ({"run": "has space"}, "run"),
        ({"study": []}, "study"),
        ({"manifests": {"networks": {}}}, "manifests.networks.path"),
    ],
)
def test_a_wrong_type_or_value_names_its_key(data, key):
    assert f"{key}:" in refused(data)


def test_merge_goes_into_mappings_and_replaces_lists():
    under = {"a": {"x": 1, "y": [1, 2]}, "b": 1}
    assert base.merge(under, {"a": {"y": [3]}, "c": 2}) == {"a": {"x": 1, "y": [3]}, "b": 1, "c": 2}
    assert under == {"a": {"x": 1, "y": [1, 2]}, "b": 1}


def test_a_yaml_syntax_error_names_file_and_line(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("run: demo\ntargets: [a, b\nseed: 1\n")
    with pytest.raises(SeedlotError) as caught:
        base.read_yaml(path)
    assert f"{path}:3" in str(caught.value)


def test_a_config_that_is_a_list_or_absent_is_refused(tmp_path):
    path = tmp_path / "list.yaml"
    path.write_text("- a\n")
    with pytest.raises(SeedlotError, match="mapping of keys"):
        base.read_yaml(path)
    with pytest.raises(SeedlotError, match="no config file"):
        base.read_yaml(tmp_path / "absent.yaml")


def test_an_empty_file_is_an_empty_config(tmp_path):
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    assert base.read_yaml(tmp_path / "empty.yaml") == {}


def test_the_error_says_what_where_and_what_to_do():
    text = str(SeedlotError("expected 3, saw 4", where="a.txt:7", todo="mend line 7"))
    assert text == "expected 3, saw 4\n  where: a.txt:7\n  do:    mend line 7"


def test_nearest_finds_a_typo_and_not_a_stranger():
    assert nearest("dominrank", ["degree", "domirank"]) == "domirank"
    assert nearest("qqqq", ["degree", "domirank"]) is None
    assert nearest("DEGREE", ["degree", "GraphML"]) == "degree"
    assert nearest("graphml", ["degree", "GraphML"]) == "GraphML"
    assert "did you mean 'degree'?" in str(unknown("method", "degre", ["cnd", "degree"]))
    assert "valid: cnd, degree" in str(unknown("method", "zzz", ["degree", "cnd"]))
