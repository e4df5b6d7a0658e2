"""The claims ledger: closed vocabularies, and what simulated data can never earn."""

from __future__ import annotations

import polars as pl
import pytest

from seedlot.config.errors import SeedlotError
from seedlot.report.ledger import load_claims, method_check, text_digest, text_digests, write_ledger
from seedlot.studies.lgd_na import claims_text

CLAIMS = """
claims:
  - id: shrinks
    statement: The error is small.
    metric: {name: ratio, unit: "1", direction: less, threshold: 0.5}
  - id: grows
    statement: The gain is large.
    metric: {name: gain, unit: "%", direction: more, threshold: 10}
"""


@pytest.fixture
def claims(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS)
    return path


@pytest.mark.parametrize(
    "id, value, word",
    [
        ("shrinks", 0.4, "passed"),
        ("shrinks", 0.5, "failed"),
        ("grows", 10.5, "passed"),
        ("grows", 10, "failed"),
    ],
)
def test_a_method_check_compares_with_the_threshold_of_the_claim(claims, id, value, word):
    row = method_check(claims, "toy", id, value, 7, "toy_target")
    assert row["method_check"] == word
    assert (row["verdict"], row["evidence"], row["n"]) == ("not_testable", "simulated", 7)
    assert row["repeat"] == "snakemake --cores 1 toy_target"


def test_an_unknown_claim_names_the_nearest(claims):
    with pytest.raises(SeedlotError, match="did you mean 'shrinks'"):
        method_check(claims, "toy", "shrink", 1.0, 1, "t")


def test_a_claim_that_stands_twice_is_refused(claims):
    claims.write_text(CLAIMS.replace("id: grows", "id: shrinks"))
    with pytest.raises(SeedlotError, match="two claims are called 'shrinks'"):
        load_claims(claims)


def test_a_ledger_is_sorted_and_comes_back(claims, tmp_path):
    rows = [method_check(claims, "toy", id, 0.1, 3, "t") for id in ("shrinks", "grows")]
    write_ledger(tmp_path / "out.parquet", rows)
    table = pl.read_parquet(tmp_path / "out.parquet")
    assert table["claim"].to_list() == ["grows", "shrinks"]
    assert table["mde"].to_list() == [None, None]


@pytest.mark.parametrize("verdict", ["reproduced", "contradicted"])
@pytest.mark.parametrize("evidence", ["simulated", "mixed"])
def test_only_real_evidence_earns_a_verdict(claims, tmp_path, verdict, evidence):
    row = method_check(claims, "toy", "shrinks", 0.1, 3, "t") | {"verdict": verdict, "evidence": evidence}
    with pytest.raises(SeedlotError, match="only real evidence"):
        write_ledger(tmp_path / "out.parquet", [row])
    assert not (tmp_path / "out.parquet").exists()
    write_ledger(tmp_path / "out.parquet", [row | {"evidence": "real"}])


def test_a_word_outside_the_vocabulary_is_refused(claims, tmp_path):
    row = method_check(claims, "toy", "shrinks", 0.1, 3, "t")
    with pytest.raises(SeedlotError, match="did you mean 'reproduced'"):
        write_ledger(tmp_path / "out.parquet", [row | {"verdict": "reproducd", "evidence": "real"}])
    with pytest.raises(SeedlotError, match="did you mean 'passed'"):
        write_ledger(tmp_path / "out.parquet", [row | {"method_check": "pass"}])


def test_the_digest_of_a_claim_follows_its_meaning_and_not_its_layout(claims):
    entry = load_claims(claims)["shrinks"]
    first = text_digest({}, entry)
    assert text_digests(claims)["shrinks"] == first
    assert text_digest({}, dict(reversed(entry.items()))) == first
    assert text_digest({}, entry | {"statement": "The error is tiny."}) != first
    assert text_digest({"frozen": {"methods": ["a"]}}, entry) != first
    scaled = entry | {"scale": "whole"}
    digests = {text_digest({"scales": {"whole": {"n": n}, "part": {"n": 1}}}, scaled) for n in (5, 6)}
    assert len(digests) == 2


def test_the_digest_that_a_study_measures_under_is_the_one_that_is_accepted():
    """lgd_na reads its own claims.yaml; `seedlot accept` reads it by this module."""
    _, claims = claims_text.load()
    assert {claim.id: claim.digest for claim in claims} == text_digests(claims_text.FILE)
