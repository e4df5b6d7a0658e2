"""Settings of the study lgd_na."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from seedlot.config.base import Settings as Base
from seedlot.config.base import each_once
from seedlot.config.errors import nearest

METHODS = [
    "ra2", "ra2num", "cnd", "degree", "nbc", "nbc_sampled", "pagerank", "eigenvector", "domirank", "fitness",
    "resilience", "ci", "corehd", "gnd", "ei", "random",
]  # fmt: skip


class Settings(Base):
    """Network dismantling by latent-geometry rules and its baselines, on every network of the run."""

    methods: list[str] = Field(
        default_factory=lambda: list(METHODS),
        min_length=1,
        description="Methods to run, names of files in studies/lgd_na/methods; a new file is a new name.",
    )
    modes: list[Literal["dynamic", "static"]] = Field(
        default_factory=lambda: ["dynamic", "static"],
        min_length=1,
        description="dynamic: scores renewed after each removal. static: scores of the intact network.",
    )
    reinserts: list[Literal["none", "r1", "r2", "r3"]] = Field(
        default_factory=lambda: ["none", "r1", "r2", "r3"],
        description="Rules for putting removed nodes back afterwards; 'none' must be among them.",
    )
    stop: float = Field(
        0.1, gt=0, lt=1, description="A network is dismantled when its LCC has at most ceil(stop * n) nodes."
    )
    ties: Literal["exact", "csr", "round9"] = Field(
        "exact",
        description="Ties of the local rules: exact fractions; csr (float row sums, the published CND numbers); "
        "round9 (floats rounded to 1e-9). Other methods have one tie rule of their own.",
    )
    budget_s: float = Field(
        120.0,
        gt=0,
        description="Predicted CPU seconds that one method may spend on one network and mode; a run above it is "
        "listed as over_budget with its estimate and not started.",
    )
    seed: int = Field(
        0, ge=0, description="Seed of everything random; each network draws from (seed, net_id)."
    )
    threads: int = Field(1, ge=1, description="Processes of one dismantling job, over its networks.")
    harden_methods: list[str] = Field(
        default_factory=lambda: ["ra2", "ra2num", "cnd"],
        description="Methods whose top nodes are hardened and which then attack the hardened network.",
    )
    harden_shares: list[float] = Field(
        default_factory=lambda: [0.01, 0.1],
        description="Shares p = q: of the nodes that are hardened, and of the missing links added around each.",
    )
    harden_max_links: int = Field(20_000, ge=1, description="Larger networks are not hardened.")
    mem_mb: int = Field(4000, ge=500, description="Memory that one dismantling job asks for, in MB.")

    @field_validator("methods", "harden_methods")
    @classmethod
    def _known_once(cls, names: list[str]) -> list[str]:
        there = sorted(p.stem for p in Path(__file__).with_name("methods").glob("[a-z]*.py"))
        for name in names:
            if name not in there:
                close = nearest(name, there)
                raise ValueError(
                    f"no method '{name}', "
                    + (f"did you mean '{close}'?" if close else f"there are {', '.join(there)}")
                )
        return each_once(names)

    @field_validator("reinserts")
    @classmethod
    def _with_none(cls, names: list[str]) -> list[str]:
        if "none" not in names or len(set(names)) != len(names):
            raise ValueError("each rule once, and 'none' among them: the others are compared with it")
        return names
