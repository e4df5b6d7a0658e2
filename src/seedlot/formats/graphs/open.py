"""From a file as published to the bytes a reader takes: decompression and choice of an archive member.

What a file is follows from its first bytes, never from its name. Every route streams in blocks and stops at
`limits.MAX_BYTES` of output or at `limits.MAX_RATIO` times the compressed size, so a bomb costs one block
more than the limit. Nothing is ever extracted to disk; an archive with a member path that leaves its folder
is refused all the same, because such a file was made to attack someone. gzip, bzip2 and xz come from the
standard library, zstd from pyarrow, which the project has anyway.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO

from seedlot.config.errors import SeedlotError, unknown
from seedlot.formats.graphs import limits

BLOCK = 1 << 20
XZ_MEMORY = 256 << 20
MAX_LAYERS = 4
MAX_STREAMS = 1_000
"""Streams of one .xz file; each one more costs a copy of what is left."""
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError, tarfile.TarError, zipfile.BadZipFile)


def read_bytes(
    path: Path, *, member: str | None = None, prefer: tuple[str, ...] = (), archive: bool = False
) -> bytes:
    """The wanted file's bytes, all compression removed.

    path: file as published. member: exact name of the wanted archive member. prefer: glob patterns that
    choose among members when `member` is None, best first. archive: return a zip unopened (the reader wants
    several of its members). Raises SeedlotError for a missing file, a bomb, a damaged or encrypted archive,
    an unsafe member path, and a choice that is not clear.
    """
    path = Path(path)
    if not path.is_file():
        raise SeedlotError("there is no such file", where=str(path))
    if path.stat().st_size > limits.MAX_BYTES:
        raise SeedlotError(f"the file is larger than {limits.MAX_BYTES:,} bytes", where=str(path))
    return unpack(path.read_bytes(), where=str(path), member=member, prefer=prefer, archive=archive)


def unpack(
    data: bytes,
    *,
    where: str,
    member: str | None = None,
    prefer: tuple[str, ...] = (),
    archive: bool = False,
) -> bytes:
    """`read_bytes` for bytes in memory; `where` names them in messages."""
    for _ in range(MAX_LAYERS):
        kind = sniff(data)
        if kind is None or (kind == "zip" and archive):
            return data
        if kind == "zip":
            box = ZipBox(data, where)
            data, member = box.read(choose(box.names, member, prefer, where)), None
        elif kind == "tar":
            data, member = _tar_member(data, member, prefer, where), None
        else:
            data = decompress(data, kind, where)
    if sniff(data) is None:
        return data
    raise SeedlotError(f"more than {MAX_LAYERS} layers of compression", where=where)


def sniff(data: bytes) -> str | None:
    """'gz', 'xz', 'bz2', 'zst', 'zip', 'tar', or None when the bytes are none of them."""
    for kind, magic in (
        ("gz", b"\x1f\x8b"),
        ("xz", b"\xfd7zXZ\x00"),
        ("zst", b"\x28\xb5\x2f\xfd"),
        ("zip", b"PK\x03\x04"),
        ("zip", b"PK\x05\x06"),
    ):
        if data.startswith(magic):
            return kind
    if data[:3] == b"BZh" and data[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
        return "bz2"
    return "tar" if data[257:262] == b"ustar" else None


def decompress(data: bytes, kind: str, where: str) -> bytes:
    """Undo one layer of gz, bz2, xz or zst within the limits."""
    try:
        return _collect(_blocks(data, kind), len(data), where)
    except DAMAGE as error:
        raise SeedlotError(f"the {kind} data is damaged: {error}", where=where) from error


def _blocks(data: bytes, kind: str) -> Iterator[bytes]:
    if kind == "xz":
        yield from _xz_blocks(data)
        return
    with _stream(data, kind) as stream:
        while block := stream.read(BLOCK):
            yield bytes(block)


def _stream(data: bytes, kind: str) -> IO[bytes]:
    if kind == "gz":
        return gzip.GzipFile(fileobj=io.BytesIO(data))
    if kind == "bz2":
        return bz2.BZ2File(io.BytesIO(data))
    import pyarrow

    return pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd")


def _xz_blocks(data: bytes) -> Iterator[bytes]:
    """Streams one after another; lzma.open has no memory limit, so a header could ask for 4 GiB."""
    streams = 0
    while data:
        streams += 1
        if streams > MAX_STREAMS:
            raise ValueError(f"more than {MAX_STREAMS:,} streams")
        machine = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        block = machine.decompress(data, BLOCK)
        while not machine.eof:
            if not block and machine.needs_input:
                raise EOFError("the stream ends early")
            yield block
            block = machine.decompress(b"", BLOCK)
        yield block
        data = machine.unused_data.lstrip(b"\0")


def _collect(blocks: Iterator[bytes], size_in: int, where: str) -> bytes:
    most = min(limits.MAX_BYTES, max(limits.RATIO_FREE, limits.MAX_RATIO * size_in))
    out = bytearray()
    for block in blocks:
        out += block
        if len(out) > most:
            raise SeedlotError(
                f"decompresses to more than {most:,} bytes from {size_in:,}: refused as a bomb", where=where
            )
    return bytes(out)


def safe_name(name: str, where: str) -> str:
    """An archive member's name, or SeedlotError when it is absolute, climbs, or names a drive."""
    path = PurePosixPath(name.replace("\\", "/"))
    if (
        path.is_absolute()
        or ".." in path.parts
        or path.parts[:1] != ()
        and path.parts[0][1:2] == ":"
        or "\0" in name
    ):
        raise SeedlotError(f"archive member '{name[:80]}' leaves its folder: archive refused", where=where)
    return name


