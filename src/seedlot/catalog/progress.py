"""Progress of a transfer: a bar on a terminal, a plain line now and then elsewhere, nothing when nothing moves."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO


class Progress:
    """Counts files and bytes from many threads. total: files wanted; present: those that were here already."""

    def __init__(
        self,
        title: str,
        total: int,
        stream: TextIO | None = None,
        every_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.title, self.total, self.every_s, self.clock = title, total, every_s, clock
        self.stream = stream or sys.stderr
        self.files = self.bytes = 0
        self._lock = threading.Lock()
        self._last = clock()
        self._bar = None
        if self.stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(desc=title, unit="B", unit_scale=True, file=self.stream, dynamic_ncols=True)

    def add_bytes(self, change: int) -> None:
        """Bytes came (or, negative, were thrown away)."""
        with self._lock:
            self.bytes += change
            if self._bar is not None:
                self._bar.update(change)
            elif self.clock() - self._last >= self.every_s:
                self._line()

    def add_file(self) -> None:
        """One more file is here, whether fetched or found."""
        with self._lock:
            self.files += 1
            if self._bar is not None:
                self._bar.set_postfix_str(f"{self.files}/{self.total} files")

    def note(self, line: str) -> None:
        """One line about something odd, without breaking the bar."""
        with self._lock:
            if self._bar is not None:
                self._bar.write(f"{self.title}: {line}", file=self.stream)
            else:
                print(f"{self.title}: {line}", file=self.stream, flush=True)

    def close(self) -> None:
        """The last line, when bytes moved."""
        with self._lock:
            if self._bar is not None:
                self._bar.close()
            elif self.bytes:
                self._line()

    def _line(self) -> None:
        self._last = self.clock()
        text = f"{self.title}: {self.files} of {self.total} files, {self.bytes / 1e6:.1f} MB"
        print(text, file=self.stream, flush=True)
