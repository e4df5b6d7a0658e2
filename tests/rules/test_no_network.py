"""After the set-up no job needs a network: the run that most tests start from had none."""

import json

import pytest
from tests.helpers.clone import NOTES, Clone, sealed


def test_every_rule_ran_without_a_network(finished: Clone):
    if not sealed():
        pytest.skip("this system lets us make no network namespace (unshare --map-root-user --net)")
    notes = [json.loads(path.read_text()) for path in (finished.path / NOTES).glob("*.json")]
    rules = {note["rule"] for note in notes}
    assert {
        "fetch",
        "simulate",
        "networks_curate",
        "verify_judge",
        "heat_step_train",
        "lgd_na_dismantle",
    } <= rules
    assert [note["rule"] for note in notes if note["network"]] == []
