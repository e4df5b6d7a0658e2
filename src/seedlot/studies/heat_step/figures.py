"""Figure: held-out error with its anchors, and the multiplier of each wave number against the exact one."""

from __future__ import annotations

import polars as pl

from seedlot.report.plot import save_figure
from seedlot.store.job import Job


def run(job: Job) -> None:
    """Draw errors and multipliers of the trained step."""
    import matplotlib.pyplot as plt

    errors, modes = pl.read_parquet(job.path("errors")), pl.read_parquet(job.path("modes"))
    fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")
    names, values = errors["model"].to_list(), errors["relative_error"].to_list()
    left.barh(names, values, color=["#BBBBBB", "#0072B2", "#E69F00"])
    left.set_xscale("log")
    left.set_xlabel("relative L2 error on held-out pairs")
    for place, value in enumerate(values):
        left.annotate(
            f"{value:.1e}", (value, place), (4, 0), textcoords="offset points", va="center", fontsize=8
        )
    left.margins(x=0.35)
    right.plot(modes["wave_number"], modes["exact"], color="#E69F00", label="exact: exp(−ν(2πk)²Δt)")
    right.plot(modes["wave_number"], modes["trained"], "o", color="#0072B2", label="trained matrix")
    right.axhline(1, color="#BBBBBB", linewidth=1, linestyle="--", label="repeat the last frame")
    right.set_xlabel("wave number k")
    right.set_ylabel("multiplier over one step Δt")
    right.legend(frameon=False, fontsize=8)
    fig.suptitle("Heat equation, one step: simulated data", fontsize=10)
    data = pl.concat(
        [
            errors.select("model", value="relative_error").with_columns(wave_number=pl.lit(None, pl.Int64)),
            modes.unpivot(index="wave_number", variable_name="model").select("model", "value", "wave_number"),
        ]
    )
    save_figure(fig, job.output["svg"], data.to_arrow(), job.output["data"])
