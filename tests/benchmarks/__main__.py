"""`python -m tests.benchmarks`: run the rows, print a table, write the results file and the page."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime

from tests.benchmarks import page
from tests.benchmarks.race import REPO, run_row
from tests.benchmarks.rows import all_rows

RESULTS = REPO / "results" / "benchmarks" / "networks.json"
PAGE = REPO / "docs" / "benchmarks.md"
EXAMPLE = """example:
  python -m tests.benchmarks --quick --only integer_edges    a minute, small inputs, nothing written
  python -m tests.benchmarks --only growth_cnd_ba            one row in full, renewed in the results and the page
  make bench                                                 every row"""


def main(arguments: list[str] | None = None) -> int:
    """Run the rows that the arguments choose; 1 when a target is missed beyond noise or a row failed."""
    rows = all_rows()
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Ratios against what you would pick instead. Verdicts: met, missed, or noisy on a loaded machine.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only", metavar="NAME", action="append", choices=list(rows), help="a row, repeatable"
    )
    parser.add_argument("--quick", action="store_true", help="small inputs, 3 rounds; writes no file")
    parser.add_argument("--list", action="store_true", help="names of the rows")
    chosen = parser.parse_args(arguments)
    if chosen.list:
        print("\n".join(f"{name:28} {row.title}" for name, row in rows.items()))
        return 0
    stored = json.loads(RESULTS.read_text())["rows"] if chosen.only and RESULTS.exists() else {}
    failed = []
    for name in chosen.only or rows:
        stamp = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "commit": page.commit()}
        try:
            stored[name] = stamp | run_row(rows[name], quick=chosen.quick)
        except RuntimeError as error:
            failed.append(name)
            print(f"{name}: failed\n{error}", file=sys.stderr)
            continue
        print(page.terminal(name, stored[name]), flush=True)
        if not chosen.quick:
            write({"machine": page.machine(), "rows": {k: stored[k] for k in rows if k in stored}})
    verdicts = [one["verdict"] for row in stored.values() for one in row["measures"]]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in ("met", "missed", "noisy", "reported"))
    print(f"{counts}; rows that failed: {', '.join(failed) or 'none'}")
    if not chosen.quick:
        print(f"results: {RESULTS}\npage: {PAGE}")
    return int(bool(failed) or "missed" in verdicts)


def write(results: dict) -> None:
    """The results file and the page, after every row, so that an interrupted run keeps what it has."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    PAGE.write_text(page.markdown(results))


if __name__ == "__main__":
    sys.exit(main())
