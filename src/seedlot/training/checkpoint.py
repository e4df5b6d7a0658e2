"""Checkpoints that a killed job leaves usable: written whole, checked when read, refused for another key."""

from __future__ import annotations

import hashlib
import io
import signal
import time
from pathlib import Path
from typing import Any

import torch

from seedlot.config.errors import SeedlotError
from seedlot.store.atomic import write_bytes

KEEP = 2
MARGIN_SECONDS = 60.0
_DIGEST = 32


class Checkpoints:
    """The checkpoint folder of one training job.

    key: digest of input lots, code and settings; a checkpoint of another key is never continued.
    """

    def __init__(self, folder: Path, key: str):
        self.folder, self.key = folder, key

    def files(self) -> list[Path]:
        """Checkpoints, newest first."""
        return sorted(self.folder.glob("step-*.pt"), reverse=True)

    def save(self, step: int, state: dict[str, Any], done: bool = False) -> None:
        """Write the state after `step` steps, with its SHA-256 before it; the two newest are kept.

        done: this is the final state, which a job of another key may clear away.
        """
        buffer = io.BytesIO()
        torch.save({"key": self.key, "step": step, "done": done, "state": state}, buffer)
        data = buffer.getvalue()
        self.folder.mkdir(parents=True, exist_ok=True)
        write_bytes(self.folder / f"step-{step:010d}.pt", hashlib.sha256(data).digest() + data)
        for old in self.files()[KEEP:]:
            old.unlink(missing_ok=True)

    def newest(self) -> tuple[int, dict[str, Any]] | None:
        """(step, state) of the newest checkpoint whose bytes are whole, or None.

        A finished training of another key is cleared away. Raises SeedlotError when an unfinished one lies here.
        """
        for path in self.files():
            data = path.read_bytes()
            if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
                continue
            saved = torch.load(io.BytesIO(data[_DIGEST:]), weights_only=True)
            if saved["key"] != self.key and saved["done"]:
                for old in self.files():
                    old.unlink()
                return None
            if saved["key"] != self.key:
                raise SeedlotError(
                    "an unfinished training of other data, code or settings lies in the way",
                    where=str(path),
                    todo=f"restore the old settings to continue it, or remove {self.folder} to start anew",
                )
            return saved["step"], saved["state"]
        return None


class Leave:
    """Says when a training loop must save and go: shortly before the deadline, or after SIGTERM."""

    def __init__(self, deadline: float | None, margin: float = MARGIN_SECONDS):
        self.deadline = None if deadline is None else deadline - margin
        self.term = False

    def __enter__(self) -> Leave:
        self._old = signal.signal(signal.SIGTERM, self._on_term)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGTERM, self._old)

    def _on_term(self, *_: object) -> None:
        self.term = True

    def now(self) -> bool:
        """True when the loop should save its state and stop."""
        return self.term or (self.deadline is not None and time.time() > self.deadline)

    def error(self, step: int, steps: int) -> SeedlotError:
        """The error with which an unfinished job ends, so that the next attempt continues it."""
        why = "SIGTERM" if self.term else "the time limit is near"
        return SeedlotError(
            f"training stopped after step {step} of {steps}: {why}; the state is saved",
            todo="run the same target again: it continues from here (the cluster profile's `retries` do so)",
        )


def order(seed: int, epoch: int, n: int) -> list[int]:
    """The order of `n` samples in an epoch, a function of seed and epoch alone."""
    word = hashlib.sha256(f"order/{seed}/{epoch}".encode()).digest()[:8]
    generator = torch.Generator().manual_seed(int.from_bytes(word, "big") >> 1)
    return torch.randperm(n, generator=generator).tolist()
