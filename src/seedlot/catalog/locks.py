"""Digests recorded by a first fetch, for rows whose manifest states none; later fetches must match them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from seedlot.catalog.tsv import read_tsv, write_tsv
from seedlot.config.errors import SeedlotError

COLUMNS = ("origin", "release", "url", "member", "bytes", "sha256")


@dataclass(frozen=True, order=True)
class Lock:
    """What the first fetch saw. member '': the file at url itself."""

    origin: str
    release: str
    url: str
    member: str
    bytes: int
    sha256: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a digest belongs to."""
        return (self.origin, self.release, self.url, self.member)


def read_locks(paths: Iterable[Path]) -> dict[tuple[str, str, str, str], Lock]:
    """Locks by key from several files. Raises SeedlotError when two files disagree or a line is malformed."""
    found: dict[tuple[str, str, str, str], Lock] = {}
    for path in paths:
        for number, cells in read_tsv(path, COLUMNS):
            if not re.fullmatch(r"[0-9]+", cells["bytes"]) or not re.fullmatch(
                r"[0-9a-f]{64}", cells["sha256"]
            ):
                raise SeedlotError(
                    "a lock needs bytes and sha256", where=f"{path}:{number}", todo="delete the line"
                )
            lock = Lock(*(cells[name] for name in COLUMNS[:4]), int(cells["bytes"]), cells["sha256"])
            if found.setdefault(lock.key, lock) != lock:
                raise SeedlotError(
                    f"two locks disagree about '{lock.url}' {lock.member}".rstrip(),
                    where=f"{path}:{number}",
                    todo="keep the one whose bytes you trust",
                )
    return found


def lock_files(root: Path, source: str, committed: Path) -> list[Path]:
    """The committed lock, when there is one, then those written by fetches under the root."""
    local = sorted((Path(root) / "raw" / source).glob("*/*/locks/*.tsv"))
    return ([committed] if committed.exists() else []) + local


def write_locks(path: Path, locks: Iterable[Lock]) -> None:
    """Write locks sorted, without repeats."""
    rows = sorted(set(locks))
    write_tsv(
        path,
        COLUMNS,
        [[lock.origin, lock.release, lock.url, lock.member, str(lock.bytes), lock.sha256] for lock in rows],
    )


def commit_locks(root: Path, source: str, manifests: Path) -> Path:
    """Gather all locks of a source into `<manifests>/<source>.lock.tsv`, to be committed beside the manifest."""
    committed = Path(manifests) / f"{source}.lock.tsv"
    write_locks(committed, read_locks(lock_files(root, source, committed)).values())
    return committed
