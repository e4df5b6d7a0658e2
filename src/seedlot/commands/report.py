"""seedlot report"""

from __future__ import annotations

import argparse

from seedlot.commands import _shared
from seedlot.config.errors import SeedlotError

HELP = "write the front page over all runs again and print where it is"
EXAMPLE = "seedlot report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The root."""
    _shared.add_root(parser)


def run(args: argparse.Namespace) -> int:
    """Write `<root>/report/index.html` from the runs' summaries; the runs' own pages are the workflow's."""
    from seedlot.report.site import front

    folder = args.root / "report"
    if not any(folder.glob("*/summary.json")):
        raise SeedlotError(
            "no run has a report here", where=str(folder), todo="run `make demo`, or pass --root"
        )
    front(folder)
    print(f"report at {(folder / 'index.html').resolve()}")
    return 0
