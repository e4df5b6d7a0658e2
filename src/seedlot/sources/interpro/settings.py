"""Settings of the InterPro source."""

from pydantic import Field

from seedlot.config.source import SourceSettings, committed


class Settings(SourceSettings):
    """InterPro matches of UniProtKB proteins (protein2ipr.dat)."""

    manifests: list[str] = committed("interpro")
    batch_rows: int = Field(100_000, ge=1, description="Rows held in memory at a time while curating.")
