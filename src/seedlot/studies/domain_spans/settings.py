"""Settings of the study domain_spans."""

from pydantic import Field

from seedlot.config.base import Settings as Base


class Settings(Base):
    """Length and coverage of domain spans on proteins; the smallest example of a study on joined tables."""

    min_proteins: int = Field(20, ge=1, description="Entries on fewer proteins are drawn grey.")
