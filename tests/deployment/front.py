"""Caddy as docker-compose.yml runs it, with the same file, in front of a playground; and a client of it."""

import asyncio
import http.client
import json
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.services import ROOT, STOP_SECONDS, spawn, wait_for
from tools import caddy

# Caddy is its own authority for such a name, and the playground takes it for a public one.
HOST = "play.local"
FILE = ROOT / "examples" / "deployment" / "Caddyfile"


@dataclass(frozen=True)
class Front:
    """A running proxy: its port for TLS, and the certificate of the authority that signed its own."""

    port: int
    trust: ssl.SSLContext

    @property
    def origin(self) -> str:
        return f"https://{HOST}:{self.port}"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def proxy(web: str, folder: Path) -> Iterator[Front]:
    """Run Caddy in front of the playground at `web`."""
    folder.mkdir()
    port, http_port = free_port(), free_port()
    at = urlsplit(web)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "PUBLIC_HOST": HOST,
        "HTTP_PORT": str(http_port),
        "HTTPS_PORT": str(port),
        "WEB_HOST": str(at.hostname),
        "WEB_PORT": str(at.port),
    }
    # It offers its authority to the system's own store, which is not for a test to change.
    settings = folder / "Caddyfile"
    settings.write_text(FILE.read_text().replace("admin off", "admin off\n\tskip_install_trust", 1))
    with (folder / "log").open("wb") as log:
        process = spawn(
            [caddy.find(), "run", "--adapter", "caddyfile", "--config", str(settings)],
            env=environ,
            stdout=log,
            stderr=log,
        )
    try:
        root = folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        wait_for(lambda: process.poll() is None and root.exists() and "BEGIN" in root.read_text(), "Caddy's authority")
        trust = ssl.create_default_context(cafile=str(root))
        wait_for(lambda: answers(port, trust), f"Caddy to answer: {(folder / 'log').read_text()}")
        yield Front(port, trust)
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def answers(port: int, trust: ssl.SSLContext) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port)) as plain, trust.wrap_socket(plain, server_hostname=HOST):
            return True
    except OSError:
        return False


class _Connection(http.client.HTTPSConnection):
    """A connection to this machine, whatever name the address has, from an address of its own."""

    def __init__(self, front: Front, source: str) -> None:
        super().__init__(HOST, front.port, timeout=30)
        self._front, self._from = front, source

    def connect(self) -> None:
        plain = socket.create_connection(("127.0.0.1", self._front.port), 30, (self._from, 0))
        self.sock = self._front.trust.wrap_socket(plain, server_hostname=HOST)


@dataclass
class Somebody:
    """A browser on another machine: `source` is its address, as the proxy sees it."""

    front: Front
    source: str = "127.0.0.2"
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, form: dict[str, str] | None = None, data: object = None) -> tuple[int, str]:
        """Request a page, send one of its forms, or send data to the API."""
        connection = _Connection(self.front, self.source)
        said = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        body = None
        if form is not None:
            body = urlencode({**form, "csrfmiddlewaretoken": self.cookies.get("csrftoken", "")})
            said |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.front.origin}
        if data is not None:
            body = json.dumps(data)
            said |= {"Content-Type": "application/json", "Origin": self.front.origin}
            said |= {"X-CSRFToken": self.cookies.get("csrftoken", "")}
        try:
            connection.request(method, path, body, {**said, **self.headers})
            answer = connection.getresponse()
            for line in answer.headers.get_all("Set-Cookie", []):
                for name, morsel in SimpleCookie(line).items():
                    self.cookies[name] = morsel.value
                    assert morsel["secure"], line
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def log_in(self, username: str, password: str) -> tuple[int, str]:
        status, _ = self.ask("GET", "/accounts/login/")
        assert status == 200
        return self.ask("POST", "/accounts/login/", {"username": username, "password": password})

    def knock(self, cluster: int, origin: str) -> int:
        """Return the status with which the server answers a socket's handshake from a page of that origin.

        The request is written by hand, to read an answer that doesn't open a socket.
        """
        handshake = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        self.headers = {**handshake, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": origin}
        status, _ = self.ask("GET", f"/ws/clusters/{cluster}/?after=0")
        return status

    def first_message(self, cluster: int) -> object:
        """Return the first message of a page's socket."""
        return asyncio.run(self._first_message(cluster))

    async def _first_message(self, cluster: int) -> object:
        async with connect(
            f"wss://{HOST}:{self.front.port}/ws/clusters/{cluster}/?after=0",
            host="127.0.0.1",
            ssl=self.front.trust,
            origin=Origin(self.front.origin),
            additional_headers={"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())},
        ) as stream:
            return json.loads(await asyncio.wait_for(stream.recv(), 30))
