"""seedlot audit"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from seedlot.catalog.receipts import read_receipt
from seedlot.store import lineage

HELP = "compare every file with its lineage record; --repair rebuilds exactly what is missing or wrong"
EXAMPLE = "seedlot audit --repair"


@dataclass(frozen=True)
class Finding:
    """One file that is not what its record says. kind: missing, changed, raw missing, raw changed, or unlisted."""

    kind: str
    path: Path
    rule: str
    record: dict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The root, and whether to repair."""
    parser.add_argument("--root", type=Path, default=Path("results"), help="results root (default: results)")
    parser.add_argument(
        "--repair", action="store_true", help="rebuild what is missing or wrong, nothing else"
    )
    parser.add_argument("--cores", default="2", help="cores for the rebuild (default: 2)")
    parser.add_argument("--configfile", type=Path, help="config of the run to repair, as given to snakemake")


def inspect(root: Path) -> tuple[list[Finding], int]:
    """(findings, number of files checked) over all lineage records of a root; every digest is recomputed."""
    findings, checked = [], 0
    for record in lineage.Sidecars.scan(root).all():
        for name, told in record["outputs"].items():
            path = lineage.absolute(name, root)
            checked += 1
            if not path.is_file():
                findings.append(Finding("missing", path, record["rule"], record))
            elif path.stat().st_size != told["bytes"] or lineage.file_sha256(path) != told["sha256"]:
                findings.append(Finding("changed", path, record["rule"], record))
            elif path.parent.name == "receipts":
                found, seen = _raw(path, root, record)
                findings += found
                checked += seen
            elif path.suffix == ".json" and _store_broken(path):
                findings.append(Finding("changed", path, record["rule"], record))
    return findings, checked


def _raw(receipt: Path, root: Path, record: dict) -> tuple[list[Finding], int]:
    rows = [row for row in read_receipt(receipt) if row.status == "ok"]
    out = []
    for row in rows:
        path = root / row.path
        if not path.is_file():
            out.append(Finding("raw missing", path, record["rule"], record))
        elif path.stat().st_size != row.bytes or lineage.file_sha256(path) != row.sha256:
            out.append(Finding("raw changed", path, record["rule"], record))
    return out, len(rows)


def _store_broken(manifest: Path) -> bool:
    """True when a manifest names a Zarr store that is gone or has other content than its lot says."""
    told = json.loads(manifest.read_text(encoding="utf-8"))
    if not isinstance(told, dict) or "store" not in told or "lot" not in told:
        return False
    store = manifest.parent / told["store"]
    if not store.is_dir():
        return True
    from seedlot.store.lot import zarr_lot

    return zarr_lot(store, told["contract"]) != told["lot"]


def repair(findings: list[Finding], root: Path, cores: str, configfile: Path | None) -> int:
    """Rebuild the outputs of each broken job; times of files whose bytes came back equal are restored."""
    jobs = {min(f.record["outputs"]): f.record for f in findings}
    for finding in findings:
        if finding.kind.startswith("raw"):
            finding.path.unlink(missing_ok=True)
    targets = []
    for record in jobs.values():
        for name in record["outputs"]:
            lineage.absolute(name, root).unlink(missing_ok=True)
        targets.append(lineage.absolute(min(record["outputs"]), root).as_posix())
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        cores,
        "--quiet",
        "all",
        "--rerun-triggers",
        "mtime",
    ]
    if configfile:
        command += ["--configfile", str(configfile)]
    status = subprocess.run([*command, "--", *targets], check=False).returncode
    after = lineage.Sidecars.scan(root)
    for record in jobs.values():
        for name, told in record["outputs"].items():
            path = lineage.absolute(name, root)
            new = after.of(path) if path.exists() else None
            if new is None:
                print(f"not rebuilt: {path}")
                status = status or 1
            elif new["outputs"][name]["sha256"] == told["sha256"]:
                os.utime(path, ns=(told["mtime_ns"], told["mtime_ns"]))
            else:
                print(f"rebuilt with other bytes, consumers will rerun: {path}")
    return status


def run(args: argparse.Namespace) -> int:
    """Print what is wrong; 0 when nothing is, or when everything was repaired."""
    findings, checked = inspect(args.root)
    for f in findings:
        print(f"{f.kind}: {f.path}  (rule {f.rule})")
    print(f"{checked} files checked, {len(findings)} wrong")
    if not findings:
        return 0
    if not args.repair:
        print("`seedlot audit --repair` rebuilds these and nothing else")
        return 1
    status = repair(findings, args.root, args.cores, args.configfile)
    left, _ = inspect(args.root)
    print("repaired" if not left and not status else f"{len(left)} files are still wrong")
    return 1 if left or status else 0
