"""The process of one contender: `python -m tests.benchmarks.worker ROW CONTENDER FOLDER SIZE`.

Reads `run` lines from standard input and answers each with one JSON line; ends at the end of input.
Threads are set by the environment before this process starts.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from pathlib import Path

from tests.benchmarks.model import Extrapolated
from tests.benchmarks.rows import load_row


def main(name: str, contender: str, folder: str, size: str) -> None:
    """Serve one contender."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not mix with the answers
    chosen = load_row(name).contenders[contender]
    once = chosen.make(Path(folder), int(size))
    if chosen.warm:
        once()
    started = {"first_call_cpu_s": cpu_seconds()}
    print(json.dumps(started), file=answers, flush=True)
    for _ in sys.stdin:
        gc.collect()
        wall, cpu = time.perf_counter(), cpu_seconds()
        answer = once()
        told = {"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - wall, "answer": answer}
        if isinstance(answer, Extrapolated):
            told = {"cpu": answer.cpu, "wall": answer.wall, "answer": answer.answer}
        told["peak_mib"] = max(own_peak_kib(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024
        print(json.dumps(told), file=answers, flush=True)


def own_peak_kib() -> int:
    """Peak resident memory of this process; ru_maxrss would keep that of the parent from before the exec."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))


def cpu_seconds() -> float:
    """CPU seconds of this process and of its children that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


if __name__ == "__main__":
    main(*sys.argv[1:])
