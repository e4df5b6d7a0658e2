"""Lineage: one sidecar per job, found from any of the job's outputs without an index.

Sidecars live in `<root>/lineage/`. The file name is the list of the output paths' short digests, so the
sidecar of a file is found by listing one folder. All paths inside are relative to the results root or, for
committed files, to the clone.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedlot.config.errors import SeedlotError
from seedlot.store.atomic import read_json, write_json

FOLDER = "lineage"
PENDING = "pending"
FULL_CHECK_BYTES = 64 * 1024 * 1024
_NAME_LIMIT = 16
DAMAGED = "delete this record, then `seedlot audit --repair` makes its job again"


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def relative(path: Path, root: Path) -> str:
    """A path as lineage writes it: `root:<rest>` below the results root, else relative to the clone."""
    full, base = path.absolute(), root.absolute()
    if full.is_relative_to(base):
        return f"root:{full.relative_to(base).as_posix()}"
    return os.path.relpath(full, Path.cwd()).replace(os.sep, "/")


def absolute(name: str, root: Path) -> Path:
    """The inverse of `relative`."""
    return root / name.removeprefix("root:") if name.startswith("root:") else Path(name)


def _key(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def sidecar_name(outputs: Iterable[str]) -> str:
    """File name of the sidecar of a job with these (relative) outputs."""
    keys = sorted(_key(name) for name in outputs)
    if len(keys) > _NAME_LIMIT:
        raise ValueError(f"a job declares {len(keys)} outputs; at most {_NAME_LIMIT} are supported")
    return "-".join(keys) + ".json"


@dataclass(frozen=True)
class Sidecars:
    """The sidecars of one results root, listed once."""

    root: Path
    by_key: Mapping[str, Path]

    @classmethod
    def scan(cls, root: Path) -> Sidecars:
        folder = root / FOLDER
        found: dict[str, Path] = {}
        if folder.is_dir():
            for entry in sorted(os.scandir(folder), key=lambda e: e.stat().st_mtime_ns):
                if entry.name.endswith(".json"):
                    for key in entry.name[:-5].split("-"):
                        found[key] = Path(entry.path)
        return cls(root, found)

    def of(self, path: Path) -> dict[str, Any] | None:
        """The sidecar that names `path` among its outputs, or None."""
        name = relative(path, self.root)
        file = self.by_key.get(_key(name))
        if file is None:
            return None
        data = read_json(file, DAMAGED)
        return data if name in data["outputs"] else None

    def all(self) -> list[dict[str, Any]]:
        """Every sidecar once, sorted by rule and first output."""
        rows = [read_json(p, DAMAGED) for p in set(self.by_key.values())]
        return sorted(rows, key=lambda r: (r["rule"], min(r["outputs"])))


def describe(paths: Iterable[Path], root: Path) -> dict[str, dict[str, Any]]:
    """Relative name -> bytes, sha256 and modification time (ns) of files that exist."""
    out = {}
    for path in sorted(paths):
        stat = path.stat()
        out[relative(path, root)] = {
            "bytes": stat.st_size,
            "sha256": file_sha256(path),
            "mtime_ns": stat.st_mtime_ns,
        }
    return out


def check_inputs(paths: Iterable[Path], root: Path, sidecars: Sidecars) -> dict[str, dict[str, Any]]:
    """Compare each input with the sidecar of the job that wrote it; return what the new sidecar records.

    The size always, the digest up to 64 MB (a larger file's recorded digest is trusted when its size is right;
    `seedlot audit` reads everything). Raises SeedlotError for a file that is missing or was changed since.
    """
    out: dict[str, dict[str, Any]] = {}
    for path in sorted(set(paths)):
        name = relative(path, root)
        if not path.exists():
            raise SeedlotError(
                "an input is gone although the rule that makes it counts as done",
                where=str(path),
                todo=_REPAIR,
            )
        sidecar = sidecars.of(path)
        size = path.stat().st_size
        if sidecar is None:
            if name.startswith("root:"):
                raise SeedlotError("an input has no lineage record", where=str(path), todo=_REPAIR)
            out[name] = {"bytes": size, "sha256": file_sha256(path)}
            continue
        want = sidecar["outputs"][name]
        same = size == want["bytes"] and (size > FULL_CHECK_BYTES or file_sha256(path) == want["sha256"])
        if not same:
            raise SeedlotError(
                f"an input was changed after rule '{sidecar['rule']}' wrote it", where=str(path), todo=_REPAIR
            )
        out[name] = {"bytes": want["bytes"], "sha256": want["sha256"]}
    return out


_REPAIR = "run `seedlot audit` to see what is wrong and `seedlot audit --repair` to rebuild only that"


def write(root: Path, record: Mapping[str, Any]) -> Path:
    """Write the sidecar of a job; sidecars that claimed one of its outputs before are removed."""
    folder = root / FOLDER
    name = sidecar_name(record["outputs"])
    keys = set(name[:-5].split("-"))
    write_json(folder / name, record)
    for old in folder.glob("*.json"):
        if old.name != name and keys & set(old.name[:-5].split("-")):
            old.unlink(missing_ok=True)
    return folder / name


def mark_pending(root: Path, outputs: Iterable[Path]) -> Path:
    """Note that a job for these outputs has begun; the marker is removed when it ends well.

    Snakemake removes old outputs before it runs a job again. When that job then fails, it takes the missing
    intermediate for unneeded as long as its consumers' files exist, and would call stale results up to date.
    The default target therefore asks for every pending output by name.
    """
    names = sorted(relative(path, root) for path in outputs)
    path = root / FOLDER / PENDING / sidecar_name(names)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(names) + "\n", encoding="utf-8")
    return path


def pending(root: Path) -> list[Path]:
    """Outputs of jobs that began and did not end well."""
    found = []
    for marker in sorted((root / FOLDER / PENDING).glob("*.json")):
        found += [absolute(name, root) for name in marker.read_text(encoding="utf-8").split("\n") if name]
    return found
