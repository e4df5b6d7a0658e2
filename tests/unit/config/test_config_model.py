"""The composed configuration: every key described, the generated files current, the committed configs valid."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from seedlot.config import base
from seedlot.config.errors import SeedlotError
from seedlot.workflow.core import Workflow
from seedlot.workflow.model import config_model, docs_text, keys, plugins, schema_text

REPO = Path(__file__).resolve().parents[3]


def models(model: type[base.BaseModel]) -> dict[str, type[base.BaseModel]]:
    """Every settings model that a model holds, by name."""
    found = {f"{model.__module__}.{model.__name__}": model}
    for field in model.model_fields.values():
        inner = base._inner_model(field.annotation)
        if inner is not None:
            found |= models(inner)
    return found


def test_every_settings_key_has_a_description():
    missing = [
        f"{name}.{key}"
        for name, model in models(config_model()).items()
        for key, field in model.model_fields.items()
        if not (field.description or "").strip()
    ]
    assert missing == []


def test_every_source_and_study_is_found_by_its_folder():
    fields = config_model().model_fields
    for kind in ("sources", "studies"):
        assert list(fields[kind].annotation.model_fields) == plugins(kind)
    assert {"heat", "networks"} <= set(plugins("sources"))


def test_every_key_has_a_default_so_that_an_empty_config_is_valid():
    assert base.load(config_model(), {}).run == "demo"
    assert not [key for key, _, default, _ in keys(config_model()) if default == "required"]


def test_no_settings_key_is_one_letter_or_a_yaml_boolean():
    words = {"y", "n", "yes", "no", "on", "off", "true", "false"}
    assert not [key for key, *_ in keys(config_model()) if key.split(".")[-1].lower() in words]


def test_the_committed_schema_is_the_generated_one():
    assert (REPO / "config/schema.json").read_text() == schema_text(), "run `make docs`"


def test_the_committed_key_table_is_the_generated_one():
    assert (REPO / "docs/config.md").read_text() == docs_text(), "run `make docs`"


def test_the_key_table_names_every_key():
    text = docs_text()
    assert all(f"| `{key}` |" in text for key, *_ in keys(config_model()))


def committed_configs() -> list[Path]:
    return sorted(REPO.glob("config/*.yaml")) + sorted(REPO.glob("config/studies/*.yaml"))


@pytest.mark.parametrize("path", committed_configs(), ids=lambda p: p.name)
def test_a_committed_config_passes_model_and_schema(path):
    merged = base.merge(base.read_yaml(REPO / "config/config.yaml"), base.read_yaml(path))
    base.load(config_model(), merged, where=str(path))
    jsonschema.validate(merged, json.loads(schema_text()))


def test_the_schema_refuses_a_misspelt_key():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"tragets": []}, json.loads(schema_text()))


@pytest.mark.parametrize(
    "config, words",
    [
        ({"targets": ["heat_stp"]}, ["'heat_stp'", "heat_step", "config key 'targets'"]),
        ({"manifests": {"network": {"path": "x.tsv"}}}, ["'network'", "networks", "config key 'manifests'"]),
    ],
)
def test_a_target_or_source_that_is_not_there_names_the_nearest(config, words):
    with pytest.raises(SeedlotError) as caught:
        Workflow(config)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"studies": {"lgd_na": {"methods": ["cnd", "degre"]}}}, "no method 'degre', did you mean 'degree'"),
        ({"studies": {"lgd_na": {"methods": []}}}, "at least 1 item"),
        ({"studies": {"lgd_na": {"modes": []}}}, "at least 1 item"),
        ({"sources": {"networks": {"items": ["a", "a"]}}}, "listed twice: a"),
        ({"root": ""}, "a folder of their own"),
        ({"root": "."}, "a folder of their own"),
    ],
)
def test_values_that_cannot_mean_anything_are_refused_with_their_key(config, words):
    with pytest.raises(SeedlotError, match=words):
        base.load(config_model(), config)
