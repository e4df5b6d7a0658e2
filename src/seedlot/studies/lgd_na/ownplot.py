"""Curves of a user's own dismantling results as one SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seedlot.report import plot
from seedlot.store.atomic import write_text


def draw(svg: Path, results: list[tuple[str, Any]]) -> None:
    """One panel per file: LCC as a share of its nodes against the share removed, one line per result."""
    files = list(dict.fromkeys(file for file, _ in results))
    with plot.style():
        fig = plot.new_figure(4.2 * len(files) + 0.4, 3.4)
        for ax, file in zip(fig.subplots(1, len(files), squeeze=False)[0], files):
            for k, one in enumerate(result for name, result in results if name == file):
                q = [step / one.lcc_n for step in range(len(one.curve))]
                name = one.method if one.reinsert == "none" else f"{one.method} + {one.reinsert}"
                ax.plot(q, [size / one.lcc_n for size in one.curve], label=name, **_look(k))
            ax.axhline(one.stop, color="#666666", linewidth=0.8, linestyle=":")
            ax.set(
                title=file, xlabel="share of nodes removed", ylabel="largest component / n", ylim=(0, 1.02)
            )
            ax.legend()
        write_text(svg, plot.svg_text(fig))


def _look(k: int) -> dict[str, Any]:
    """Colour and line style of the k-th curve: when the colours are used up they return dashed, then dotted."""
    turn, colour = divmod(k, len(plot.PALETTE))
    return {"color": plot.PALETTE[colour], "linestyle": ("-", "--", ":")[turn % 3]}
