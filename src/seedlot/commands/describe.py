"""seedlot describe"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seedlot import api
from seedlot.catalog.releases import Release, load_releases
from seedlot.commands import _shared
from seedlot.commands.trace import chain_of, releases_of
from seedlot.config.errors import SeedlotError, unknown
from seedlot.contracts.croissant import File, Published, croissant
from seedlot.contracts.datasheet import section
from seedlot.contracts.model import Contract, contract, contract_files
from seedlot.store import lineage
from seedlot.store.atomic import write_text

HELP = "print the datasheet of a table: columns, units, key, verdict, lot, rejects, licence; write Croissant"
EXAMPLE = "seedlot describe core_networks__nets --croissant results/datasets/demo/croissant.json"
SOURCES = Path("resources/sources.tsv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The table, its root and run."""
    parser.add_argument("table", help="name of a published table or array, see `seedlot datasets`")
    _shared.add_root(parser, run=True)
    parser.add_argument(
        "--croissant",
        type=Path,
        metavar="OUT.json",
        help="write a Croissant 1.0 description with every file's sha256",
    )


def run(args: argparse.Namespace) -> int:
    """Print the datasheet as Markdown; with --croissant write the description too."""
    if api.stores(args.table, args.root, args.run_name):
        _print_arrays(args)
        return 0
    published = _published(args)
    if args.table not in contract_files():
        raise unknown("table", args.table, {*contract_files(), *published})
    built = args.table in published
    promised = contract(args.table)
    files = api.table_files(args.table, args.root, args.run_name) if built else []
    told = api.verdicts(args.root, args.run_name).get(args.table) if built else None
    print(section(promised, told, told["items"] if told else None))
    if told is not None:
        print(_rejects(args, told["subject"]))
    steps = chain_of(files, args.root)
    print(_provenance(steps))
    if built:
        print(
            f"Run `{args.run_name}`, {len(files)} files below `{files[0].parent}`; load it: `seedlot open {args.table}`."
        )
    if args.croissant is not None:
        if not built:
            raise SeedlotError(
                f"'{args.table}' is not built in run '{args.run_name}'", todo="run the workflow first"
            )
        made = describe(promised, files, args.croissant.parent, args.root, args.run_name, steps)
        write_text(args.croissant, json.dumps(made, indent=2, ensure_ascii=False) + "\n")
        print(f"wrote {args.croissant}")
    return 0


def _published(args: argparse.Namespace) -> list[str]:
    """What the run has published, [] when there is no such run yet."""
    exists = (args.root / "datasets" / args.run_name).is_dir()
    return api.tables(args.root, args.run_name) if exists else []


def known_releases(steps: Iterable[dict[str, Any]]) -> tuple[list[Release], list[str]]:
    """(rows of sources.tsv, 'source release' words without one) of the raw files behind a table."""
    catalogue = (
        {(row.source, row.release): row for row in load_releases(SOURCES)} if SOURCES.is_file() else {}
    )
    wanted = releases_of(steps)
    return [catalogue[k] for k in wanted if k in catalogue], [
        " ".join(k) for k in wanted if k not in catalogue
    ]


def _provenance(steps: list[dict[str, Any]]) -> str:
    """Licence and release date of every release whose raw files went into the table."""
    known, unknown_words = known_releases(steps)
    if not known and not unknown_words:
        return "No raw files behind it are recorded in this root.\n"
    lines = ["| Release | Licence | Redistribution | Added | Cite |", "| --- | --- | --- | --- | --- |"]
    for row in known:
        cells = (f"{row.source} {row.release}", row.licence, row.redistribution, row.added, row.citation)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    lines += [f"| {words} | as your manifest states | | | |" for words in unknown_words]
    return "\n".join(lines) + "\n"


