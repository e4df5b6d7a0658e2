"""Checkpoints: whole or ignored, of the same key or refused; and orders that depend on seed and epoch alone."""

from __future__ import annotations

import hashlib
import os
import signal
import time

import pytest
import torch

from seedlot.config.errors import SeedlotError
from seedlot.training.checkpoint import KEEP, Checkpoints, Leave, order


def state(value: float) -> dict:
    return {"w": torch.full((3,), value, dtype=torch.float64), "losses": [value]}


def filled(folder, key="k", steps=(10, 20, 30)) -> Checkpoints:
    kept = Checkpoints(folder, key)
    for step in steps:
        kept.save(step, state(float(step)))
    return kept


def test_the_newest_state_comes_back_as_it_was(tmp_path):
    step, found = filled(tmp_path).newest()
    assert step == 30 and found["losses"] == [30.0]
    assert torch.equal(found["w"], state(30.0)["w"]) and found["w"].dtype == torch.float64


def test_an_empty_or_absent_folder_has_no_state(tmp_path):
    assert Checkpoints(tmp_path, "k").newest() is None
    assert Checkpoints(tmp_path / "absent", "k").newest() is None


def test_two_are_kept(tmp_path):
    filled(tmp_path)
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["step-0000000020.pt", "step-0000000030.pt"]
    assert KEEP == 2


@pytest.mark.parametrize("keep", [0, 1, 31, 32, 40, -1], ids=lambda n: f"{n} bytes left")
def test_a_truncated_newest_is_skipped(tmp_path, keep):
    kept = filled(tmp_path)
    newest = kept.files()[0]
    newest.write_bytes(newest.read_bytes()[:keep])
    assert kept.newest()[0] == 20


def test_a_flipped_bit_is_noticed(tmp_path):
    kept = filled(tmp_path)
    data = bytearray(kept.files()[0].read_bytes())
    data[len(data) // 2] ^= 1
    kept.files()[0].write_bytes(bytes(data))
    assert kept.newest()[0] == 20


def test_when_every_checkpoint_is_broken_training_starts_anew(tmp_path):
    kept = filled(tmp_path)
    for path in kept.files():
        path.write_bytes(b"")
    assert kept.newest() is None


def test_a_leftover_of_a_killed_write_is_no_checkpoint(tmp_path):
    kept = filled(tmp_path)
    (tmp_path / "step-0000000040.pt.part").write_bytes(b"half")
    assert kept.newest()[0] == 30


def test_an_unfinished_training_of_another_key_is_refused_and_kept(tmp_path):
    filled(tmp_path, "old")
    with pytest.raises(SeedlotError) as caught:
        Checkpoints(tmp_path, "new").newest()
    assert "other data, code or settings" in str(caught.value) and str(tmp_path) in str(caught.value)
    assert Checkpoints(tmp_path, "old").newest()[0] == 30


def test_a_finished_training_of_another_key_is_cleared_away(tmp_path):
    old = filled(tmp_path, "old")
    old.save(40, state(40.0), done=True)
    assert Checkpoints(tmp_path, "new").newest() is None
    assert list(tmp_path.iterdir()) == []


def test_a_finished_training_of_the_same_key_is_given_back(tmp_path):
    kept = filled(tmp_path)
    kept.save(40, state(40.0), done=True)
    assert kept.newest()[0] == 40


def test_a_pickle_that_runs_code_is_refused(tmp_path):
    import io
    import pickle

    class Evil:
        def __reduce__(self):
            return (os.system, ("touch /tmp/evil",))

    buffer = io.BytesIO()
    torch.save({"key": "k", "step": 1, "done": False, "state": Evil()}, buffer)
    data = buffer.getvalue()
    (tmp_path / "step-0000000001.pt").write_bytes(hashlib.sha256(data).digest() + data)
    with pytest.raises(pickle.UnpicklingError):
        Checkpoints(tmp_path, "k").newest()


# -- when to leave -------------------------------------------------------------------------------------
def test_a_job_leaves_before_its_deadline():
    with Leave(time.time() + 100, margin=60) as leave:
        assert not leave.now()
    with Leave(time.time() + 50, margin=60) as leave:
        assert leave.now()
        text = str(leave.error(7, 10))
    assert "after step 7 of 10" in text and "time limit" in text and "continues from here" in text


def test_without_a_deadline_a_job_stays():
    with Leave(None) as leave:
        assert not leave.now()


def test_a_terminated_job_is_told_to_leave_and_the_handler_is_given_back():
    before = signal.getsignal(signal.SIGTERM)
    with Leave(None) as leave:
        os.kill(os.getpid(), signal.SIGTERM)
        assert leave.now() and "SIGTERM" in str(leave.error(1, 2))
    assert signal.getsignal(signal.SIGTERM) is before


# -- order ---------------------------------------------------------------------------------------------
def test_an_order_is_a_permutation_and_a_function_of_seed_and_epoch_alone():
    first = order(3, 5, 40)
    torch.manual_seed(99)
    torch.rand(7)
    assert order(3, 5, 40) == first
    assert sorted(first) == list(range(40))


def test_orders_of_other_epochs_and_seeds_differ():
    found = {tuple(order(seed, epoch, 40)) for seed in range(4) for epoch in range(4)}
    assert len(found) == 16


def test_drawing_an_order_leaves_the_global_generator_alone():
    torch.manual_seed(1)
    want = torch.rand(3)
    torch.manual_seed(1)
    order(0, 0, 10)
    assert torch.equal(torch.rand(3), want)


def test_no_or_one_sample_have_one_order():
    assert order(0, 0, 0) == [] and order(0, 0, 1) == [0]
