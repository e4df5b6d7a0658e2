"""The fetch job: bring every wanted file, finish the others when one fails, leave a receipt."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from seedlot.catalog.archives import MemberAbsent, extract_member
from seedlot.catalog.files import sha256_file
from seedlot.catalog.http import Got, Permanent, Transient, Wanted, Web, mismatch, open_client, set_aside
from seedlot.catalog.licences import key_headers, missing_licence, redact
from seedlot.catalog.limits import Limits
from seedlot.catalog.locks import Lock, lock_files, read_locks, write_locks
from seedlot.catalog.manifest import Row, check_together, container_path, raw_path, release_folder, row_digest
from seedlot.catalog.packaged import REMEDY, Wheels, load_pins
from seedlot.catalog.places import Places
from seedlot.catalog.progress import Progress
from seedlot.catalog.receipts import Receipt, write_receipt
from seedlot.catalog.releases import find_release, load_releases
from seedlot.config.errors import SeedlotError

SHOWN = 20


class FetchJob(Protocol):
    """The part of a job that a fetch uses."""

    output: Mapping[str, Path]
    params: Mapping[str, Any]
    root: Path


@dataclass
class Options:
    """How to fetch. resources: folder with sources.tsv, wheels.tsv and manifests/. environ: where keys are."""

    offline: bool = False
    mirrors: Sequence[str] = ()
    wheels_dir: Path = Path(".wheels")
    resources: Path = Path("resources")
    limits: Limits = field(default_factory=Limits)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    tune: Callable[[Web], None] = lambda web: None


@dataclass
class Task:
    """One file and the rows that need it: one row, or all members of one container."""

    target: Path
    rows: list[Row]


def run(job: FetchJob) -> None:
    """Entry of the fetch rules.

    params: source, rows (list of Row.to_dict), and optionally offline, mirrors, wheels_dir, resources,
    network (values of Limits). output: receipt. Raw files go below `<root>/raw`, undeclared.
    Raises SeedlotError after all other items are done when a cause may pass; no receipt is written then.
    """
    params = job.params
    options = Options(
        offline=bool(params.get("offline", False)),
        mirrors=tuple(params.get("mirrors") or ()),
        wheels_dir=Path(params.get("wheels_dir") or ".wheels"),
        resources=Path(params.get("resources") or "resources"),
        limits=Limits.of(params.get("network") or {}),
    )
    rows = [Row.from_dict(values) for values in params["rows"]]
    fetch(rows, params["source"], job.root, job.output["receipt"], options)


def fetch(rows: Sequence[Row], source: str, root: Path, receipt: Path, options: Options) -> None:
    """Bring the files of `rows` below `<root>/raw/<source>` and write the receipt.

    Causes that stay (gone, wrong bytes twice, member absent, licence missing) are rows of the receipt.
    Causes that may pass raise SeedlotError at the end; what came is kept and not asked for again.
    """
    check_together(rows, [row.item for row in rows])
    root = Path(root)
    committed = options.resources / "manifests" / f"{source}.lock.tsv"
    work = _Work(rows, source, root, options, read_locks(lock_files(root, source, committed)))
    try:
        work.do_all()
    finally:
        work.record_locks()
    if work.passing:
        raise _unfinished(work, options.offline)
    write_receipt(receipt, work.receipts)


class _Work:
    """One fetch: its tasks, what came of each, and the digests seen for the first time."""

    def __init__(self, rows: Sequence[Row], source: str, root: Path, options: Options, locks: dict):
        self.rows, self.source, self.root, self.options, self.locks = rows, source, root, options, locks
        self.receipts: list[Receipt] = []
        self.passing: list[tuple[Row, str]] = []
        self.fresh: list[Lock] = []
        self._guard = threading.Lock()

    def do_all(self) -> None:
        """Run every task; several at a time for files from the network, hosts taken in turn."""
        tasks = _tasks(self.rows, self.source, self.root)
        progress = Progress(f"fetch {self.source}", len(tasks))
        options = self.options
        with open_client(options.limits) as client:
            stop = threading.Event()
            web = Web(
                client, options.limits, sleep=stop.wait, note=lambda line: progress.note(self._clean(line))
            )
            options.tune(web)
            places = Places(
                raw=self.root / "raw",
                web=web,
                mirrors=options.mirrors,
                offline=options.offline,
                gate=self._gate(),
                key_headers=key_headers(self.source, options.environ),
                on_bytes=progress.add_bytes,
                stop=stop,
            )
            wheels = self._wheels()
            pool = ThreadPoolExecutor(options.limits.connections)
            try:
                for done in [
                    pool.submit(self._do, task, places, wheels, progress) for task in _by_host(tasks)
                ]:
                    done.result()
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                progress.close()

    def record_locks(self) -> None:
        """Write first-seen digests to `locks/<digest of the rows>.tsv` of each origin and release."""
        name = f"{row_digest(self.rows)}.tsv"
        by_folder: dict[Path, list[Lock]] = {}
        for row in self.rows:
            by_folder.setdefault(release_folder(self.root, self.source, row) / "locks" / name, [])
        for lock in self.fresh:
            by_folder[self.root / "raw" / self.source / lock.origin / lock.release / "locks" / name].append(
                lock
            )
        for path, fresh in by_folder.items():
            old = list(read_locks([path]).values()) if path.exists() else []
            if fresh and set(fresh) - set(old):
                write_locks(path, [*old, *fresh])

    def _do(self, task: Task, places: Places, wheels: Wheels, progress: Progress) -> None:
        first = task.rows[0]
        try:
            got = (
                self._packaged(first, task, wheels)
                if first.origin == "packaged"
                else self._upstream(task, places)
            )
        except Permanent as error:
            self._settle(task.rows, error.status, error.reason)
            return
        except Transient as error:
            self._postpone(task.rows, error.reason)
            return
        except OSError as error:
            self._postpone(task.rows, f"{error.strerror or error} ({error.filename or task.target})")
            return
        progress.add_file()
        for row in task.rows:
            if row.member and row.origin == "upstream":
                self._member(row, task.target)
            else:
                self._ok(row, task.target, got)

    def _upstream(self, task: Task, places: Places) -> Got:
        row = task.rows[0]
        wanted = self._wanted(row, "", task.target.name, row.bytes, row.sha256)
        got = places.bring(row, task.target, wanted)
        if not row.sha256:
            self._remember(row, "", got)
        return got

    def _packaged(self, row: Row, task: Task, wheels: Wheels) -> Got:
        if task.target.exists():
            got = Got(task.target.stat().st_size, sha256_file(task.target), row.url)
            if not mismatch(Wanted(row.member, row.bytes, row.sha256), got):
                return got
            set_aside(task.target, task.target)
        return wheels.read(row, task.target)

    def _member(self, row: Row, container: Path) -> None:
        """Unpack one member, unless it lies there with the digest that was recorded when it was unpacked."""
        target = raw_path(self.root, self.source, row)
        wanted = self._wanted(row, row.member, row.member, None, "")
        try:
            if not (target.exists() and wanted.sha256 and not mismatch(wanted, _measure(target))):
                extract_member(container, row.member, target, self.options.limits)
        except MemberAbsent as error:
            self._settle(
                [row], "missing", f"{error.what} {row.container}" + (f"; {error.todo}" if error.todo else "")
            )
            return
        except SeedlotError as error:
            self._settle([row], "failed", f"{error.what} ({row.container})")
            return
        got = _measure(target)
        problem = mismatch(wanted, got)
        if problem:
            aside = set_aside(target, target)
            self._settle([row], "failed", f"member {row.member}: {problem}; kept as {aside.name}")
            return
        self._remember(row, row.member, got)
        self._ok(row, target, got)

    def _wanted(self, row: Row, member: str, name: str, size: int | None, sha256: str) -> Wanted:
        """Size and digest from the manifest, or from the lock when the manifest has none."""
        lock = self.locks.get((row.origin, row.release, row.url, member))
        if sha256 or lock is None:
            return Wanted(name, size, sha256)
        return Wanted(name, lock.bytes, lock.sha256)

    def _remember(self, row: Row, member: str, got: Got) -> None:
        with self._guard:
            self.fresh.append(Lock(row.origin, row.release, row.url, member, got.bytes, got.sha256))

    def _ok(self, row: Row, path: Path, got: Got) -> None:
        place = path.relative_to(self.root).as_posix()
        with self._guard:
            self.receipts.append(Receipt(row.item, place, got.bytes, got.sha256, row.url, "ok", ""))

    def _settle(self, rows: Sequence[Row], status: str, reason: str) -> None:
        with self._guard:
            for row in rows:
                self.receipts.append(Receipt(row.item, "", None, "", row.url, status, self._clean(reason)))

    def _postpone(self, rows: Sequence[Row], reason: str) -> None:
        with self._guard:
            self.passing += [(row, self._clean(reason)) for row in rows]

    def _clean(self, text: str) -> str:
        return redact(text, self.source, self.options.environ)

    def _gate(self) -> Callable[[Row], str]:
        table = self.options.resources / "sources.tsv"
        releases = load_releases(table) if table.exists() else []

        def gate(row: Row) -> str:
            release = find_release(releases, self.source, row.release)
            return missing_licence(release, self.options.environ) if release else ""

        return gate

    def _wheels(self) -> Wheels:
        pins = {}
        if any(row.origin == "packaged" for row in self.rows):
            pins = load_pins(self.options.resources / "wheels.tsv")
        return Wheels(self.options.wheels_dir, pins, self.options.limits)


def _measure(path: Path) -> Got:
    return Got(path.stat().st_size, sha256_file(path), "")


def _tasks(rows: Sequence[Row], source: str, root: Path) -> list[Task]:
    """Rows grouped by the file they need, in the order of their first item."""
    tasks: dict[Path, Task] = {}
    for row in sorted(rows, key=lambda row: row.item):
        if row.origin == "simulated":
            raise SeedlotError(f"item '{row.item}' is simulated: a simulate rule writes it, no fetch")
        target = (
            container_path(root, source, row) if row.origin == "upstream" else raw_path(root, source, row)
        )
        tasks.setdefault(target, Task(target, [])).rows.append(row)
    return list(tasks.values())


def _by_host(tasks: Sequence[Task]) -> list[Task]:
    """Tasks in turn of their hosts, so that one slow host does not hold up the others."""
    hosts: dict[str, list[Task]] = {}
    for task in tasks:
        hosts.setdefault(urlsplit(task.rows[0].url).netloc, []).append(task)
    return [task for turn in zip_longest(*hosts.values()) for task in turn if task is not None]


def _unfinished(work: _Work, offline: bool) -> SeedlotError:
    """The error that ends a fetch: how many are open, which and why, and the next command."""
    passing = sorted(work.passing, key=lambda pair: pair[0].item)
    lines = [f"{row.item}: {reason} ({row.url})" for row, reason in passing[:SHOWN]]
    if len(passing) > SHOWN:
        lines.append(f"and {len(passing) - SHOWN} more")
    known = sum(row.bytes or 0 for row, _ in passing) / 1e6
    what = f"{len(passing)} of {len(work.rows)} items of {work.source} could not be fetched this time"
    todo = (
        "run the same command again: files that came are kept, the others are resumed; "
        "or name another place for them in `mirrors`"
    )
    if all(REMEDY in reason for _, reason in passing):
        todo = REMEDY
    elif offline:
        what = f"offline: {len(passing)} of {len(work.rows)} items of {work.source} are not here ({known:.1f} MB known)"
        todo = "run once with `offline: false`, or name a folder that holds these files in `mirrors`"
    return SeedlotError(what, where="\n         ".join(lines), todo=todo)
