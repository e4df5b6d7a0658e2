"""seedlot trace"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seedlot.catalog.receipts import read_receipt
from seedlot.commands import _shared
from seedlot.config.errors import SeedlotError
from seedlot.store import lineage

HELP = "walk from a figure, table or ledger back to raw files, their sha256 and URLs"
EXAMPLE = "seedlot trace results/figures/demo/lgd_na/curves.svg"
MOST_FILES, MOST_JOBS = 3, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file and the root."""
    parser.add_argument("file", type=Path, help="any file that a rule wrote")
    _shared.add_root(parser)
    parser.add_argument("--all", action="store_true", help="fold nothing")
    parser.add_argument("--json", action="store_true", help="print the whole chain as JSON")


def chain(file: Path, root: Path) -> list[dict[str, Any]]:
    """Steps from `file` back to raw, see `chain_of`. Raises SeedlotError when no lineage record names the file."""
    if file == root / "report" / "index.html":
        raise SeedlotError(
            "the front page lists what runs left and is no product of one",
            where=str(file),
            todo=f"name the page of a run, such as {root}/report/RUN/index.html",
        )
    if lineage.Sidecars.scan(root).of(file) is None:
        raise SeedlotError(
            "no lineage record names this file",
            where=str(file),
            todo="name a file below the results root that a rule wrote; --root tells another root",
        )
    return chain_of([file], root)


def chain_of(files: Iterable[Path], root: Path) -> list[dict[str, Any]]:
    """Steps from several files back to raw, each job once and before the jobs it read from; raw comes last.

    Files without a record are left out. A step has rule, height (jobs between it and raw), entry, code, versions,
    params, outputs, inputs and, for a receipt, raw: item, path, bytes, sha256, url, status of each file it brought.
    """
    sidecars = lineage.Sidecars.scan(root)
    steps: dict[str, dict[str, Any]] = {}

    def visit(path: Path) -> int:
        """Add the job that wrote `path` and all behind it; its height, -1 for a file without a record."""
        record = sidecars.of(path)
        if record is None:
            return -1
        key = min(record["outputs"])
        if key not in steps:
            steps[key] = {"rule": record["rule"], "height": 0}  # before its inputs: a loop cannot be endless
            height = 1 + max((visit(lineage.absolute(name, root)) for name in record["inputs"]), default=-1)
            steps[key] = _step(record, path, height)
        return steps[key]["height"]

    for file in files:
        visit(file)
    return sorted(steps.values(), key=lambda step: (-step["height"], step["rule"], min(step["outputs"])))


def _step(record: dict[str, Any], path: Path, height: int) -> dict[str, Any]:
    kept = {name: record[name] for name in ("entry", "code", "versions", "outputs", "inputs")}
    params = {name: value for name, value in record["params"].items() if name != "rows"}
    step = {"rule": record["rule"], "height": height} | kept | {"params": params}
    if path.parent.name == "receipts" and path.is_file():
        step["raw"] = [{k: getattr(r, k) for k in ("item", "path", "bytes", "sha256", "url", "status")}
                       for r in read_receipt(path)]  # fmt: skip
    return step


def releases_of(steps: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    """(source, release) of the raw files at the end of a chain, sorted: raw/<source>/<origin>/<release>/…"""
    paths = [raw["path"].split("/") for step in steps for raw in step.get("raw", []) if raw["path"]]
    return sorted({(parts[1], parts[3]) for parts in paths})


def run(args: argparse.Namespace) -> int:
    """Print the chain, repeated inputs and jobs folded; 1 when the file is not what its record says."""
    steps = chain(args.file, args.root)
    told = steps[0]["outputs"][lineage.relative(args.file, args.root)]
    same = args.file.is_file() and lineage.file_sha256(args.file) == told["sha256"]
    if args.json:
        _shared.print_json(steps)
    else:
        _print(steps, args.all)
        raw = {raw["path"] for step in steps for raw in step.get("raw", []) if raw["path"]}
        print(f"{len(steps)} jobs, {len(raw)} raw files")
    if not same:
        state = "was changed after its rule wrote it" if args.file.exists() else "is gone"
        raise SeedlotError(
            f"the file {state}; above is how it was made", where=str(args.file), todo="seedlot audit"
        )
    return 0


def _print(steps: list[dict[str, Any]], every: bool) -> None:
    """Steps as sorted, those of one rule and height together."""
    groups: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for step in steps:
        groups.setdefault((step["height"], step["rule"]), []).append(step)
    for (_, rule), jobs in groups.items():
        shown = jobs if every or len(jobs) <= MOST_JOBS + 1 else jobs[:MOST_JOBS]
        for step in shown:
            _print_job(step, every)
        if len(shown) < len(jobs):
            print(f"… and {len(jobs) - len(shown)} more jobs of {rule} (--all shows them)")


def _print_job(step: dict[str, Any], every: bool) -> None:
    print(f"{step['rule']}  (code {step['code'] or 'not hashed'})")
    for word, files in (("wrote", step["outputs"]), ("from", step["inputs"])):
        for line in _file_lines(files, every):
            print(f"  {word:<6} {line}")
    lines = [f"{r['item']}: {_sha(r['sha256'], True)}  {r['url']}" + ("" if r["status"] == "ok" else f"  [{r['status']}]")
             for r in step.get("raw", [])]  # fmt: skip
    for line in lines if every else _shared.folded(lines, MOST_FILES):
        print(f"  raw    {line}")


def _file_lines(files: dict[str, Any], every: bool) -> Iterable[str]:
    """One line per file; the files of one folder are folded."""
    folders: dict[str, list[str]] = {}
    for name, told in sorted(files.items()):
        short = name.removeprefix("root:") if name.startswith("root:") else f"{name} (committed)"
        folders.setdefault(name.rpartition("/")[0], []).append(f"{short}  {_sha(told['sha256'], every)}")
    for folder in folders.values():
        yield from folder if every else _shared.folded(folder, MOST_FILES)


def _sha(digest: str, whole: bool) -> str:
    if not digest:
        return "no sha256"
    return f"sha256 {digest if whole else digest[:16] + '…'}"
