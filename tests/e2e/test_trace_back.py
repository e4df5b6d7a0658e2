"""Every figure and ledger can be walked back to raw bytes, their digest and where they came from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.helpers.clone import Clone

from seedlot.commands.trace import chain
from seedlot.store.lineage import file_sha256


def test_every_figure_and_ledger_leads_to_raw_digests_that_are_those_on_disk(finished: Clone, monkeypatch):
    monkeypatch.chdir(finished.path)
    root = Path("results")
    files = [*root.glob("figures/demo/*/*.svg"), *root.glob("studies/demo/*/claims.parquet")]
    assert len(files) >= 14
    for file in files:
        if file.stem == "geometry":
            continue  # its networks are drawn inside the rule; there are no raw files
        raw = [r for step in chain(file, root) for r in step.get("raw", [])]
        assert raw, f"{file} leads to no raw file"
        for row in raw:
            assert re.fullmatch(r"[0-9a-f]{64}", row["sha256"]) and row["url"].split(":")[0] in (
                "pypi",
                "sim",
                "https",
            )
            assert file_sha256(root / row["path"]) == row["sha256"]


@pytest.mark.parametrize("figure", ["lgd_na/curves", "heat_step/step_error", "domain_spans/span_length"])
def test_the_command_prints_the_chain(finished: Clone, figure):
    text = finished.seedlot("trace", f"results/figures/demo/{figure}.svg")
    first = text.splitlines()[0]
    assert first.startswith(f"{figure.split('/')[0]}_figure  (code ")
    assert re.search(r"^  raw +\w+: (sha256 )?[0-9a-f]{64} +(pypi|sim):\S+$", text, re.MULTILINE), text
    assert str(finished.path) not in text


def test_a_step_is_told_once_however_many_inputs_share_it(finished: Clone):
    steps = json.loads(finished.seedlot("trace", "--json", "results/figures/demo/lgd_na/curves.svg"))
    keys = [min(step["outputs"]) for step in steps]
    assert len(keys) == len(set(keys))
    assert {"lgd_na_figure", "lgd_na_dismantle", "networks_curate", "fetch"} <= {
        step["rule"] for step in steps
    }
