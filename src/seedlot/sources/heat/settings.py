"""Settings of the heat-equation source."""

from pydantic import Field

from seedlot.config.source import SourceSettings, committed


class Settings(SourceSettings):
    """Solutions of the 1-D heat equation on a periodic interval (PDEBench's HDF5 layout)."""

    manifests: list[str] = committed("heat")
    test_share: float = Field(
        0.25, gt=0, lt=1, description="Share of simulations held out, by hash of their id."
    )
