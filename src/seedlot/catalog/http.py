"""One file over HTTP: resume, retries, and a check of everything a server can get wrong."""

from __future__ import annotations

import email.utils
import json
import shutil
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from seedlot.catalog.files import fsync_rename, sha256_file, write_whole
from seedlot.catalog.limits import Limits

COMPRESSED = (".gz", ".tgz", ".bgz", ".br", ".zst", ".xz", ".bz2", ".z")
MARKUP = (".html", ".htm", ".xhtml")
SNIFFED = 512
NO_ACCESS = (401, 403, 407, 451)
GONE = (404, 410)
RETRIED = (408, 425, 429)


class Permanent(Exception):
    """A cause that another try will not mend. status: the receipt's word (missing, no_access, failed)."""

    def __init__(self, status: str, reason: str):
        self.status, self.reason = status, reason
        super().__init__(reason)


class Transient(Exception):
    """A cause that may pass. wait: seconds the server asked for. fatal: no more tries in this run."""

    def __init__(self, reason: str, *, wait: float | None = None, fatal: bool = False):
        self.reason, self.wait, self.fatal = reason, wait, fatal
        super().__init__(reason)


@dataclass(frozen=True)
class Wanted:
    """What is known of a file before it is fetched: its name for messages, size, and hex SHA-256 or ''."""

    name: str
    bytes: int | None = None
    sha256: str = ""


@dataclass(frozen=True)
class Got:
    """What was fetched: size, hex SHA-256, and the address it came from."""

    bytes: int
    sha256: str
    url: str


@dataclass
class Web:
    """A client with its limits. sleep and clock are replaced in tests; note takes one line for the user."""

    client: httpx.Client
    limits: Limits
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    note: Callable[[str], None] = lambda line: None
    headers: dict[str, str] = field(default_factory=dict)


def open_client(limits: Limits, agent: str = "seedlot") -> httpx.Client:
    """A client that asks for bytes as they lie on the server and follows redirects only through `_open`."""
    return httpx.Client(
        timeout=httpx.Timeout(limits.read_s, connect=limits.connect_s),
        limits=httpx.Limits(max_connections=limits.connections, max_keepalive_connections=limits.connections),
        headers={"Accept-Encoding": "identity", "User-Agent": agent},
        follow_redirects=False,
    )


