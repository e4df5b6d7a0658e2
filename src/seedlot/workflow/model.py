"""The configuration as one typed model, composed from the settings.py of every source and study.

Sources and studies are found by listing folders, so a new one adds its keys without an edit here.
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, create_model, field_validator

from seedlot.config import base
from seedlot.store.code import PACKAGE


class UserManifest(base.Settings):
    """A user's own table of files for a source."""

    path: Path = Field(description="TSV or CSV with one row per file wanted.")
    folder: Path | None = Field(
        None, description="Folder that relative file names start from; default: the table's."
    )
    columns: dict[str, str] = Field(default_factory=dict, description="Manifest column: the table's column.")
    defaults: dict[str, str] = Field(
        default_factory=dict, description="Manifest column: value for every row."
    )
    formats: dict[str, str] = Field(default_factory=dict, description="The table's format word: reader name.")
    release: str = Field("user", description="Name of this edition of the data; part of the raw path.")


class Core(base.Settings):
    """Keys that belong to no source or study."""

    run: str = Field(
        "demo", pattern=r"^[a-z0-9][a-z0-9_-]*$", description="Name of the run; part of its paths."
    )
    root: Path = Field(Path("results"), description="Everything a run writes goes below this folder.")
    wheels: Path = Field(
        Path(".wheels"), description="Folder of pinned wheels that data members are read from."
    )
    offline: bool = Field(False, description="Refuse every network access; name what is missing instead.")
    mirrors: list[str] = Field(
        default_factory=list, description="Folders or URL bases tried before an item's own URL."
    )
    manifests: dict[str, UserManifest] = Field(
        default_factory=dict, description="Your own files, per source."
    )
    targets: list[str] = Field(default_factory=list, description="Studies that the default target runs.")
    seed: int = Field(0, ge=0, description="Seed that every random choice is derived from.")

    @field_validator("root")
    @classmethod
    def _a_folder_of_its_own(cls, root: Path) -> Path:
        if root == Path():
            raise ValueError("results need a folder of their own, such as results")
        return root


def plugins(kind: str) -> list[str]:
    """Names of the sources or studies that have a settings.py."""
    return sorted(p.parent.name for p in (PACKAGE / kind).glob("*/settings.py"))


def section(kind: str) -> type[base.Settings]:
    """The settings model of all sources or all studies."""
    fields: dict[str, Any] = {}
    for name in plugins(kind):
        model = importlib.import_module(f"seedlot.{kind}.{name}.settings").Settings
        summary = (model.__doc__ or "").strip().split("\n")[0]
        fields[name] = (model, Field(default_factory=model, description=summary))
    return create_model(kind.capitalize(), __base__=base.Settings, **fields)


@cache
def config_model() -> type[Core]:
    """The whole configuration as one pydantic model."""
    parts = {kind: section(kind) for kind in ("sources", "studies")}
    fields = {k: (m, Field(default_factory=m, description=f"Settings of the {k}.")) for k, m in parts.items()}
    return create_model("Config", __base__=Core, **fields)


def schema_text() -> str:
    """config/schema.json: JSON Schema of the configuration, for editors and for the drift test."""
    return json.dumps(config_model().model_json_schema(), indent=1, sort_keys=True) + "\n"


def docs_text() -> str:
    """docs/config.md: every key with its type, default and description."""
    lines = [
        "# Configuration keys",
        "",
        "Generated from the settings models by `seedlot config --docs`; a test fails when this page is out of date.",
        "A key that is not listed here is refused before any job is planned.",
        "",
        "| key | type | default | meaning |",
        "| --- | --- | --- | --- |",
    ]
    for key, kind, default, text in keys(config_model()):
        cells = (cell.replace("|", "\\|") for cell in (f"`{key}`", f"`{kind}`", f"`{default}`", text))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def keys(model: type[base.BaseModel], prefix: str = "") -> list[tuple[str, str, str, str]]:
    """(dotted key, type, default as JSON, description) of every leaf key of a settings model."""
    out: list[tuple[str, str, str, str]] = []
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, base.BaseModel):
            out += keys(kind, f"{prefix}{name}.")
            continue
        default = field.get_default(call_default_factory=True)
        shown = "required" if field.is_required() else json.dumps(default, default=str)
        word = kind.__name__ if isinstance(kind, type) and "[" not in str(kind) else str(kind)
        out.append(
            (
                prefix + name,
                word.replace("typing.", "").replace("pathlib.", ""),
                shown,
                field.description or "",
            )
        )
    return out