def _rejects(args: argparse.Namespace, subject: str) -> str:
    """Reasons of the records that were not kept, over everything that was judged together with the table."""
    verdict = args.root / "datasets" / args.run_name / "_work" / subject / "verdict.json"
    record = lineage.Sidecars.scan(args.root).of(verdict)
    files = [lineage.absolute(n, args.root) for n in (record or {"inputs": {}})["inputs"] if "/rejects/" in n]
    if not files:
        return ""
    from seedlot.report.collect import rejects

    rows = rejects([path for path in files if path.is_file()])
    if not rows:
        return f"No record of {subject} was rejected.\n"
    lines = [f"| Rejected in {subject} | Records | Items | Example |", "| --- | --- | --- | --- |"]
    for row in rows:
        place = "" if row["line"] is None else f", line {row['line']}"
        text = row["text"].replace("|", "\\|").replace("`", "'")
        lines.append(
            f"| {row['reason']} | {row['rows']} | {row['items']} | {row['example']}{place}: `{text}` |"
        )
    return "\n".join(lines) + "\n"


def describe(
    promised: Contract, files: list[Path], folder: Path, root: Path, run: str, steps: list[dict[str, Any]]
) -> dict[str, Any]:
    """Croissant JSON-LD of one table, file paths relative to `folder`, digests recomputed.

    Raises SeedlotError for a file that its lineage record does not know or that was changed since, and when no
    release behind the table has a row in sources.tsv.
    """
    known, other = known_releases(steps)
    if not known:
        raise SeedlotError(
            f"no licence is known for '{promised.name}'", where=str(SOURCES),
            todo="add a row for each of: " + (", ".join(other) or "its releases"),
        )  # fmt: skip
    licences = sorted({row.licence for row in known})
    more = f" Also made from: {', '.join(other)}." if other else ""
    return croissant(
        name=f"{promised.name}-{run}",
        description=f"{promised.title}. {promised.description.strip()}{more}",
        licence=" AND ".join(licences),
        url=known[0].home,
        version=promised.version,
        citation="; ".join(dict.fromkeys(row.citation for row in known)),
        published=max(row.added for row in known),
        tables=[Published(promised, _digested(files, folder, root))],
    )


def _digested(files: list[Path], folder: Path, root: Path) -> list[File]:
    sidecars = lineage.Sidecars.scan(root)
    out = []
    with _shared.progress("hashing", sum(path.stat().st_size for path in files), "B") as bar:
        for path in files:
            record, name = sidecars.of(path), lineage.relative(path, root)
            sha256 = lineage.file_sha256(path)
            if record is None or record["outputs"][name]["sha256"] != sha256:
                raise SeedlotError(
                    "the file is not what a rule wrote",
                    where=str(path),
                    todo="run `seedlot audit --repair` first",
                )
            size = path.stat().st_size
            out.append(File(Path(os.path.relpath(path, folder)).as_posix(), size, sha256))
            bar.update(size)
    return out


def _print_arrays(args: argparse.Namespace) -> None:
    """Shapes, dimensions and units of an array dataset, which has a lot of its own and no table contract."""
    if args.croissant is not None:
        raise SeedlotError("Croissant describes tables; this is an array dataset", where=args.table)
    stores = api.stores(args.table, args.root, args.run_name)
    print(f"## {args.table}\n\nArrays in {len(stores)} Zarr stores, run `{args.run_name}`.\n")
    print("| Store | Contract | Shape | Lot |\n| --- | --- | --- | --- |")
    for told in stores.values():
        print(
            f"| {told['store']} | {told['contract']} | {' × '.join(map(str, told['shape']))} | `{told['lot']}` |"
        )
    first = api.fields(args.table, min(stores), args.root, args.run_name)
    print("\n| Array | Type | Dimensions | Unit | Meaning |\n| --- | --- | --- | --- | --- |")
    for name, array in sorted(first.arrays()):
        about = array.attrs.asdict()
        dims = ", ".join(d or "?" for d in array.metadata.dimension_names or ())
        print(
            f"| {name} | {array.dtype} | {dims} | {about.get('units', '')} | {about.get('long_name', '')} |"
        )
    manifests = [args.root / "datasets" / args.run_name / args.table / f"{shard}.json" for shard in stores]
    print("\n" + _provenance(chain_of(manifests, args.root)))
