"""Connections with one deadline for everything that happens on them."""

import io
import os
import socket
import threading
import time
from typing import Any


class Deadline:
    """The time by which a call must end."""

    def __init__(self, seconds: float) -> None:
        self._end_time = time.monotonic() + seconds

    def left(self) -> float:
        """Return the remaining seconds. Raises TimeoutError if none are left."""
        left = self._end_time - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class ResolveError(Exception):
    """A host name that does not resolve. The message is the one that Go prints."""


def resolve(host: str, port: int, deadline: Deadline) -> list[str]:
    """Return the addresses of a host, in the resolver's order. Raises ResolveError, TimeoutError.

    The system's resolver has no timeout, so it runs in a thread. The call stops waiting for it at the deadline.
    """
    entries: list[Any] = []
    errors: list[OSError | UnicodeError] = []

    def look_up() -> None:
        try:
            entries.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            errors.append(error)

    thread = threading.Thread(target=look_up, daemon=True, name=f"resolve {host}")
    thread.start()
    thread.join(deadline.left())
    if thread.is_alive():
        raise TimeoutError
    if errors or not entries:
        raise ResolveError(f"dial tcp: lookup {host}: no such host")
    # The zone in fe80::1%eth0 names an interface and is not part of the address.
    return list(dict.fromkeys(entry[4][0].partition("%")[0] for entry in entries))


class DialError(Exception):
    """A failed connection to an address. The message is the one that Go prints."""


def dial(address: str, port: int, deadline: Deadline) -> socket.socket:
    """Connect to an address, without resolving anything. Raises DialError, TimeoutError."""
    try:
        return socket.create_connection((address, port), deadline.left())
    except TimeoutError:
        raise
    except OSError as error:
        raise DialError(f"dial tcp {_format_address((address, port))}: connect: {reason(error)}") from None


def _format_endpoints(connection: socket.socket) -> str:
    try:
        return f"{_format_address(connection.getsockname())}->{_format_address(connection.getpeername())}"
    except OSError:
        return "?"


def _format_address(address: tuple[Any, ...]) -> str:
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reason(error: OSError) -> str:
    """Return the text of an error as Go writes it: the system's text in lower case."""
    return os.strerror(error.errno).lower() if error.errno else str(error) or type(error).__name__


class TimedSocket:
    """A connected socket for `http.client` with one deadline. `endpoints` has both addresses in Go's notation."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline
        # Read the addresses now, because the system forgets them when the connection is reset.
        self.endpoints = _format_endpoints(connection)

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(self._deadline.left())
        self._connection.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._connection, self._deadline))

    def close(self) -> None:
        """Do nothing. The transport closes the connection after it has read the response."""


class _Reader(io.RawIOBase):
    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.left())
        return self._connection.recv_into(buffer)
