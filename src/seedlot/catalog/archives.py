"""Members of downloaded archives, read without trusting them: no escape, no links, no bombs."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from seedlot.catalog.files import CHUNK, fsync_rename, safe_relative
from seedlot.catalog.limits import Limits
from seedlot.config.errors import SeedlotError, nearest

UNPACKERS = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
MAX_READ = 64 << 20
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    ValueError,
)


@dataclass(frozen=True)
class Member:
    """One regular file of an archive. bytes: the size it declares, checked while it is read."""

    name: str
    bytes: int


class MemberAbsent(SeedlotError):
    """The archive is sound, the member is not in it."""


def list_members(path: Path, limits: Limits) -> list[Member]:
    """Regular files of a zip, wheel or tar (.gz .bz2 .xz), in archive order; folders are left out.

    Links, devices and names that climb out of the archive are left out too: they are nobody's data.
    Raises SeedlotError when the file is no archive, is broken, or lists more than limits.max_members.
    """
    with _opened(path) as archive:
        return [
            Member(_name(entry), _size(entry))
            for entry in _entries(archive, path, limits)
            if _is_file(entry) and _is_safe(_name(entry))
        ]


def extract_member(path: Path, name: str, target: Path, limits: Limits) -> None:
    """Write one member to `target` (temporary name, fsync, rename), reading at most what the limits allow.

    Raises MemberAbsent naming the nearest member; SeedlotError for a link, an unsafe name, a broken or
    encrypted archive, more than limits.max_member_bytes, or an expansion above limits.max_member_ratio.
    """
    safe_relative(name, kind="member", where=str(path))
    with _opened(path) as archive:
        entry = _find(archive, name, path, limits)
        if not _is_file(entry):
            raise SeedlotError(f"member '{name}' is a link, folder or device, not a file", where=str(path))
        room = _room(path, limits)
        if _size(entry) > room:
            raise SeedlotError(
                f"member '{name}' declares {_size(entry)} bytes, limit {room}", where=str(path)
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            try:
                _copy(archive, entry, part, path)
            except BROKEN as error:
                raise SeedlotError(f"member '{name}' cannot be read: {error}", where=str(path)) from None
            fsync_rename(part, target)
        finally:
            part.unlink(missing_ok=True)


def _copy(archive: zipfile.ZipFile | tarfile.TarFile, entry, part: Path, path: Path) -> None:
    """Both libraries give at most the declared size, which was checked; a forged entry can give less."""
    source: IO[bytes] | None
    source = archive.open(entry) if isinstance(archive, zipfile.ZipFile) else archive.extractfile(entry)
    if source is None:
        raise SeedlotError(f"member '{_name(entry)}' has no bytes of its own", where=str(path))
    written = 0
    with source, part.open("wb") as stream:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            stream.write(chunk)
    if written != _size(entry):
        raise SeedlotError(
            f"member '{_name(entry)}' has {written} bytes, declares {_size(entry)}", where=str(path)
        )


class _Bounded:
    """A file for tarfile that refuses one huge read: an extended header may declare any size it likes."""

    def __init__(self, stream: IO[bytes]):
        self.stream, self.seek, self.tell = stream, stream.seek, stream.tell

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > MAX_READ:
            raise tarfile.ReadError(f"a header declares {size} bytes")
        return self.stream.read(size)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile | tarfile.TarFile]:
    with ExitStack() as stack:
        try:
            if zipfile.is_zipfile(path):
                archive = stack.enter_context(zipfile.ZipFile(path))
            else:
                plain = stack.enter_context(path.open("rb"))
                magic = plain.read(6)
                plain.seek(0)
                unpack = next((tool for start, tool in UNPACKERS.items() if magic.startswith(start)), None)
                stream = stack.enter_context(unpack(plain)) if unpack else plain
                archive = stack.enter_context(tarfile.open(fileobj=_Bounded(stream), mode="r:"))
        except BROKEN as error:
            raise SeedlotError(
                f"not a readable zip or tar archive: {error}",
                where=str(path),
                todo="delete the file and fetch again; when it comes again, correct the manifest's container",
            ) from None
        yield archive


def _entries(archive: zipfile.ZipFile | tarfile.TarFile, path: Path, limits: Limits):
    """The entries of an archive, refused as soon as they declare more than the limits allow in all.

    A tar is read through to reach its next header, so the sum is checked before each step forward. A
    listing that breaks midway is an error, not a short list.
    """
    iterator = iter(archive.infolist() if isinstance(archive, zipfile.ZipFile) else archive)
    room, total, count = _room(path, limits), 0, 0
    while True:
        try:
            entry = next(iterator)
        except StopIteration:
            return
        except BROKEN as error:
            raise SeedlotError(f"the archive's listing is broken: {error}", where=str(path)) from None
        count += 1
        total += _size(entry)
        if count > limits.max_members:
            raise SeedlotError(f"the archive lists more than {limits.max_members} members", where=str(path))
        if isinstance(entry, tarfile.TarInfo) and total > room:
            raise SeedlotError(f"the archive declares {total} bytes and more, limit {room}", where=str(path))
        yield entry


def _room(path: Path, limits: Limits) -> int:
    return min(limits.max_member_bytes, int(limits.max_member_ratio * max(path.stat().st_size, CHUNK)))


def _find(archive: zipfile.ZipFile | tarfile.TarFile, name: str, path: Path, limits: Limits):
    names = []
    for entry in _entries(archive, path, limits):
        if _name(entry) == name:
            return entry
        names.append(_name(entry))
    close = nearest(name, names[:20_000])
    raise MemberAbsent(
        f"member '{name}' is not among the {len(names)} of the archive",
        where=str(path),
        todo=f"the nearest name is '{close}'" if close else None,
    )


def _name(entry: zipfile.ZipInfo | tarfile.TarInfo) -> str:
    name = entry.filename if isinstance(entry, zipfile.ZipInfo) else entry.name
    return name.removeprefix("./")


def _size(entry: zipfile.ZipInfo | tarfile.TarInfo) -> int:
    return entry.file_size if isinstance(entry, zipfile.ZipInfo) else entry.size


def _is_file(entry: zipfile.ZipInfo | tarfile.TarInfo) -> bool:
    """A regular file. A zip made on Unix keeps the file type in the top bits of external_attr; 0 means none kept."""
    if isinstance(entry, tarfile.TarInfo):
        return entry.isreg()
    kind = (entry.external_attr >> 28) & 0xF
    return not entry.is_dir() and kind in (0, 0o10)


def _is_safe(name: str) -> bool:
    try:
        safe_relative(name, kind="member")
    except SeedlotError:
        return False
    return True
