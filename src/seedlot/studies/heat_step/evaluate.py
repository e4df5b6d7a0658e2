"""Held-out error of the trained step beside two anchors: repeating the last frame, and the exact propagator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from safetensors.numpy import load_file

from seedlot.report.ledger import method_check, write_ledger
from seedlot.store.job import Job
from seedlot.studies.heat_step.train import pairs

MODES = 8  # the simulated initial fields hold no higher wave number


def propagator(n_x: int, nu: float, dt: float) -> np.ndarray:
    """The exact step on n_x periodic grid points, float64 of shape (n_x, n_x)."""
    k = np.fft.fftfreq(n_x, 1 / n_x)
    decay = np.exp(-nu * (2 * np.pi * k) ** 2 * dt)
    return np.fft.ifft(decay[:, None] * np.fft.fft(np.eye(n_x), axis=0), axis=0).real


def multipliers(w: np.ndarray) -> np.ndarray:
    """How much a matrix on the grid multiplies each wave number 0..MODES: the real Rayleigh quotient."""
    n_x = len(w)
    waves = np.exp(2j * np.pi * np.outer(np.arange(MODES + 1), np.arange(n_x)) / n_x)
    return np.einsum("ki,ij,kj->k", waves.conj(), w, waves).real / n_x


def relative_error(predicted: np.ndarray, truth: np.ndarray) -> float:
    """Relative L2 error over all samples."""
    return float(np.linalg.norm(predicted - truth) / np.linalg.norm(truth))


def run(job: Job) -> None:
    """Write the table of errors, the multipliers and the ledger."""
    before, after = (part.numpy() for part in pairs(job.path("fields"), job.path("simulations"), "test"))
    first = pl.read_parquet(job.path("simulations")).row(0, named=True)
    w = load_file(job.path("weights"))["w"]
    exact = propagator(len(w), first["nu"], first["dt"])
    errors = {
        "repeat the last frame": relative_error(before, after),
        "trained step": relative_error(before @ w.T, after),
        "exact propagator": relative_error(before @ exact.T, after),
    }
    pl.DataFrame({"model": list(errors), "relative_error": list(errors.values())}).write_parquet(
        job.output["errors"]
    )
    found, true = multipliers(w), multipliers(exact)
    modes = pl.DataFrame({"wave_number": np.arange(MODES + 1), "trained": found, "exact": true})
    modes.write_parquet(job.output["modes"])

    claims = Path(__file__).with_name("claims.yaml")
    ratio = errors["trained step"] / errors["repeat the last frame"]
    worst = float(np.abs(found - true).max())
    rows = [
        method_check(claims, "heat_step", "beats_persistence", ratio, len(before), "heat_step"),
        method_check(claims, "heat_step", "finds_the_propagator", worst, MODES + 1, "heat_step"),
    ]
    write_ledger(job.output["ledger"], rows)