def download(web: Web, url: str, target: Path, wanted: Wanted, on_bytes: Callable[[int], None]) -> Got:
    """Fetch `url` into `target`, resuming `<target>.part`; returns size and digest after the rename.

    headers of `web` (a key) go to the first host only. on_bytes gets the change in bytes held, negative
    after a restart. Raises Permanent or Transient when tries are used up; what came so far stays in `.part`.
    """
    part, facts = _part(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    idle, wrong = 0, ""
    for attempt in range(1, web.limits.max_attempts + 1):
        before = part.stat().st_size if part.exists() else 0
        try:
            _transfer(web, url, part, facts, wanted, on_bytes)
            got = Got(part.stat().st_size, sha256_file(part), url)
            problem = mismatch(wanted, got)
            if not problem:
                fsync_rename(part, target)
                facts.unlink(missing_ok=True)
                return got
            aside = set_aside(part, target)
            facts.unlink(missing_ok=True)
            on_bytes(-got.bytes)
            if got.sha256 == wrong:
                raise Permanent("failed", f"{problem}; twice the same bytes, kept as {aside.name}")
            wrong = got.sha256
            cause = Transient(f"{problem}; kept as {aside.name}")
        except Permanent:
            part.unlink(missing_ok=True)
            facts.unlink(missing_ok=True)
            raise
        except Transient as error:
            cause = error
        after = part.stat().st_size if part.exists() else 0
        idle = 1 if after > before else idle + 1
        if cause.fatal or idle >= web.limits.tries or attempt == web.limits.max_attempts:
            raise Transient(f"{cause.reason} (gave up after {attempt} tries)", fatal=True)
        wait = (
            min(web.limits.wait_cap_s, web.limits.wait_s * 2 ** (idle - 1))
            if cause.wait is None
            else cause.wait
        )
        web.note(f"{wanted.name}: {cause.reason}; next try in {wait:g} s")
        web.sleep(wait)
    raise AssertionError("unreachable: the last attempt raises")


def mismatch(wanted: Wanted, got: Got) -> str:
    """One sentence when size or digest differ from what the manifest or lock says, else ''."""
    if wanted.bytes is not None and wanted.bytes != got.bytes:
        return f"expected {wanted.bytes} bytes, got {got.bytes}"
    if wanted.sha256 and wanted.sha256 != got.sha256:
        return f"expected sha256 {wanted.sha256[:16]}…, got {got.sha256[:16]}…"
    return ""


def set_aside(path: Path, target: Path) -> Path:
    """Keep wrong bytes as `<target>.bad`, replacing an older one, so that a person can look at them."""
    aside = target.with_name(target.name + ".bad")
    path.replace(aside)
    return aside


def _part(target: Path) -> tuple[Path, Path]:
    return target.with_name(target.name + ".part"), target.with_name(target.name + ".part.json")


def _restart(part: Path, facts: Path, on_bytes: Callable[[int], None]) -> None:
    if part.exists():
        on_bytes(-part.stat().st_size)
        part.write_bytes(b"")
    facts.unlink(missing_ok=True)


def _transfer(
    web: Web, url: str, part: Path, facts: Path, wanted: Wanted, on_bytes: Callable[[int], None]
) -> None:
    """One attempt: ask, compare the answer's promises with what is held, append the body to `.part`."""
    held = part.stat().st_size if part.exists() else 0
    known = json.loads(facts.read_text()) if facts.exists() else {}
    validator = known.get("validator", "")
    if held and (known.get("url") != url or not (validator or wanted.sha256)):
        _restart(part, facts, on_bytes)
        held = 0
    if held and held in (known.get("total"), wanted.bytes):
        return
    headers = {"Range": f"bytes={held}-"} if held else {}
    if held and validator:
        headers["If-Range"] = validator
    try:
        response = _open(web, url, headers)
    except (httpx.TransportError, ssl.SSLError, OSError) as error:
        raise Transient(_say(error, url)) from None
    try:
        total = _judge_answer(web, response, url, wanted, held)
        fresh = _validator(response)
        if response.status_code == 416 or (held and _changed(response, known, held)):
            _restart(part, facts, on_bytes)
            raise Transient("the file on the server changed since the last try, starting again", wait=0.0)
        if held and response.status_code == 200:
            _restart(part, facts, on_bytes)
            held = 0
        if not held:
            write_whole(facts, json.dumps({"url": url, "validator": fresh, "total": total}).encode())
        _check_room(part, total, held)
        _receive(web, response, part, wanted, held, total, on_bytes)
    except (httpx.TransportError, httpx.StreamError, ssl.SSLError) as error:
        raise Transient(_say(error, url)) from None
    finally:
        response.close()


def _open(web: Web, url: str, headers: dict[str, str]) -> httpx.Response:
    """Send the request, redirects one by one: never from https to http, never a key to another host."""
    request = web.client.build_request("GET", url, headers=headers | web.headers)
    for _ in range(web.limits.redirects + 1):
        response = web.client.send(request, stream=True)
        follow = response.next_request
        if follow is None:
            return response
        response.close()
        if follow.url.scheme not in ("http", "https") or (request.url.scheme == "https" != follow.url.scheme):
            raise Permanent("failed", f"the server redirects from https to '{follow.url.scheme}'")
        request = follow
    raise Permanent("failed", f"more than {web.limits.redirects} redirects from {url}")


def _judge_answer(web: Web, response: httpx.Response, url: str, wanted: Wanted, held: int) -> int | None:
    """The full size the answer promises, or None; raises for every answer that brings no data."""
    code = response.status_code
    host = urlsplit(url).hostname
    if code in RETRIED or code >= 500 or (code in NO_ACCESS and "retry-after" in response.headers):
        wait = _retry_after(response, web.wall())
        too_long = wait is not None and wait > web.limits.retry_after_cap_s
        asks = f", asks to wait {wait:g} s" if wait is not None else ""
        raise Transient(f"{host} answered {code}{asks}", wait=wait, fatal=too_long)
    if code in GONE:
        raise Permanent("missing", f"{host} answered {code}: the file is not there any more")
    if code in NO_ACCESS:
        raise Permanent("no_access", f"{host} answered {code}: access refused")
    if code == 416:
        return None
    if code not in (200, 206) or (code == 206 and not held):
        raise Permanent("failed", f"{host} answered {code}, expected 200")
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding != "identity" and not wanted.name.lower().endswith(COMPRESSED):
        raise Permanent("failed", f"{host} compresses in transit ({encoding}) though asked not to")
    total = _total(response, held)
    if (
        total is not None
        and wanted.bytes is not None
        and total != wanted.bytes
        and not _is_markup(response, wanted)
    ):
        raise Permanent("failed", f"expected {wanted.bytes} bytes, {host} offers {total}")
    return total


def _is_markup(response: httpx.Response, wanted: Wanted) -> bool:
    kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
    return kind in ("text/html", "application/xhtml+xml") and not wanted.name.lower().endswith(MARKUP)


def _total(response: httpx.Response, held: int) -> int | None:
    if response.status_code == 206:
        _, _, size = response.headers.get("content-range", "").rpartition("/")
        return int(size) if size.isdigit() else None
    size = response.headers.get("content-length", "")
    return int(size) if size.isdigit() else None


def _validator(response: httpx.Response) -> str:
    tag = response.headers.get("etag", "")
    return tag if tag.startswith('"') else response.headers.get("last-modified", "")


def _changed(response: httpx.Response, known: dict, held: int) -> bool:
    """Whether a partial answer does not continue what is held: other start, other size or other version."""
    if response.status_code != 206:
        return False
    start = response.headers.get("content-range", "").removeprefix("bytes ").split("-")[0].strip()
    if start != str(held):
        return True
    fresh, total = _validator(response), _total(response, held)
    old, size = known.get("validator", ""), known.get("total")
    return bool(fresh and old and fresh != old) or (total is not None and size is not None and total != size)


def _check_room(part: Path, total: int | None, held: int) -> None:
    if total is None:
        return
    free = shutil.disk_usage(part.parent).free
    if total - held > free:
        raise Transient(f"needs {total - held} bytes, {free} are free in {part.parent}", fatal=True)


def _receive(
    web: Web,
    response: httpx.Response,
    part: Path,
    wanted: Wanted,
    held: int,
    total: int | None,
    on_bytes: Callable[[int], None],
) -> None:
    """Append the body to `.part`, watching its first bytes, its size and its speed."""
    most = min(x for x in (total, wanted.bytes, web.limits.max_file_bytes) if x is not None)
    head = b"" if not held else None
    window_from, window_bytes = web.clock(), 0
    with part.open("ab") as stream:
        for chunk in response.iter_raw():
            if head is not None:
                head += chunk[:SNIFFED]
                _refuse_page(head, response, wanted)
                head = head if len(head) < SNIFFED else None
            held += len(chunk)
            if held > most:
                raise Permanent("failed", f"more than the {most} bytes expected")
            stream.write(chunk)
            on_bytes(len(chunk))
            window_bytes += len(chunk)
            now = web.clock()
            if now - window_from >= web.limits.slow_window_s:
                rate = window_bytes / (now - window_from)
                if rate < web.limits.slow_bytes_per_s:
                    raise Transient(
                        f"too slow: {rate:.0f} bytes/s, expected {web.limits.slow_bytes_per_s:.0f}"
                    )
                window_from, window_bytes = now, 0
    if total is not None and held < total:
        raise Transient(f"cut off at {held} of {total} bytes")


def _refuse_page(head: bytes, response: httpx.Response, wanted: Wanted) -> None:
    """Raise when the first bytes are a web page and no page was wanted."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    page = start.startswith((b"<!doctype html", b"<html")) or (
        start[:1] == b"<" and _is_markup(response, wanted)
    )
    if page and not wanted.name.lower().endswith(MARKUP):
        text = " ".join(head[:80].decode("utf-8", "replace").split())
        raise Permanent("failed", f"a web page instead of data (a login or error page?): {text!r}")


def _retry_after(response: httpx.Response, now: float) -> float | None:
    """Seconds of a Retry-After header, given as a number or as a date."""
    text = response.headers.get("retry-after", "").strip()
    if text.isdigit():
        return float(text)
    parsed = email.utils.parsedate_tz(text) if text else None
    return max(0.0, email.utils.mktime_tz(parsed) - now) if parsed else None


def _say(error: Exception, url: str) -> str:
    """A transport error in words a person can act on."""
    host = urlsplit(url).hostname
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection to {host} in time"
    if isinstance(error, httpx.TimeoutException):
        return f"{host} went silent"
    if isinstance(error, httpx.ConnectError):
        return f"cannot reach {host} ({error})"
    return f"the connection to {host} broke ({error or type(error).__name__})"
