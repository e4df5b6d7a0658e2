"""Settings of the study heat_step."""

from pydantic import Field

from seedlot.config.base import Settings as Base


class Settings(Base):
    """One linear model that steps the heat equation; the smallest example of a training study."""

    epochs: int = Field(300, ge=1, description="Passes over the training pairs.")
    batch: int = Field(32, ge=1, description="Pairs per optimiser step.")
    learning_rate: float = Field(0.01, gt=0, description="Adam's learning rate.")
    save_every: int = Field(500, ge=1, description="Optimiser steps between two checkpoints.")
