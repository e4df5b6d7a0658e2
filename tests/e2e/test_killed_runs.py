"""The whole workflow is killed at random moments: it starts again at once, ends, and its lots are the same."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest
from tests.helpers.clone import CONFIG, Clone, wait_for
from tests.soak.page import record

pytestmark = pytest.mark.soak
KILLS = 10 if os.environ.get("SEEDLOT_SOAK") else 2
FIGURES = ("heat_step/step_error", "domain_spans/span_length")


@pytest.mark.parametrize(
    "seed", [int(os.environ.get("SEEDLOT_KILL_SEED", random.SystemRandom().randrange(10**6)))]
)
def test_kills_at_random_moments_change_nothing(fresh: Clone, finished: Clone, base_config, seed):
    draw = random.Random(seed)
    fresh.configure(base_config | {"targets": ["heat_step", "domain_spans"]})
    for _ in range(KILLS):
        process = fresh.start(
            "snakemake", "--cores", "2", "--configfile", CONFIG, "--quiet", "all", start_new_session=True
        )
        try:
            wait_for(
                lambda p=process: fresh.result(".seedlot.lock").exists() or p.poll() is not None,
                60,
                "a start",
            )
            end = time.monotonic() + draw.uniform(0.5, 12)
            while time.monotonic() < end and process.poll() is None:
                time.sleep(0.05)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    said = fresh.snakemake()
    assert "Error" not in said and "unlock" not in said
    expected = finished.lots()
    lots = fresh.lots()
    assert len(lots) >= 4 and lots == {table: expected[table] for table in lots}
    for name in FIGURES:
        for suffix in (".svg", ".parquet"):
            path = f"figures/demo/{name}{suffix}"
            assert fresh.result(path).read_bytes() == finished.result(path).read_bytes()
    assert fresh.planned() == []
    assert "all as recorded" in fresh.seedlot("audit")
    if KILLS > 2:
        record(
            "Killed runs",
            [
                f"{KILLS} runs killed by SIGKILL after 0.5 to 12 s, then one left alone: it started at once and ended,",
                "its lots, figures and tables equal those of an undisturbed run, nothing was left to do, and the audit",
                "found all as recorded.",
            ],
        )
