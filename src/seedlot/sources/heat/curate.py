"""PDEBench-layout HDF5 -> a Zarr array of fields and core_heat__simulations, its index."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seedlot.catalog.manifest import Row
from seedlot.catalog.receipts import fetched
from seedlot.config.errors import SeedlotError
from seedlot.contracts.model import contract
from seedlot.store.atomic import write_json
from seedlot.store.job import Job
from seedlot.store.lot import zarr_lot
from seedlot.store.parquet import write_table
from seedlot.store.rejects import write_items, write_rejects
from seedlot.store.zarrstore import ArraySpec, zarr_writer

FIELDS = "core_heat__fields@1.0.0"


def split_of(simulation: str, test_share: float) -> str:
    """'test' or 'train', a function of the identifier alone, so that later additions move nobody."""
    share = int.from_bytes(hashlib.sha256(simulation.encode()).digest()[:8], "big") / 2**64
    return "test" if share < test_share else "train"


def read(path: Path) -> tuple[np.ndarray, float, float]:
    """(field of shape (sample, time, x) float32, dt, nu) of one file. Raises SeedlotError for another layout."""
    import h5py

    with h5py.File(path, "r") as file:
        for name in ("tensor", "t-coordinate"):
            if name not in file:
                raise SeedlotError(f"no dataset '{name}'; seen: {sorted(file)}", where=str(path))
        field, times = file["tensor"][:], file["t-coordinate"][:].astype(float)
        if field.ndim != 3:
            raise SeedlotError(
                f"'tensor' must be (sample, time, x), seen shape {field.shape}", where=str(path)
            )
        if "nu" not in file.attrs:
            raise SeedlotError("no file attribute 'nu', the diffusivity", where=str(path))
        steps = np.diff(times[: field.shape[1]])
        if not np.allclose(steps, steps[0], rtol=1e-4):
            raise SeedlotError("frames are not equally spaced in time", where=str(path))
        # rounding to six digits undoes the float32 of the published coordinate
        return field, float(f"{steps[0]:.6g}"), float(file.attrs["nu"])


def run(job: Job) -> None:
    """Curate one shard: fields to a Zarr store beside the declared manifest, one index row per simulation."""
    rows = {r["item"]: Row.from_dict(r) for r in job.params["rows"]}
    fields: list[np.ndarray] = []
    index: list[dict[str, Any]] = []
    items, rejects = [], []
    for receipt in fetched(job.paths("receipts"), items):
        field, dt, nu = read(job.root / receipt.path)
        good = np.isfinite(field).all(axis=(1, 2))
        for number, keep in enumerate(good):
            if not keep:
                bad = {"item": receipt.item, "file": Path(receipt.path).name, "record": number + 1}
                rejects.append(bad | {"reason": "not_finite", "text": f"sample {number}"})
                continue
            name = f"{receipt.item}_{number:05d}"
            index.append(
                {
                    "simulation": name,
                    "row": len(index),
                    "nu": nu,
                    "dt": dt,
                    "n_x": field.shape[2],
                    "n_t": field.shape[1],
                    "split": split_of(name, job.params["test_share"]),
                    "evidence": "simulated" if rows[receipt.item].origin == "simulated" else "real",
                }
            )
        fields.append(field[good])
        counts = {"read": len(good), "kept": int(good.sum()), "rejected": int((~good).sum())}
        items.append({"item": receipt.item, "status": "ok", **counts})
    write_fields(job.output["fields"], np.concatenate(fields), index[0]["dt"])
    schema = contract("core_heat__simulations").arrow_schema()
    write_table(job.output["simulations"], pa.Table.from_pylist(index, schema=schema), schema, ["simulation"])
    write_items(job.output["outcomes"], items)
    write_rejects(job.output["rejects"], rejects)


def write_fields(manifest: Path, u: np.ndarray, dt: float) -> None:
    """Write `u` (simulation, time, x) beside `manifest` as <stem>.zarr, and the manifest with shape and lot."""
    n, n_t, n_x = u.shape
    store = manifest.with_suffix(".zarr")
    rows = min(n, 32)
    specs = {
        "u": ArraySpec(("simulation", "time", "x"), u.shape, "float32", (rows, n_t, n_x), (rows, n_t, n_x), "1",
                       "temperature"),
        "time": ArraySpec(("time",), (n_t,), "float64", (n_t,), (n_t,), "time", "time since the first frame"),
        "x": ArraySpec(("x",), (n_x,), "float64", (n_x,), (n_x,), "length", "position on the periodic interval"),
    }  # fmt: skip
    with zarr_writer(store, specs, {"equation": "du/dt = nu d2u/dx2"}) as writer:
        for start in range(0, n, rows):
            writer.write("u", u[start : start + rows], (start, 0, 0))
        writer.write("time", dt * np.arange(n_t))
        writer.write("x", np.arange(n_x) / n_x)
    write_json(
        manifest,
        {"store": store.name, "shape": list(u.shape), "contract": FIELDS, "lot": zarr_lot(store, FIELDS)},
    )
