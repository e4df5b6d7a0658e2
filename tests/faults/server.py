"""A local web server that misbehaves on purpose, one fault for each path."""

from __future__ import annotations

import base64
import hashlib
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[["Handler", int], None]


class Handler(BaseHTTPRequestHandler):
    """Looks the path up in `server.answers`; the answer also gets how often the path was asked before."""

    protocol_version = "HTTP/1.1"
    server: FaultServer

    def do_GET(self) -> None:
        with self.server.guard:
            before = sum(1 for path, _ in self.server.seen if path == self.path)
            self.server.seen.append((self.path, dict(self.headers)))
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.plain(404, b"nothing here")
        else:
            answer(self, before)

    def log_message(self, format: str, *args) -> None:
        """Quiet."""

    def plain(self, code: int, body: bytes, **headers: str) -> None:
        """A whole answer with a right length."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self) -> None:
        """Close the connection in the middle of things."""
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(2)


class FaultServer(ThreadingHTTPServer):
    """`answers`: path -> answer. `seen`: (path, headers) of every request, in order."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, Answer] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.guard = threading.Lock()
        self.busy = self.most_busy = 0
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> FaultServer:
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.shutdown()
        self.server_close()
        self.thread.join()

    def handle_error(self, request, client_address) -> None:
        """A client that goes away is part of the test."""

    def url(self, path: str) -> str:
        """The address of a path on this server."""
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def asked(self, path: str) -> list[dict[str, str]]:
        """Headers of the requests for a path."""
        return [headers for seen, headers in self.seen if seen == path]


def etag(body: bytes) -> str:
    """A strong entity tag of a body."""
    return '"' + hashlib.sha256(body).hexdigest()[:16] + '"'


def good(body: bytes, *, ranges: bool = True, tag: str | None = None, **headers: str) -> Answer:
    """A correct server: ranges, If-Range and an entity tag (or none of them)."""

    def answer(handler: Handler, before: int) -> None:
        send(handler, body, etag(body) if tag is None else tag, ranges=ranges, **headers)

    return answer


def send(
    handler: Handler,
    body: bytes,
    tag: str,
    *,
    ranges: bool = True,
    stop_at: int | None = None,
    **headers: str,
) -> None:
    """Answer with `body` from the asked offset; hang up after byte `stop_at` of the whole file."""
    start = 0
    wish, condition = handler.headers.get("Range"), handler.headers.get("If-Range")
    if wish and ranges and condition in (None, tag):
        start = int(wish.removeprefix("bytes=").rstrip("-"))
    if start >= len(body) and start:
        handler.plain(416, b"", Content_Range=f"bytes */{len(body)}")
        return
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
    if tag:
        handler.send_header("ETag", tag)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body) - start))
    handler.end_headers()
    handler.wfile.write(body[start:stop_at])
    if stop_at is not None:
        handler.hang_up()


def cut(body: bytes, at: int, *, times: int, ranges: bool = True, tag: str | None = None) -> Answer:
    """Hangs up after `at` bytes the first `times` times, then behaves."""

    def answer(handler: Handler, before: int) -> None:
        stop = at if before < times else None
        send(handler, body, etag(body) if tag is None else tag, ranges=ranges, stop_at=stop)

    return answer


def reset(body: bytes, at: int, *, times: int) -> Answer:
    """Resets the connection (not an orderly close) after `at` bytes, `times` times."""

    def answer(handler: Handler, before: int) -> None:
        if before >= times:
            send(handler, body, etag(body))
            return
        import socket
        import struct

        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.send_response(200)
        handler.send_header("ETag", etag(body))
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:at])
        handler.wfile.flush()
        time.sleep(0.05)
        handler.close_connection = True
        handler.connection.close()

    return answer


def changes(old: bytes, new: bytes, at: int, *, honest: bool = True) -> Answer:
    """Serves `at` bytes of `old`, then only `new`; a dishonest server ignores If-Range."""

    def answer(handler: Handler, before: int) -> None:
        if before == 0:
            send(handler, old, etag(old), stop_at=at)
            return
        if not honest and "If-Range" in handler.headers:
            del handler.headers["If-Range"]
        send(handler, new, etag(new))

    return answer


def refuse(code: int, times: int, body: bytes = b"", **headers: str) -> Answer:
    """Answers `code` the first `times` times, then serves `body`."""

    def answer(handler: Handler, before: int) -> None:
        if before < times:
            handler.plain(code, b"not now", **headers)
        else:
            send(handler, body, etag(body))

    return answer


def always(code: int, body: bytes = b"no", **headers: str) -> Answer:
    """One answer for ever."""
    return lambda handler, before: handler.plain(code, body, **headers)


def redirect(to: str, code: int = 302) -> Answer:
    """Sends the client elsewhere."""
    return lambda handler, before: handler.plain(code, b"", Location=to)


def wrong_length(body: bytes, declared: int) -> Answer:
    """Declares another length than it sends, then hangs up."""

    def answer(handler: Handler, before: int) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(declared))
        handler.end_headers()
        handler.wfile.write(body)
        handler.hang_up()

    return answer


def drip(body: bytes, pause_s: float, *, times: int) -> Answer:
    """Sends one byte at a time the first `times` times."""

    def answer(handler: Handler, before: int) -> None:
        if before >= times:
            send(handler, body, etag(body))
            return
        handler.send_response(200)
        handler.send_header("ETag", etag(body))
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        for position in range(len(body)):
            handler.wfile.write(body[position : position + 1])
            time.sleep(pause_s)

    return answer


def silent(seconds: float) -> Answer:
    """Accepts the request and says nothing."""

    def answer(handler: Handler, before: int) -> None:
        time.sleep(seconds)
        handler.hang_up()

    return answer


def alternating(*bodies: bytes) -> Answer:
    """Another body each time, without validators."""
    return lambda handler, before: handler.plain(200, bodies[min(before, len(bodies) - 1)])


def needs_key(body: bytes, key: str) -> Answer:
    """401 without the right key."""
    basic = "Basic " + base64.b64encode(key.encode()).decode()

    def answer(handler: Handler, before: int) -> None:
        if handler.headers.get("Authorization") in (f"Bearer {key}", basic):
            send(handler, body, etag(body))
        else:
            handler.plain(401, b"who are you?")

    return answer


def counted(body: bytes, hold_s: float) -> Answer:
    """Records how many requests were in progress at once."""

    def answer(handler: Handler, before: int) -> None:
        server = handler.server
        with server.guard:
            server.busy += 1
            server.most_busy = max(server.most_busy, server.busy)
        time.sleep(hold_s)
        with server.guard:
            server.busy -= 1
        send(handler, body, etag(body))

    return answer
