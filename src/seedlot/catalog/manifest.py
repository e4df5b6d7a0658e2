"""Manifests: one row for each file or member that is wanted from a source."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from seedlot.catalog.files import as_filename, safe_relative
from seedlot.catalog.tsv import read_tsv
from seedlot.config.errors import SeedlotError, unknown

ORIGINS = ("packaged", "simulated", "upstream")
COMMON = (
    "item",
    "origin",
    "release",
    "url",
    "container",
    "member",
    "bytes",
    "sha256",
    "reader_args",
    "licence",
    "evidence",
)
FOLDER = "folder:"
_ITEM = re.compile(r"[a-z0-9_]+\Z")
_RELEASE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_PYPI = re.compile(r"pypi:(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9][A-Za-z0-9._+!]*)\Z")
_SIM = re.compile(r"sim:(?P<generator>[a-z][a-z0-9_]*)\?(?P<query>[A-Za-z0-9_.=&+-]+)\Z")


@dataclass(frozen=True)
class Row:
    """One wanted file. bytes: size or None when unknown; sha256: lower-case hex or '' when unknown.

    For `upstream` both describe the file at `url` (the container when there is one), for `packaged` the
    member. reader_args goes to the format reader. extra: the source's own columns as text (title, domain,
    format ...; `folder` when the row comes from a user's manifest).
    """

    item: str
    origin: str
    release: str
    url: str
    container: str = ""
    member: str = ""
    bytes: int | None = None
    sha256: str = ""
    reader_args: dict[str, Any] = field(default_factory=dict)
    licence: str = ""
    evidence: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a rule's params; `from_dict` gives the row back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Row:
        """The row of `to_dict`, checked again: params are files on disk by then."""
        row = cls(**values)
        check_row(row, row.item)
        return row


def load_manifest(path: Path, source: str) -> list[Row]:
    """All rows of `resources/manifests/<source>.tsv`, in file order, which is ascending by item.

    Raises SeedlotError with file:line for a missing column, an item out of order or repeated, a file listed
    twice, a word outside its vocabulary, a bad digest, reader_args that are no JSON object, no evidence.
    """
    path = Path(path)
    if not _ITEM.match(source):
        raise SeedlotError(f"source name {source!r} must match [a-z0-9_]+", where=str(path))
    rows: list[Row] = []
    lines: list[int] = []
    for number, cells in read_tsv(path, COMMON):
        row = parse_row(cells, f"{path}:{number}")
        if rows and row.item <= rows[-1].item:
            what = "occurs twice" if row.item == rows[-1].item else f"must stand before '{rows[-1].item}'"
            raise SeedlotError(f"item '{row.item}' {what}", where=f"{path}:{number}", todo="sort by item")
        if row.url.startswith(FOLDER):
            raise SeedlotError("a committed manifest cannot name a user's folder", where=f"{path}:{number}")
        rows.append(row)
        lines.append(number)
    check_together(rows, [f"{path}:{line}" for line in lines])
    return rows


def parse_row(cells: Mapping[str, str], where: str, extra: Mapping[str, str] | None = None) -> Row:
    """A checked Row from text cells; columns that are not common ones become `extra`."""
    size = cells["bytes"]
    if size and not re.fullmatch(r"[0-9]{1,15}", size):
        raise SeedlotError(f"bytes: expected a whole number or nothing, saw '{size}'", where=where)
    row = Row(
        **{name: cells[name] for name in COMMON if name not in ("bytes", "reader_args")},
        bytes=int(size) if size else None,
        reader_args=_reader_args(cells["reader_args"], where),
        extra={name: text for name, text in cells.items() if name not in COMMON} | dict(extra or {}),
    )
    check_row(row, where)
    return row


def _reader_args(text: str, where: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise SeedlotError(f"reader_args is not JSON: {error}", where=where) from None
    if not isinstance(value, dict):
        raise SeedlotError(f"reader_args must be a JSON object, saw {type(value).__name__}", where=where)
    return value


def check_row(row: Row, where: str) -> None:
    """Refuse a row that breaks a rule of its origin; the message says expected and seen."""
    if not _ITEM.match(row.item):
        raise SeedlotError(f"item '{row.item}' must match [a-z0-9_]+", where=where)
    if row.origin not in ORIGINS:
        raise unknown("origin", row.origin, ORIGINS, where=where)
    if not _RELEASE.match(row.release) or ".." in row.release:
        raise SeedlotError(
            f"release '{row.release}' must be letters, digits, '.', '_', '+', '-'", where=where
        )
    if row.sha256 and not _SHA256.match(row.sha256):
        raise SeedlotError(f"sha256: expected 64 lower-case hex digits, saw '{row.sha256}'", where=where)
    if row.container:
        safe_relative(row.container, kind="container", where=where)
    if row.member:
        safe_relative(row.member, kind="member", where=where)
    {"upstream": _check_upstream, "packaged": _check_packaged, "simulated": _check_simulated}[row.origin](
        row, where
    )
    for name in ("licence", "evidence"):
        if not getattr(row, name):
            raise SeedlotError(
                f"item '{row.item}' has no {name}",
                where=where,
                todo="write 'not stated' when the publisher states none"
                if name == "licence"
                else "name the page or listing in which the file was seen",
            )


def _check_upstream(row: Row, where: str) -> None:
    if bool(row.container) != bool(row.member):
        raise SeedlotError("container and member are filled together or not at all", where=where)
    if row.url.startswith(FOLDER):
        safe_relative(own_file(row.url), kind="file", where=where)
        return
    check_url(row.url, where)


def check_url(url: str, where: str) -> None:
    """Refuse what is not an absolute http or https URL without user, password, blanks or fragment."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise SeedlotError(f"url must start with https:// or http://, saw '{url}'", where=where)
    if not parts.hostname or re.search(r"[\s\x00-\x1f\x7f\\]", url):
        raise SeedlotError(f"url without host or with blanks: '{url}'", where=where)
    if parts.username or parts.password:
        raise SeedlotError(
            "url holds a user name or password", where=where, todo="secrets come from environment"
        )
    if parts.fragment:
        raise SeedlotError(f"url holds a fragment '#{parts.fragment}', which no server sees", where=where)


