"""Run the contenders of a row against each other, a round at a time, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.model import Row, Sample, loaded

REPO = Path(__file__).resolve().parents[2]
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)


def environment() -> dict[str, str]:
    """This environment with every thread pool at one thread and the package of this clone on the path."""
    own = dict.fromkeys(ONE_THREAD, "1") | {"PYTHONHASHSEED": "0"}
    return os.environ | own | {"PYTHONPATH": f"{REPO / 'src'}{os.pathsep}{REPO}"}


class Runner:
    """The process of one contender, waiting for rounds."""

    def __init__(self, row: Row, contender: str, folder: Path, size: int):
        self.name, self.peak_mib = f"{row.name}, {contender}", 0.0
        command = [sys.executable, "-m", "tests.benchmarks.worker", row.name, contender, folder, str(size)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=REPO, env=environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        self.first_call_cpu_s = self._answer()["first_call_cpu_s"]

    def round(self) -> Sample:
        """One timed call."""
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        told = self._answer()
        self.peak_mib = told["peak_mib"]
        return Sample(told["cpu"], told["wall"], told["answer"])

    def _answer(self) -> dict[str, Any]:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended:\n{self.process.stderr.read()[-3000:]}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()


def run_row(row: Row, *, quick: bool) -> dict[str, Any]:
    """All rounds of a row as plain values for the results file.

    Raises RuntimeError when a contender fails or when answers differ: then the times compare unequal work.
    """
    size, rounds = row.sizes[quick], 3 if quick else row.rounds
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="seedlot-bench-") as tmp:
        folder = Path(tmp)
        row.prepare(folder, size)
        runners: dict[str, Runner] = {}
        try:
            for name in row.contenders:
                runners[name] = Runner(row, name, folder, size)
            samples: dict[str, list[Sample]] = {name: [] for name in runners}
            for number in range(rounds):
                order = list(runners) if number % 2 == 0 else list(runners)[::-1]
                for name in order:
                    samples[name].append(runners[name].round())
        finally:
            for runner in runners.values():
                runner.close()
    _same_answers(row, samples)
    noisy = loaded(samples, load, row.threads)
    contenders = {
        name: {
            "about": row.contenders[name].about,
            "cpu_s": [one.cpu for one in own],
            "wall_s": [one.wall for one in own],
            "first_call_cpu_s": runners[name].first_call_cpu_s,
            "peak_mib": runners[name].peak_mib,
        }
        for name, own in samples.items()
    }
    measures = []
    for one in row.summarise(samples):
        low, middle, high = one.quartiles()
        measures.append(
            {
                "name": one.name,
                "median": middle,
                "quartiles": [low, high],
                "unit": one.unit,
                "clock": one.by,
                "target": one.target,
                "bound": None if one.target is None else "at least" if one.at_least else "at most",
                "verdict": one.verdict(noisy),
                "by_median": one.by_median(),
            }
        )
    head = {
        "title": row.title.format(size=size),
        "note": row.note,
        "size": size,
        "rounds": rounds,
        "loaded": noisy,
    }
    answer = next(iter(samples.values()))[0].answer
    return head | {"load_before": load, "answer": answer, "measures": measures, "contenders": contenders}


def _same_answers(row: Row, samples: dict[str, list[Sample]]) -> None:
    bound = [name for name, one in row.contenders.items() if one.shares_answer]
    seen = {name: json.dumps([one.answer for one in samples[name]]) for name in bound}
    if len(set(seen.values())) > 1:
        shown = {name: text[:200] for name, text in seen.items()}
        raise RuntimeError(f"{row.name}: the contenders do not agree, so their times do not compare: {shown}")
