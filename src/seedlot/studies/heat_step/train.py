"""Train u(t + dt) = W u(t), W a full matrix on the grid, on the training simulations."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import polars as pl
import torch
import zarr
from safetensors.torch import save

from seedlot.contracts.gate import require_pass
from seedlot.store.atomic import read_json, write_bytes
from seedlot.store.job import Job
from seedlot.training.checkpoint import Checkpoints, Leave, order


def pairs(manifest: Path, simulations: Path, split: str) -> tuple[torch.Tensor, torch.Tensor]:
    """(u(t), u(t + dt)) of every frame but the last, float64 of shape (pairs, x), in row order."""
    store = manifest.parent / read_json(manifest)["store"]
    rows = pl.read_parquet(simulations).filter(pl.col("split") == split)["row"].sort().to_numpy()
    u = torch.from_numpy(np.asarray(zarr.open_group(store, mode="r")["u"][:])[rows].astype(np.float64))
    n_x = u.shape[2]
    return u[:, :-1].reshape(-1, n_x), u[:, 1:].reshape(-1, n_x)


def run(job: Job) -> None:
    """Train, continuing from the newest whole checkpoint; equal weights with and without interruption."""
    require_pass(job.path("verdict"), ["core_heat__simulations"])
    torch.set_num_threads(job.threads)
    p = job.params
    before, after = pairs(job.path("fields"), job.path("simulations"), "train")
    lot = read_json(job.path("fields"))["lot"]
    key = hashlib.sha256(json.dumps([lot, job.code, dict(p)], sort_keys=True).encode()).hexdigest()
    kept = Checkpoints(job.output["weights"].parent / "checkpoints", key)

    w = torch.zeros(before.shape[1], before.shape[1], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([w], lr=p["learning_rate"])
    per_epoch = -(-len(before) // p["batch"])
    steps = p["epochs"] * per_epoch
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    step, losses = 0, []
    if (saved := kept.newest()) is not None:
        step, state = saved
        with torch.no_grad():
            w.copy_(state["w"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        losses = state["losses"]

    with Leave(job.deadline) as leave:
        while step < steps:
            epoch, place = divmod(step, per_epoch)
            chosen = order(p["seed"], epoch, len(before))[place * p["batch"] : (place + 1) * p["batch"]]
            loss = ((before[chosen] @ w.T - after[chosen]) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
            step += 1
            if step % p["save_every"] == 0 or step == steps or leave.now():
                state = {"w": w.detach(), "optimiser": optimiser.state_dict()}
                state |= {"schedule": schedule.state_dict(), "losses": losses}
                kept.save(step, state, done=step == steps)
                if leave.now() and step < steps:
                    raise leave.error(step, steps)
    write_bytes(job.output["weights"], save({"w": w.detach().contiguous()}))
    curve = pl.DataFrame({"step": np.arange(1, steps + 1, dtype=np.int32), "train_mse": losses})
    curve.write_parquet(job.output["curve"], compression="zstd")
