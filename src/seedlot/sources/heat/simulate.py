"""Simulated heat-equation solutions in PDEBench's 1-D HDF5 layout.

Datasets `tensor` (sample, time, x) in float32, `x-coordinate` and `t-coordinate`; the diffusivity stands in the
file attribute `nu`. As in the published files the time coordinate has one entry more than there are frames.
The solution is exact: each Fourier mode k of the initial field decays by exp(-nu (2 pi k)^2 t).
"""

from __future__ import annotations

import io
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from seedlot.catalog.manifest import Row
from seedlot.catalog.simulated import simulate
from seedlot.store.job import Job

MODES = 8  # initial fields hold the wave numbers 0 to 8 with amplitudes falling as 1/(1+k)


def solve(n: int, n_x: int, n_t: int, nu: float, dt: float, seed: int) -> np.ndarray:
    """`n` solutions, float64 of shape (n, n_t, n_x), from random smooth initial fields."""
    rng = np.random.default_rng(seed)
    k = np.arange(MODES + 1)
    amplitude = (rng.standard_normal((n, k.size)) + 1j * rng.standard_normal((n, k.size))) / (1 + k)
    decay = np.exp(-nu * (2 * np.pi * k) ** 2 * dt * np.arange(n_t)[:, None])
    waves = np.exp(2j * np.pi * np.outer(k, np.arange(n_x) / n_x))
    return np.einsum("nk,tk,kx->ntx", amplitude, decay, waves).real


def raw_bytes(row: Row) -> bytes:
    """The HDF5 file of one manifest row (`sim:heat1d?n=..&nx=..&nt=..&nu=..&dt=..&seed=..`)."""
    import h5py

    query = dict(parse_qsl(urlsplit(row.url).query))
    n, n_x, n_t = (int(query[key]) for key in ("n", "nx", "nt"))
    nu, dt = float(query["nu"]), float(query["dt"])
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver="earliest") as file:
        field = solve(n, n_x, n_t, nu, dt, int(query["seed"])).astype("float32")
        file.create_dataset("tensor", data=field, track_times=False)
        file.create_dataset("x-coordinate", data=(np.arange(n_x) / n_x).astype("float32"), track_times=False)
        file.create_dataset(
            "t-coordinate", data=(dt * np.arange(n_t + 1)).astype("float32"), track_times=False
        )
        file.attrs["nu"] = nu
    return buffer.getvalue()


def run(job: Job) -> None:
    """Write the raw files of the rows of one receipt."""
    rows = [Row.from_dict(row) for row in job.params["rows"]]
    simulate(rows, job.root, "heat", job.output["receipt"], raw_bytes)
