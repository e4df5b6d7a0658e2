"""Files that are whole or absent: written under a temporary name, flushed to disk, then renamed."""

from __future__ import annotations

import itertools
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seedlot.config.errors import SeedlotError

REBUILD = "`seedlot audit --repair` rebuilds what is damaged"
_serial = itertools.count()


def _part(path: Path) -> Path:
    """The temporary neighbour of `path`. It ends in `.part`, so no glob over data files matches it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(f"{path.name}.{os.getpid()}-{next(_serial)}.part")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Delete a file, a link or a whole folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Give a temporary path in the same folder; when the block ends well, it becomes `path`.

    The block writes one file there. The file is flushed (fsync), renamed over `path`, and the folder
    entry is flushed too, so a crash leaves the old file or the new one. When the block raises, the
    temporary file is removed and `path` is untouched. Writers that look at the file name's ending must
    be told their format, as the temporary name ends in `.part`. Missing folders are made.
    """
    path = Path(path)
    part = _part(path)
    try:
        yield part
        _sync(part)
        part.replace(path)
        _sync(path.parent)
    except BaseException:
        remove(part)
        raise


@contextmanager
def atomic_folder(path: Path | str) -> Iterator[Path]:
    """Like `atomic_path` for a folder: the block fills a temporary folder, which then becomes `path`.

    A folder cannot be renamed over a filled one, so an old `path` is moved aside first and removed last;
    a crash between the two renames leaves no `path` (then the job counts as not done), never a mixture.
    """
    path = Path(path)
    part = _part(path)
    part.mkdir()
    try:
        yield part
        for file in sorted(p for p in part.rglob("*") if p.is_file()):
            _sync(file)
        old = _part(path)
        if path.exists():
            path.rename(old)
        part.rename(path)
        _sync(path.parent)
        remove(old)
    except BaseException:
        remove(part)
        raise


def write_bytes(path: Path | str, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all."""
    with atomic_path(path) as part:
        part.write_bytes(data)


def write_text(path: Path | str, text: str) -> None:
    """Write `text` to `path` as UTF-8 with the line ends it has, whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path | str, obj: Any) -> None:
    """Write `obj` as JSON: keys sorted, two spaces, UTF-8, a final newline. NaN and infinity are refused."""
    text = json.dumps(obj, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n")


def read_json(path: Path | str, todo: str | None = None) -> Any:
    """What a JSON file holds. Raises SeedlotError, which names the file, when it is damaged; todo: what to do then."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise SeedlotError(f"not whole JSON: {error}", where=str(path), todo=todo or REBUILD) from None
