"""seedlot accept"""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seedlot.catalog.locks import commit_locks, lock_files, read_locks
from seedlot.commands import _shared
from seedlot.config.errors import SeedlotError, unknown
from seedlot.report.lock import LOCK, Locked, read_lock, write_lock
from seedlot.store.parquet import read_table

HELP = "commit what a run showed: row counts, first values of claims, digests of fetched files"
EXAMPLE = (
    'seedlot accept counts core_networks__nets --run demo --reason "two networks were added"\n'
    '  seedlot accept claims lgd_na --reason "first run on the whole catalogue"\n'
    "  seedlot accept digests networks"
)
EXPECTED = Path("resources/expected")
MANIFESTS = Path("resources/manifests")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to accept: counts, claims or digests."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="{counts,claims,digests}")
    counts = kinds.add_parser(
        "counts", help="record row counts from verdicts in resources/expected/<run>.tsv"
    )
    counts.add_argument("table", nargs="*", help="tables (default: all that were judged)")
    counts.add_argument(
        "--lots", action="store_true", help="pin the content too, not only the number of rows"
    )
    claims = kinds.add_parser("claims", help=f"record first measurements in {LOCK}")
    claims.add_argument("study", nargs="*", help="studies (default: all with a ledger)")
    digests = kinds.add_parser(
        "digests", help="gather digests of a first fetch in resources/manifests/<source>.lock.tsv"
    )
    digests.add_argument("source", help="the source")
    for kind in (counts, claims):
        _shared.add_root(kind, run=True)
        kind.add_argument("--reason", required=True, help="one line: why this is right")
    _shared.add_root(digests)


def run(args: argparse.Namespace) -> int:
    """Record, and print what changed."""
    _shared.demand_clone()
    {"counts": _counts, "claims": _claims, "digests": _digests}[args.kind](args)
    return 0


def today() -> str:
    """The date of an acceptance, YYYY-MM-DD."""
    return dt.date.today().isoformat()


def _counts(args: argparse.Namespace) -> None:
    from seedlot.contracts.accept import accept_verdict, read_expected
    from seedlot.contracts.gate import read_verdict

    folder = args.root / "datasets" / args.run_name
    verdicts = {path: read_verdict(path)["tables"] for path in sorted(folder.glob("_work/*/verdict.json"))}
    if not verdicts:
        raise SeedlotError("no verdict here", where=str(folder), todo="run the workflow first, or pass --run")
    judged = {table: (path, told) for path, tables in verdicts.items() for table, told in tables.items()}
    for table in args.table:
        if table not in judged:
            raise unknown("table", table, judged, where=str(folder))
    path = EXPECTED / f"{args.run_name}.tsv"
    before = read_expected(path)
    changed = []
    for verdict, tables in verdicts.items():
        names = [t for t in tables if not args.table or t in args.table]
        changed += accept_verdict(
            verdict, path, reason=args.reason, date=today(), tables=names, with_lots=args.lots
        )
    for new in sorted(changed, key=lambda entry: entry.table):
        old = before[new.table].rows if new.table in before else "none"
        print(f"{new.table}: {old} -> {new.rows} rows" + (f", lot {new.lot[:16]}…" if new.lot else ""))
        _print_other_failures(new.table, judged[new.table][1])
    print(
        f"{len(changed)} of {len(args.table or judged)} tables changed in {path}"
        if changed
        else f"{path} says so already"
    )


def _print_other_failures(table: str, told: Mapping[str, Any]) -> None:
    """An accepted count does not mend other broken promises: say so."""
    rest = [check for check in told["failed"] if not check["check"].startswith("expected")]
    for check in rest:
        print(
            f"  {table} still fails: {check['subject']} {check['words']}, {check['seen']} against {check['expected']}"
        )


def _claims(args: argparse.Namespace) -> None:
    from seedlot.commands.claims import ledgers
    from seedlot.contracts.model import PACKAGE
    from seedlot.report.ledger import text_digests

    if not args.reason.strip() or not args.reason.isprintable():
        raise SeedlotError(
            "a reason is one line of text", todo="say why this measurement counts as the first"
        )
    lock = read_lock(LOCK)
    files = {path.parent.name: path for path in ledgers(args.root, args.run_name)}
    for study in args.study:
        if study not in files:
            raise unknown("study", study, files, where=str(args.root / "studies" / args.run_name))
    added = kept = unmeasured = 0
    for study in args.study or sorted(files):
        texts = PACKAGE / "studies" / study / "claims.yaml"
        commit = committed(texts)
        digests = text_digests(texts)
        for row in read_table([files[study]]).to_pylist():
            if digests.get(row["claim"]) != row["text_digest"]:
                raise SeedlotError(
                    f"the ledger measured another text of claim '{row['claim']}' than claims.yaml holds now",
                    where=str(texts), todo=f"run snakemake --cores 2 {study}, then repeat",
                )  # fmt: skip
            if row["value"] is None:
                unmeasured += 1
            elif (study, row["claim"]) in lock:
                kept += 1
            else:
                lock[study, row["claim"]] = Locked(
                    study, row["claim"], row["text_digest"], commit, repr(row["value"]), row["unit"], row["evidence"],
                    args.run_name, today(), args.reason.strip(),
                )  # fmt: skip
                added += 1
                print(f"{study} / {row['claim']}: {row['value']:.4g} {row['unit']}")
    write_lock(LOCK, lock.values())
    print(
        f"{added} first values recorded in {LOCK}, {kept} were there before and stay, {unmeasured} not measured"
    )


def committed(texts: Path) -> str:
    """The commit that last changed a file, 12 digits, '' outside git. Raises SeedlotError for uncommitted edits."""
    changes = _shared.git("status", "--porcelain", "--", str(texts))
    if changes is None:
        return ""
    if changes:
        raise SeedlotError(
            "the text of the claims must be committed before their first value counts",
            where=str(texts),
            todo=f"git add {texts} && git commit",
        )
    return (_shared.git("log", "-1", "--format=%H", "--", str(texts)) or "")[:12]


def _digests(args: argparse.Namespace) -> None:
    from seedlot.workflow.model import plugins

    if args.source not in plugins("sources"):
        raise unknown("source", args.source, plugins("sources"))
    committed_lock = MANIFESTS / f"{args.source}.lock.tsv"
    files = lock_files(args.root, args.source, committed_lock)
    if not files:
        raise SeedlotError(
            f"no fetch of '{args.source}' recorded a digest",
            where=str(args.root / "raw" / args.source),
            todo="nothing to accept: its manifests state every digest, or nothing was fetched yet",
        )
    before = len(read_locks([committed_lock])) if committed_lock.exists() else 0
    path = commit_locks(args.root, args.source, MANIFESTS)
    now = len(read_locks([path]))
    print(f"{now - before} digests added, {now} in {path}: commit it")
