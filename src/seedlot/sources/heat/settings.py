"""Settings of the heat-equation source."""

from pydantic import Field

from seedlot.config.base import Settings as Base


class Settings(Base):
    """Solutions of the 1-D heat equation on a periodic interval (PDEBench's HDF5 layout)."""

    manifests: list[str] = Field(["heat"], description="Committed manifests below resources/manifests/.")
    items: list[str] = Field(default_factory=list, description="Only these items; empty means all.")
    buckets: int = Field(1, ge=1, description="Number of shards that items are hashed into.")
    shard_cap_bytes: int = Field(2**30, ge=1, description="A file above this size is a shard of its own.")
    test_share: float = Field(
        0.25, gt=0, lt=1, description="Share of simulations held out, by hash of their id."
    )
