"""Files that are whole or absent, their digests, and names from outside made safe as paths."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from urllib.parse import quote

from seedlot.config.errors import SeedlotError

CHUNK = 1 << 20
SAFE = re.compile(r"[A-Za-z0-9._+=,@-]+\Z")
MAX_NAME = 200


def sha256_file(path: Path) -> str:
    """Hex SHA-256 of a file, read in 1 MiB pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fsync_rename(part: Path, path: Path) -> None:
    """Make `part` durable and give it its final name; both lie in one folder."""
    with part.open("rb") as stream:
        os.fsync(stream.fileno())
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_whole(path: Path, data: bytes) -> None:
    """Write bytes under a temporary name beside `path`, then rename: a reader sees all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    part.write_bytes(data)
    fsync_rename(part, path)


def safe_relative(name: str, *, kind: str, where: str | None = None) -> tuple[str, ...]:
    """The segments of a relative name with forward slashes.

    Raises SeedlotError for a name that is empty, absolute, climbs with '..', names a drive, or holds a
    backslash or a control character.
    """
    segments = name.split("/")
    bad = (
        not name
        or name.startswith(("/", "~"))
        or "\\" in name
        or any(ord(letter) < 32 or ord(letter) == 127 for letter in name)
        or re.match(r"[A-Za-z]:(/|$)", name)
        or any(segment in ("", ".", "..") for segment in segments)
    )
    if bad:
        raise SeedlotError(
            f"{kind} {name!r} is not a safe relative path",
            where=where,
            todo="use a path below the folder or archive: no '..', no leading '/', no backslash",
        )
    return tuple(segments)


def as_filename(segment: str) -> str:
    """One path segment as a portable file name: odd letters percent-encoded, long names cut with a digest."""
    name = segment if SAFE.match(segment) else quote(segment, safe="+=,@")
    if len(name) > MAX_NAME:
        name = f"{name[: MAX_NAME - 17]}-{hashlib.sha256(segment.encode()).hexdigest()[:16]}"
    return name
