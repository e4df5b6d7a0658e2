"""Settings of the networks source."""

from __future__ import annotations

from pydantic import Field

from seedlot.config.base import Settings as Base


class Settings(Base):
    """Networks: which manifests and items are wanted, and how they are cut into jobs."""

    manifests: list[str] = Field(
        default_factory=lambda: ["networks"],
        description="Committed manifests to read, names in resources/manifests; [] leaves only your own.",
    )
    items: list[str] = Field(
        default_factory=list, description="Items to keep, by name; empty keeps every row of the manifests."
    )
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
