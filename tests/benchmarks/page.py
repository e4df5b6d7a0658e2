"""The results as a short table, for the terminal and for docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.race import REPO

LIBRARIES = ("numpy", "scipy", "numba", "pyarrow", "networkx", "igraph", "networkit", "snakemake")


def commit() -> str:
    """Short commit of the clone, '+' behind it when tracked files differ from it."""
    git = ["git", "-C", str(REPO)]
    name = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "src", "tests/benchmarks"], check=False)
    return name.stdout.strip() + ("+" if changed.returncode else "")


def machine() -> dict[str, Any]:
    """Processor, cores, memory and versions."""
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = {name: version(name) for name in LIBRARIES}
    return {
        "processor": cpu,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory),
        "python": platform.python_version(),
        "libraries": libraries,
    }


def number(value: float, unit: str) -> str:
    """Three significant digits, thousands with commas."""
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{shown} {unit}".strip()


def table(row: dict[str, Any]) -> list[list[str]]:
    """Cells of one row: measure, median, quartiles, target, verdict, by median."""
    out = []
    for one in row["measures"]:
        low, high = (number(x, "") for x in one["quartiles"])
        target = "" if one["target"] is None else f"{one['bound']} {number(one['target'], one['unit'])}"
        clock = "" if one["name"].endswith(one["clock"]) or one["clock"] == "count" else f" ({one['clock']})"
        cells = [one["name"] + clock, number(one["median"], one["unit"]), f"{low} to {high}", target]
        verdict = "" if one["target"] is None else one["verdict"]
        if verdict == "noisy":
            verdict = f"noisy ({one['by_median']} by the median)"
        out.append([*cells, verdict])
    return out


def terminal(name: str, row: dict[str, Any]) -> str:
    """A row for the terminal."""
    head = f"{name}: {row['title']}" + (", machine loaded" if row["loaded"] else "")
    lines = [f"  {a:44} {b:>12}  {c:24} {d:18} {e}".rstrip() for a, b, c, d, e in table(row)]
    return "\n".join([head, *lines])


def markdown(results: dict[str, Any]) -> str:
    """docs/benchmarks.md."""
    box = results["machine"]
    libraries = ", ".join(f"{name} {text}" for name, text in box["libraries"].items())
    out = [
        "# Benchmarks",
        "",
        f"Written by `make bench` on {box['processor']}, {box['cores']} cores, {box['memory_gib']} GiB, "
        f"Python {box['python']}; {libraries}. All numbers, with every round, are in results/benchmarks/networks.json.",
        "",
        "Each contender runs in a process of its own with one thread (OMP, MKL, OpenBLAS, numba, polars); the contenders "
        "of a row take turns, the order of turns alternates, and all must give the same answer. Ratios are of CPU time, "
        "round by round: median and quartiles. Where other work held the processors (load average above the number of "
        "cores, or median wall time above 1.15 times CPU time), or where the quartiles lie on both sides of a target, "
        "the verdict is *noisy*. Ratios of CPU time change little on such a machine, so what the median says stands "
        "beside it. Peak memory is that of the whole process, libraries included.",
        "",
    ]
    for name, row in results["rows"].items():
        out += [f"## {row['title']}", ""]
        loaded = ", machine loaded" if row["loaded"] else ""
        stamp = f"`{name}`, {row['date']}, commit {row['commit']}, {row['rounds']} rounds"
        out += [f"{stamp}, load {row['load_before']:.1f}{loaded}.", ""]
        if row["note"]:
            out += [row["note"], ""]
        out += ["| measure | median | quartiles | target | verdict |", "| --- | ---: | --- | --- | --- |"]
        out += ["| " + " | ".join(cells) + " |" for cells in table(row)]
        out += [
            "",
            "| contender | CPU s, median | wall s, median | peak MiB | does |",
            "| --- | ---: | ---: | ---: | --- |",
        ]
        for contender, told in row["contenders"].items():
            cpu, wall = (sorted(told[key])[len(told[key]) // 2] for key in ("cpu_s", "wall_s"))
            cells = [
                contender,
                number(cpu, ""),
                number(wall, ""),
                number(told["peak_mib"], ""),
                told["about"],
            ]
            out.append("| " + " | ".join(cells) + " |")
        out.append("")
    return "\n".join(out)
