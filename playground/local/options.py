"""Options of `make run` from environment variables: PORT, HOST, DATA_DIR, NO_BROWSER, WORKER_CONCURRENCY."""

import errno
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from playground.folders import START, data_dir

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
PORTS_TO_TRY = 20
WORKER_PROCESSES = 2
LOOPBACK = "127.0.0.1"


class StartError(Exception):
    """A reason why the playground cannot start, as one sentence for the person who started it."""


@dataclass(frozen=True)
class Options:
    """The options of a start. `port` is None if PORT is not set: then any free port near the default is used."""

    host: str
    port: int | None
    data_dir: Path
    open_browser: bool
    worker_processes: int

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Options":
        """Read the settings; an empty variable counts as not given. Raises StartError naming every wrong one."""
        problems: list[str] = []
        port = _number(environ, "PORT", 0, 65535, problems)
        processes = _number(environ, "WORKER_CONCURRENCY", 1, 64, problems)
        if problems:
            raise StartError("; ".join(problems))
        return cls(
            host=environ.get("HOST") or DEFAULT_HOST,
            port=port,
            data_dir=Path(environ.get("DATA_DIR") or data_dir()).expanduser().absolute(),
            open_browser=environ.get("NO_BROWSER", "") in ("", "0"),
            worker_processes=processes or WORKER_PROCESSES,
        )


def _number(environ: Mapping[str, str], name: str, low: int, high: int, problems: list[str]) -> int | None:
    text = environ.get(name, "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit() and low <= int(text) <= high:
        return int(text)
    problems.append(f"{name}={text}: must be a whole number from {low} to {high}")
    return None


def listen(options: Options) -> socket.socket:
    """Open the listening socket, which stays open while the web process restarts.

    Without PORT the first free port from 8000 on is used; PORT=0 uses any free port. Raises StartError.
    """
    if options.port is not None:
        return _bind(options.host, options.port)
    for port in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TO_TRY):
        try:
            return _bind(options.host, port)
        except PortTakenError:
            continue
    raise StartError(
        f"Ports {DEFAULT_PORT} to {port} are all taken on {options.host}; name a free one: PORT=9000 {START}"
    )


class PortTakenError(StartError):
    """A start error: another program listens on the port."""


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise StartError(f"HOST={host}: {error.strerror}") from error
    listener = socket.socket(family, kind, proto)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except PermissionError as error:
        listener.close()
        raise StartError(
            f"PORT={port}: not allowed; ports below 1024 belong to the system, choose a higher one"
        ) from error
    except OSError as error:
        listener.close()
        if error.errno != errno.EADDRINUSE:
            raise StartError(f"HOST={host} PORT={port}: {error.strerror}") from error
        raise PortTakenError(
            f"PORT={port}: taken on {host} by another program; stop that one or choose another port, "
            f"for example: PORT={port + 1} {START}"
        ) from error
    return listener


def url(listener: socket.socket, allowed_hosts: str = "") -> str:
    """Return the URL to open. The first allowed host replaces a wildcard address, which browsers cannot open."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104  compared, not bound
        names = [name.strip() for name in allowed_hosts.split(",")]
        host = next((name for name in names if name and name[0] not in "*."), LOOPBACK)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
