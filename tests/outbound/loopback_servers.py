"""Servers on loopback that answer as a test requires, byte by byte."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from playground.outbound.allow_list import AllowList
from playground.outbound.egress import AllowlistedTransport, Limits
from scheduler_core.config.types import ExtenderTLSConfig
from scheduler_core.extender import Response, TransportError

CERTS = Path(__file__).parent / "certs"
LOOPBACK = "127.0.0.0/8"

# Answers a connection whose request was read; the server closes it afterwards.
Script = Callable[[socket.socket], None]


@dataclass
class Server:
    """A server. `requests` are the received heads and bodies."""

    port: int
    requests: list[tuple[str, bytes]] = field(default_factory=list)

    def url(self, path: str = "/f", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@contextmanager
def serve(script: Script, tls: ssl.SSLContext | None = None, reads: bool = True) -> Iterator[Server]:
    """Run a server in a thread of its own, and close its connections at the end.

    With `reads` false the script reads the request.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(listener.getsockname()[1])
    open_: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            open_.append(connection)
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    def answer(connection: socket.socket) -> None:
        # The client may hang up at any time.
        with suppress(OSError):
            spoken = connection if tls is None else tls.wrap_socket(connection, server_side=True)
            open_.append(spoken)
            if reads:
                server.requests.append(_read_request(spoken))
            script(spoken)
            spoken.close()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        # Closing alone would leave `accept` waiting.
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in open_:
            connection.close()


def _read_request(connection: socket.socket) -> tuple[str, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536) or _gone()
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while len(body) < int(lengths[0]):
        body += connection.recv(65536) or _gone()
    return head.decode(), body


def _gone() -> bytes:
    raise ConnectionError


def sends(*parts: bytes) -> Script:
    def script(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)

    return script


def answers(body: bytes, status: str = "200 OK", *headers: str) -> Script:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return sends("\r\n".join(lines).encode() + body)


def hangs(*parts: bytes) -> Script:
    """Return a script that sends so much, then neither answers nor closes until the client disconnects."""

    def script(connection: socket.socket) -> None:
        sends(*parts)(connection)
        connection.recv(1)

    return script


def drips(head: bytes, drop: bytes, seconds: float) -> Script:
    """Return a script that sends `head`, then a drop at a time forever, so that no single wait is long."""

    def script(connection: socket.socket) -> None:
        connection.sendall(head)
        pause = threading.Event()
        while not pause.wait(seconds):
            connection.sendall(drop)

    return script


def floods(head: bytes) -> Script:
    """Return a script that sends an endless answer as fast as possible."""

    def script(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(b" " * 65536)

    return script


def resets(*parts: bytes) -> Script:
    """Return a script that sends so much, then resets the connection."""

    def script(connection: socket.socket) -> None:
        sends(*parts)(connection)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    return script


def free_port() -> int:
    """Return a port of loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def door(
    *allowed: str, response_bytes: int = 100_000, seconds: float = 5.0, per_attempt: float = 60.0
) -> AllowlistedTransport:
    return AllowlistedTransport(AllowList(allowed or (LOOPBACK,)), Limits(response_bytes, seconds, per_attempt))


def post(door: AllowlistedTransport, url: str, timeout: float = 5.0, tls: ExtenderTLSConfig | None = None) -> Response:
    return door.post(url, b'{"Pod":null}', timeout, tls)


def refusal(door: AllowlistedTransport, url: str, timeout: float = 5.0, tls: ExtenderTLSConfig | None = None) -> str:
    with pytest.raises(TransportError) as refused:
        post(door, url, timeout, tls)
    return str(refused.value)
