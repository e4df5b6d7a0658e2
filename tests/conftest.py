"""Fixtures of the tests that run the workflow: one finished run, copied for each test that changes something."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.helpers import clone
from tests.helpers.clone import Clone

# The three thin tenants, with three small networks in two shards and two methods.
THIN = {
    "targets": ["heat_step", "domain_spans", "lgd_na"],
    "sources": {"networks": {"items": ["karate_club", "les_miserables", "power_case57"], "buckets": 2}},
    "studies": {
        "heat_step": {"epochs": 60, "save_every": 50},
        "lgd_na": {
            "methods": ["cnd", "degree"],
            "modes": ["dynamic"],
            "reinserts": ["none", "r1"],
            "harden_methods": ["degree"],
        },
    },
}


class Stage:
    """One fixed place where clones are worked in, one after the other.

    numba's disk cache is keyed by the path of the source: a copy at another path would compile everything again.
    """

    def __init__(self, path: Path):
        self.path = path

    def clear(self) -> Path:
        """The empty place; what was there is removed."""
        shutil.rmtree(self.path, ignore_errors=True)
        return self.path


@pytest.fixture(scope="session")
def stage(tmp_path_factory) -> Stage:
    """The place of this test session."""
    return Stage(tmp_path_factory.mktemp("stage") / "seedlot")


@pytest.fixture(scope="session")
def base_config() -> dict:
    """Config of the run that most tests start from."""
    return THIN


@pytest.fixture(scope="session")
def finished(stage, tmp_path_factory, base_config) -> Clone:
    """A finished run that nobody may change; `copied` gives a copy."""
    made = clone.finished(stage.clear(), base_config)
    kept = tmp_path_factory.mktemp("finished") / "seedlot"
    made.path.rename(kept)
    return Clone(kept)


@pytest.fixture
def copied(finished, stage) -> Clone:
    """A copy of the finished run, to be changed."""
    yield finished.copy(stage.clear())
    stage.clear()


@pytest.fixture
def fresh(stage, base_config) -> Clone:
    """A copy of the clone without any results."""
    yield Clone.make(stage.clear(), base_config)
    stage.clear()
