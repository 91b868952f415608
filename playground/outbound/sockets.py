"""Connections with one deadline for everything that happens on them."""

import io
import os
import socket
import threading
import time
from typing import Any


class Deadline:
    """The moment by which an exchange must be over."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds; raises TimeoutError when there are none."""
        left = self._at - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class ResolveError(Exception):
    """A name that leads nowhere; the text is Go's."""


def resolve(host: str, port: int, deadline: Deadline) -> list[str]:
    """The addresses of a host, in the resolver's order. Raises ResolveError, TimeoutError.

    The system's resolver knows no deadlines, so it is asked in a thread that is left behind if it takes too long.
    """
    found: list[Any] = []
    problem: list[OSError | UnicodeError] = []

    def ask() -> None:
        try:
            found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            problem.append(error)

    thread = threading.Thread(target=ask, daemon=True, name=f"resolve {host}")
    thread.start()
    thread.join(deadline.left())
    if thread.is_alive():
        raise TimeoutError
    if problem or not found:
        raise ResolveError(f"dial tcp: lookup {host}: no such host")
    # A zone, as in fe80::1%eth0, says where an address counts, not what it is.
    return list(dict.fromkeys(entry[4][0].partition("%")[0] for entry in found))


class DialError(Exception):
    """Nobody answers at an address; the text is Go's."""


def dial(address: str, port: int, deadline: Deadline) -> socket.socket:
    """Connect to an address, which is not looked up again. Raises DialError, TimeoutError."""
    try:
        return socket.create_connection((address, port), deadline.left())
    except TimeoutError:
        raise
    except OSError as error:
        raise DialError(f"dial tcp {_shown((address, port))}: connect: {reason(error)}") from None


def _ends(connection: socket.socket) -> str:
    try:
        return f"{_shown(connection.getsockname())}->{_shown(connection.getpeername())}"
    except OSError:
        return "?"


def _shown(end: tuple[Any, ...]) -> str:
    host, port = end[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reason(error: OSError) -> str:
    """As Go words it: the system's text in lower case."""
    return os.strerror(error.errno).lower() if error.errno else str(error) or type(error).__name__


class TimedSocket:
    """A connected socket for `http.client`: each wait is as long as the deadline allows. `ends` as Go names them."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline
        # Taken now: of a connection that was reset nobody knows them any more.
        self.ends = _ends(connection)

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(self._deadline.left())
        self._connection.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._connection, self._deadline))

    def close(self) -> None:
        """The door closes the connection itself, when everything has been read."""


class _Reader(io.RawIOBase):
    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.left())
        return self._connection.recv_into(buffer)
