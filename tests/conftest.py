"""Fixtures of the tests that run the workflow: one finished run, copied for each test that changes something."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.helpers import clone

# The three thin tenants, with three small networks in two shards and two methods.
THIN = {
    "targets": ["heat_step", "domain_spans", "lgd_na"],
    "sources": {"networks": {"items": ["karate_club", "les_miserables", "southern_women"], "buckets": 2}},
    "studies": {
        "heat_step": {"epochs": 60, "save_every": 50},
        "lgd_na": {"methods": ["cnd", "degree", "random"], "harden_methods": ["degree"], "bootstrap": 100},
    },
}


@pytest.fixture(scope="session")
def base_config() -> dict:
    """Config of the run that most tests start from."""
    return THIN


@pytest.fixture(scope="session")
def finished(tmp_path_factory, base_config) -> clone.Clone:
    """A finished run that nobody may change; `copied` gives a copy."""
    return clone.finished(tmp_path_factory.mktemp("finished") / "seedlot", base_config)


@pytest.fixture
def copied(finished, tmp_path) -> clone.Clone:
    """A copy of the finished run."""
    return finished.copy(tmp_path / "seedlot")


@pytest.fixture
def fresh(tmp_path: Path, base_config) -> clone.Clone:
    """A copy of the clone without any results."""
    return clone.Clone.make(tmp_path / "seedlot", base_config)
