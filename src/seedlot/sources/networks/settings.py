"""Settings of the networks source."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from seedlot.config.errors import unknown
from seedlot.config.source import SourceSettings, committed


class Settings(SourceSettings):
    """Networks: which manifests and items are wanted, and how they are cut into jobs."""

    manifests: list[str] = committed("networks")
    buckets: int = Field(
        8, ge=1, le=512, description="Number of shards; an item falls into the same shard in every run."
    )
    shard_cap_bytes: int | None = Field(
        20_000_000, ge=1, description="An item whose file is larger is a shard of its own; null: never."
    )
    mem_mb: int = Field(
        4000,
        ge=500,
        description="Memory that one curation job asks for, in MB; it holds one network at a time.",
    )

    @staticmethod
    def check_row(columns: Mapping[str, str], where: str) -> None:
        """Refuse a graph file without a format or with an unknown one."""
        from seedlot.formats.graphs.registry import READERS

        word = columns.get("format", "")
        if word not in READERS:
            raise unknown("graph format", word, READERS, where=where)

    @staticmethod
    def module_of_row(columns: Mapping[str, str]) -> str | None:
        """The reader module of the row's format."""
        from seedlot.formats.graphs.registry import READERS

        return READERS.get(columns.get("format", ""))