def choose(names: list[str], member: str | None, prefer: tuple[str, ...], where: str) -> str:
    """The member to read: the named one, else the only match of the best pattern, else the only file."""
    if member is not None:
        if member not in names:
            raise unknown("archive member", member, names[:50], where=where)
        return member
    seen = [n for n in names if not n.startswith("__MACOSX/") and not PurePosixPath(n).name.startswith(".")]
    for pattern in prefer:
        hits = [n for n in seen if fnmatchcase(n, pattern)]
        if hits:
            seen = hits
            break
    if not seen:
        raise SeedlotError("the archive is empty", where=where)
    if len(seen) != 1:
        raise SeedlotError(
            f"the archive holds {len(seen)} files that could be meant: {', '.join(sorted(seen)[:20])}",
            where=where,
            todo="name one with the reader argument 'member'",
        )
    return seen[0]


class ZipBox:
    """A zip in memory, read member by member within the limits.

    names: regular files in archive order. Raises SeedlotError on damage, on too many members and on any
    member path that leaves its folder.
    """

    def __init__(self, data: bytes, where: str):
        self.where, self.size, self.spent = where, len(data), 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (*DAMAGE, NotImplementedError) as error:
            raise SeedlotError(f"the zip is damaged: {error}", where=where) from error
        infos = self._zip.infolist()
        if len(infos) > limits.MAX_MEMBERS:
            raise SeedlotError(f"the archive has {len(infos):,} members", where=where)
        self.names = [safe_name(i.filename, where) for i in infos if not i.filename.endswith("/")]

    def read(self, name: str) -> bytes:
        """One member's bytes. All members together count against the limits."""
        info = self._zip.getinfo(name)
        if (info.external_attr >> 16) & 0o170000 == 0o120000:
            raise SeedlotError(f"archive member '{name}' is a link: refused", where=self.where)
        if info.flag_bits & 1:
            raise SeedlotError(f"archive member '{name}' is encrypted", where=self.where)
        try:
            with self._zip.open(info) as stream:
                out = _collect(iter(lambda: stream.read(BLOCK), b""), max(info.compress_size, 1), self.where)
        except (*DAMAGE, NotImplementedError) as error:
            raise SeedlotError(f"archive member '{name}' is damaged: {error}", where=self.where) from error
        self.spent += len(out)
        if self.spent > max(limits.RATIO_FREE, limits.MAX_RATIO * self.size):
            raise SeedlotError("the archive's members overlap or repeat: refused as a bomb", where=self.where)
        return out


def _tar_member(data: bytes, member: str | None, prefer: tuple[str, ...], where: str) -> bytes:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            files: dict[str, tarfile.TarInfo] = {}
            for seen, info in enumerate(tar):
                if seen >= limits.MAX_MEMBERS:
                    raise SeedlotError(f"the archive has more than {seen:,} members", where=where)
                if not info.isdir():
                    files[safe_name(info.name, where)] = info
            name = choose(list(files), member, prefer, where)
            if not files[name].isreg() or files[name].issparse():
                raise SeedlotError(f"archive member '{name}' is a link or a device: refused", where=where)
            stream = tar.extractfile(files[name])
            return stream.read() if stream else b""
    except DAMAGE as error:
        raise SeedlotError(f"the tar is damaged: {error}", where=where) from error