def _check_packaged(row: Row, where: str) -> None:
    match = _PYPI.match(row.url)
    if not match:
        raise SeedlotError(
            f"url of a packaged item is pypi:<distribution>==<version>, saw '{row.url}'", where=where
        )
    if not row.container.endswith(".whl") or "/" in row.container:
        raise SeedlotError(
            f"container of a packaged item is a wheel file name, saw '{row.container}'", where=where
        )
    wheel = row.container.split("-")
    seen = (re.sub(r"[-_.]+", "_", wheel[0]).lower(), wheel[1] if len(wheel) > 1 else "")
    wanted = (re.sub(r"[-_.]+", "_", match["name"]).lower(), match["version"])
    if seen != wanted:
        raise SeedlotError(f"wheel '{row.container}' does not belong to '{row.url}'", where=where)
    for name in ("member", "bytes", "sha256"):
        if getattr(row, name) in ("", None):
            raise SeedlotError(f"packaged item '{row.item}' has no {name}", where=where)


def _check_simulated(row: Row, where: str) -> None:
    match = _SIM.match(row.url)
    if not match or "seed" not in dict(parse_qsl(match["query"], strict_parsing=False)):
        raise SeedlotError(
            f"url of a simulated item is sim:<generator>?...&seed=1, saw '{row.url}'", where=where
        )
    if row.container:
        raise SeedlotError("a simulated item has no container", where=where)


def check_together(rows: Iterable[Row], wheres: Iterable[str]) -> None:
    """Refuse two rows for the same bytes read the same way, and two opinions about one URL."""
    seen: dict[tuple, str] = {}
    files: dict[tuple, tuple[tuple, str]] = {}
    for row, where in zip(rows, wheres, strict=True):
        key = (row.origin, row.release, *_what_decides_bytes(row)[2:])
        if key in seen:
            raise SeedlotError(f"item '{row.item}' names the same file as {seen[key]}", where=where)
        seen[key] = where
        if row.origin != "upstream":
            continue
        facts = (row.bytes, row.sha256)
        first = files.setdefault((row.release, row.url), (facts, where))
        if first[0] != facts:
            raise SeedlotError(f"bytes or sha256 of '{row.url}' differ from {first[1]}", where=where)


def _what_decides_bytes(row: Row) -> tuple[str, ...]:
    args = json.dumps(row.reader_args, sort_keys=True, separators=(",", ":"))
    return (row.item, row.origin, row.url, row.container, row.member, args, row.extra.get("format", ""))


def row_digest(rows: Iterable[Row]) -> str:
    """16 hex digits over what decides the bytes of these rows: item, origin, url, container, member, reader.

    Independent of row order. Digests, sizes, licence, evidence and notes are checked elsewhere, not hashed.
    """
    text = json.dumps(sorted(_what_decides_bytes(row) for row in rows), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def release_folder(root: Path, source: str, row: Row) -> Path:
    """Folder of one origin and release of a source; holds `files/` and `locks/`."""
    return Path(root) / "raw" / source / row.origin / row.release


def own_file(url: str) -> str:
    """The path in a user's folder of a URL `folder:<path>#<state>`; see `catalog.user` for the state."""
    path, mark, state = url.removeprefix(FOLDER).rpartition("#")
    return path if mark else state


def container_path(root: Path, source: str, row: Row) -> Path:
    """Where the file at an upstream row's URL lies: shared by all items inside it."""
    files = release_folder(root, source, row) / "files"
    short = hashlib.sha256(row.url.encode()).hexdigest()[:12]
    if row.url.startswith(FOLDER):
        return files / short / as_filename(own_file(row.url).rsplit("/", 1)[-1])
    parts = urlsplit(row.url)
    base = parts.path.rstrip("/").rsplit("/", 1)[-1] or "index"
    return files / as_filename(parts.hostname or "nohost") / short / as_filename(base)


def raw_path(root: Path, source: str, row: Row) -> Path:
    """The raw file of a row: a function of source, origin, release, url, container and member alone.

    upstream: files/<host>/<digest of url>/<name>, a member in <name>.members/ beside it;
    packaged: files/<wheel>/<member>; simulated: files/<digest of url>/<member, or item>.
    """
    files = release_folder(root, source, row) / "files"
    if row.origin == "packaged":
        return files.joinpath(as_filename(row.container), *map(as_filename, row.member.split("/")))
    if row.origin == "simulated":
        short = hashlib.sha256(row.url.encode()).hexdigest()[:12]
        return files / short / as_filename((row.member or row.item).rsplit("/", 1)[-1])
    container = container_path(root, source, row)
    if not row.member:
        return container
    folder = container.with_name(container.name + ".members")
    return folder.joinpath(*map(as_filename, row.member.split("/")))
