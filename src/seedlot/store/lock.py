"""One writer per results root.

Snakemake's own lock outlives a killed process and then blocks the next run. Ours names user, host and
process, so a dead holder on the same host is replaced at once, and a living one is named in the message.
"""

from __future__ import annotations

import getpass
import json
import os
import socket
from pathlib import Path

from seedlot.config.errors import SeedlotError

NAME = ".seedlot.lock"


def _started(pid: int) -> str | None:
    """Start time of a process in clock ticks, as /proc tells it: a reused pid has another one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[19]


def _alive(pid: int, started: str | None) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return started is None or _started(pid) == started


def _user() -> str:
    """The user's name, or number where the system knows no name for it, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def acquire(root: Path) -> None:
    """Take the lock of a results root for this process, replacing a dead holder on this host.

    Raises SeedlotError when a living process, or one on another host, holds it.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        where = str(root.absolute())
        raise SeedlotError(
            f"cannot make the results root: {error.strerror}", where=where, todo="set `root:` in the config"
        ) from None
    path = root / NAME
    me = {
        "user": _user(),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "started": _started(os.getpid()),
    }
    part = root / f"{NAME}.{me['host']}.{me['pid']}"
    part.write_text(json.dumps(me), encoding="utf-8")
    try:
        for _ in range(3):
            try:
                os.link(part, path)  # atomic on local and network file systems alike
                return
            except FileExistsError:
                _refuse_or_clear(path, me)
        raise SeedlotError(
            "the results root is being taken by other processes", where=str(path), todo="run again"
        )
    finally:
        part.unlink()


def _refuse_or_clear(path: Path, me: dict) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    try:
        holder = json.loads(text)
    except ValueError:
        holder = {}
    same_host = holder.get("host") == me["host"]
    pid = holder.get("pid")
    mine = same_host and pid == me["pid"] and holder.get("started") == me["started"]
    if mine or not holder or (same_host and not _alive(pid, holder.get("started"))):
        _clear(path, text)
        return
    raise SeedlotError(
        f"another run writes to this results root: {holder['user']} on {holder['host']}, process {pid}",
        where=str(path.parent),
        todo="wait for it to end, or set another `root:` in the config; "
        + ("stop it with kill " + str(pid) if same_host else f"if that host is gone, remove {path}"),
    )


def _clear(path: Path, text: str) -> None:
    """Remove the lock that holds `text`; one that another process put there meanwhile is put back."""
    aside = path.with_name(f"{NAME}.aside.{os.getpid()}")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    if aside.read_text(encoding="utf-8") != text:
        os.link(aside, path)
    aside.unlink()


def release(root: Path) -> None:
    """Give the lock back if this process holds it."""
    path = root / NAME
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if holder.get("pid") == os.getpid() and holder.get("host") == socket.gethostname():
        path.unlink(missing_ok=True)
