"""Every number that bounds a transfer, in one place, so that tests and slow links can change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from seedlot.config.errors import SeedlotError, unknown


@dataclass(frozen=True)
class Limits:
    """Seconds, bytes and counts that a transfer keeps to.

    tries: attempts in a row that bring no new byte. max_attempts: attempts of one file in all. The wait
    before attempt k is min(wait_cap_s, wait_s * 2**(k-1)), without jitter. A server's Retry-After above
    retry_after_cap_s ends the file for this run. Over each window of slow_window_s a transfer must bring
    slow_bytes_per_s, or it is cut and resumed.
    """

    connect_s: float = 20.0
    read_s: float = 60.0
    slow_window_s: float = 60.0
    slow_bytes_per_s: float = 1024.0
    tries: int = 5
    max_attempts: int = 50
    wait_s: float = 1.0
    wait_cap_s: float = 60.0
    retry_after_cap_s: float = 300.0
    redirects: int = 8
    connections: int = 8
    per_host: int = 2
    max_file_bytes: int = 1 << 40
    max_member_bytes: int = 64 << 30
    max_member_ratio: float = 2000.0
    max_members: int = 1_000_000

    def __post_init__(self) -> None:
        for item in fields(self):
            if getattr(self, item.name) <= 0:
                raise SeedlotError(f"network limit '{item.name}' must be above zero")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Limits:
        """Limits with some values changed; an unknown name is refused with the nearest valid one."""
        names = [item.name for item in fields(cls)]
        for name in values:
            if name not in names:
                raise unknown("network limit", name, names)
        return cls(**values)
