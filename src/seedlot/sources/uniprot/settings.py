"""Settings of the UniProt source."""

from pydantic import Field

from seedlot.config.base import Settings as Base


class Settings(Base):
    """UniProtKB sequences in FASTA."""

    manifests: list[str] = Field(["uniprot"], description="Committed manifests below resources/manifests/.")
    items: list[str] = Field(default_factory=list, description="Only these items; empty means all.")
    buckets: int = Field(1, ge=1, description="Number of shards that items are hashed into.")
    shard_cap_bytes: int = Field(2**30, ge=1, description="A file above this size is a shard of its own.")
