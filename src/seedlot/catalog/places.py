"""Where one file can come from: it is here already, a user's folder, a mirror, its own URL."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from seedlot.catalog.files import fsync_rename, safe_relative, sha256_file
from seedlot.catalog.http import Got, Permanent, Transient, Wanted, Web, download, mismatch, set_aside
from seedlot.catalog.manifest import FOLDER, Row, own_file
from seedlot.config.errors import SeedlotError

FICLONE = 0x40049409
UNREACHABLE_AFTER = 3


@dataclass
class Places:
    """What all files of one fetch share. raw: `<root>/raw`. gate: '' or what must be signed first.

    key_headers go to a file's own URL only, never to a mirror. stop is set when the job is told to end.
    """

    raw: Path
    web: Web
    mirrors: Sequence[str] = ()
    offline: bool = False
    gate: Callable[[Row], str] = lambda row: ""
    key_headers: dict[str, str] = field(default_factory=dict)
    on_bytes: Callable[[int], None] = lambda change: None
    stop: threading.Event = field(default_factory=threading.Event)
    _hosts: dict[str, threading.Semaphore] = field(default_factory=dict)
    _strikes: dict[str, int] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def bring(self, row: Row, target: Path, wanted: Wanted) -> Got:
        """The file at the row's URL, in `target`. Raises Permanent or Transient when no place has it."""
        with one_at_a_time(self.raw, target):
            got = self._present(target, wanted)
            if got is not None:
                return got
            if row.url.startswith(FOLDER):
                return self._from_user(row, target, wanted)
            for mirror in self.mirrors:
                got = self._from_mirror(mirror, row, target, wanted)
                if got is not None:
                    return got
            if self.offline:
                raise Transient("offline and not here", fatal=True)
            gate = self.gate(row)
            if gate:
                raise Permanent("no_access", gate)
            return self._over_http(replace(self.web, headers=self.key_headers), row.url, target, wanted)

    def _present(self, target: Path, wanted: Wanted) -> Got | None:
        if not target.exists():
            return None
        got = Got(target.stat().st_size, sha256_file(target), "")
        problem = mismatch(wanted, got)
        if not problem:
            return got
        aside = set_aside(target, target)
        self.web.note(
            f"{wanted.name}: the file on disk is wrong ({problem}); kept as {aside.name}, fetching again"
        )
        return None

    def _from_user(self, row: Row, target: Path, wanted: Wanted) -> Got:
        folder = Path(row.extra.get("folder", ""))
        if not row.extra.get("folder") or not folder.is_dir():
            raise Transient(f"folder '{folder}' of the user's manifest is not there", fatal=True)
        path = folder.joinpath(*safe_relative(own_file(row.url), kind="file"))
        if not path.is_file():
            raise Permanent("missing", f"no file {path}")
        got = copy_checked(path, target, wanted, row.url, self.on_bytes)
        if isinstance(got, str):
            raise Permanent("failed", f"{path}: {got}")
        return got

    def _from_mirror(self, mirror: str, row: Row, target: Path, wanted: Wanted) -> Got | None:
        """The same bytes from a mirror, or None with a line that says why not."""
        names = mirror_names(self.raw, target, row.url)
        if not mirror.startswith(("http://", "https://")):
            for path in (Path(mirror) / name for name in (*names, target.name)):
                if path.is_file():
                    got = copy_checked(path, target, wanted, str(path), self.on_bytes)
                    if isinstance(got, Got):
                        return got
                    self.web.note(f"{wanted.name}: mirror file {path} is not the same: {got}")
            return None
        if self.offline or not wanted.sha256:
            return None
        patience = replace(self.web.limits, tries=min(2, self.web.limits.tries))
        for name in names:
            url = f"{mirror.rstrip('/')}/{quote(name)}"
            try:
                return self._over_http(replace(self.web, limits=patience), url, target, wanted)
            except (Permanent, Transient) as error:
                self.web.note(f"{wanted.name}: not from mirror {mirror}: {error}")
        return None

    def _over_http(self, web: Web, url: str, target: Path, wanted: Wanted) -> Got:
        """Download within the host's share of connections; a host that keeps failing is left alone."""
        host = urlsplit(url).netloc
        with self._guard:
            share = self._hosts.setdefault(host, threading.Semaphore(web.limits.per_host))
        with share:
            if self._strikes.get(host, 0) >= UNREACHABLE_AFTER:
                raise Transient(
                    f"{host} failed {UNREACHABLE_AFTER} files in a row, not asked again in this run"
                )
            try:
                got = download(web, url, target, wanted, self._count)
            except Transient:
                with self._guard:
                    self._strikes[host] = self._strikes.get(host, 0) + 1
                raise
            with self._guard:
                self._strikes[host] = 0
            return got

    def _count(self, change: int) -> None:
        self.on_bytes(change)
        if self.stop.is_set():
            raise Transient("the job was told to stop", fatal=True)


def mirror_names(raw: Path, target: Path, url: str) -> tuple[str, ...]:
    """Relative names under which a mirror may hold a file.

    First our own layout below `raw/` (another clone's results/raw is a mirror as it stands), then
    `<host>/<path>` as a recursive download writes it; the latter only when the URL's path is safe.
    """
    names = [target.relative_to(raw).as_posix()]
    parts = urlsplit(url)
    plain = f"{parts.hostname}/{unquote(parts.path).strip('/')}"
    if not parts.query:
        try:
            safe_relative(plain, kind="path")
            names.append(plain)
        except SeedlotError:
            return tuple(names)
    return tuple(names)


def copy_checked(
    path: Path, target: Path, wanted: Wanted, url: str, on_bytes: Callable[[int], None]
) -> Got | str:
    """Copy a local file (a reflink where the file system can), checked before it gets its name.

    Returns what was copied, or one sentence when size or digest are not the wanted ones.
    """
    size = path.stat().st_size
    if wanted.bytes is not None and size != wanted.bytes:
        return f"expected {wanted.bytes} bytes, found {size}"
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with path.open("rb") as source, part.open("wb") as copy:
            try:
                fcntl.ioctl(copy.fileno(), FICLONE, source.fileno())
            except OSError:  # other file system, or one without reflinks: copy the bytes
                shutil.copyfileobj(source, copy, 1 << 20)
        got = Got(part.stat().st_size, sha256_file(part), url)
        problem = mismatch(wanted, got)
        if problem:
            return problem
        fsync_rename(part, target)
        on_bytes(got.bytes)
        return got
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def one_at_a_time(raw: Path, target: Path) -> Iterator[None]:
    """Hold a lock for one target among the threads and processes of this host.

    256 lock files serve all targets. Where the file system has no locks, only threads of one job are
    kept apart by the job's own list of distinct targets.
    """
    folder = raw / ".locks"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(str(target.relative_to(raw)).encode()).hexdigest()[:2]
    with (folder / name).open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):
                raise
        yield
