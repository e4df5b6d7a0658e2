"""What every source's settings share: which manifests and items are wanted, and how they are cut into jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator

from seedlot.config.base import Settings, each_once


def committed(*names: str) -> Any:
    """The field `manifests` of a source that reads these committed manifests unless it is told otherwise."""
    return Field(
        default_factory=lambda: list(names),
        description="Committed manifests to read, names in resources/manifests; [] leaves only your own.",
    )


class SourceSettings(Settings):
    """Keys of every source, and two questions that the workflow asks a source about its manifest rows.

    The rows come as mappings of the columns that only this source's manifests have.
    """

    manifests: list[str] = committed()
    items: list[str] = Field(
        default_factory=list, description="Items to keep, by name; empty keeps every row of the manifests."
    )
    buckets: int = Field(
        1, ge=1, le=512, description="Number of shards; an item falls into the same shard in every run."
    )
    shard_cap_bytes: int | None = Field(
        2**30, ge=1, description="An item whose file is larger is a shard of its own; null: never."
    )

    @field_validator("manifests", "items")
    @classmethod
    def _once(cls, names: list[str]) -> list[str]:
        return each_once(names)

    @staticmethod
    def check_row(columns: Mapping[str, str], where: str) -> None:
        """Raise SeedlotError for a user's row that this source cannot read, before any job is planned."""

    @staticmethod
    def module_of_row(columns: Mapping[str, str]) -> str | None:
        """The plug-in module (dotted name) that reads the row, beside the source's own code; None when there is none."""
        return None
