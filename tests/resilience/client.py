"""A client as docs/how-to/deploy.md wants it: every command has a key, and is sent again until it is answered."""

import http.client
import json
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urlsplit

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.services import until

REQUEST_SECONDS = 10.0
PATIENCE_SECONDS = 120.0
Answer = tuple[int, Any]


class GaveUpError(Exception):
    """Raised if no web process answered for a long time."""


class Client:
    """A client of several web processes; it uses another one if one does not answer."""

    def __init__(self, urls: Sequence[str], login: tuple[str, str] | None, entrance: str = "/") -> None:
        """Log in, or load the page `entrance` where there is no login."""
        self.urls = list(urls)
        self.retries = 0
        self._cookies: dict[str, str] = {}
        self._turn = 0
        self._get_page(entrance if login is None else "/accounts/login/")
        if login is not None:
            form = {"username": login[0], "password": login[1]}
            self.send_form("/accounts/login/", form)

    def send_form(self, path: str, form: dict[str, str]) -> None:
        """Send one of the pages' own forms, which redirect on success."""
        form = {**form, "csrfmiddlewaretoken": self._cookies["csrftoken"]}
        status, _ = self._until_answered("POST", path, urlencode(form), "application/x-www-form-urlencoded")
        assert status == 302, f"{path} was answered with {status}"

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def get(self, path: str) -> Any:
        return json.loads(self.get_text(path))

    def get_text(self, path: str) -> str:
        status, text = self._until_answered("GET", f"/api/v1/{path}")
        assert status == 200, f"{path}: {status} {text!r}"
        return text.decode()

    def status(self, path: str) -> int:
        return self._until_answered("GET", f"/api/v1/{path}")[0]

    def post(self, path: str, data: Any) -> Any:
        """Post until a web process answers within REQUEST_SECONDS; only for requests that may be sent twice."""
        status, text = self._until_answered("POST", f"/api/v1/{path}", json.dumps(data), "application/json")
        assert status in (200, 201, 202), f"{path}: {status} {text!r}"
        return json.loads(text)

    def post_once(self, path: str, data: Any) -> Any:
        """Post to the first web process and wait as long as a busy machine needs."""
        status, answer = self.ask_once("POST", f"/api/v1/{path}", data)
        assert status in (200, 201, 202), f"{path}: {status} {answer!r}"
        return answer

    def put(self, path: str, data: Any) -> Any:
        """Put until a web process answers; only for requests that may be sent twice."""
        status, text = self._until_answered("PUT", f"/api/v1/{path}", json.dumps(data), "application/json")
        assert status == 200, f"{path}: {status} {text!r}"
        return json.loads(text)

    def delete(self, path: str) -> None:
        status, text = self._until_answered("DELETE", f"/api/v1/{path}")
        # The second time it is gone already.
        assert status in (204, 404), f"{path}: {status} {text!r}"

    def ask_once(self, method: str, path: str, data: Any = None, token: str = "") -> Answer:
        """Return the status and the JSON of the first web process's answer; `path` is the complete path."""
        body, kind = (None, "") if data is None else (json.dumps(data), "application/json")
        status, text = self._ask(self.urls[0], method, path, body, kind, token, PATIENCE_SECONDS)
        return status, json.loads(text)

    def _get_page(self, path: str) -> None:
        status, _ = self._until_answered("GET", path)
        assert status == 200, f"{path}: {status}"

    def _until_answered(self, method: str, path: str, body: str | None = None, kind: str = "") -> tuple[int, bytes]:
        """Send a request to the web processes in turn until one answers without a temporary error."""

        def answer() -> tuple[int, bytes] | None:
            url = self.urls[self._turn % len(self.urls)]
            with suppress(OSError, http.client.HTTPException):
                status, text = self._ask(url, method, path, body, kind)
                if status < 500:
                    return status, text
            self._turn += 1
            self.retries += 1
            return None

        if answered := until(answer, PATIENCE_SECONDS):
            return answered
        raise GaveUpError(f"{method} {path}: no answer for {PATIENCE_SECONDS:.0f} s")

    def _ask(
        self,
        url: str,
        method: str,
        path: str,
        body: str | None,
        kind: str,
        token: str = "",
        seconds: float = REQUEST_SECONDS,
    ) -> tuple[int, bytes]:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=seconds)
        headers = {"Cookie": self.cookie, "X-CSRFToken": self._cookies.get("csrftoken", ""), "Origin": url}
        if token:
            headers = {"Authorization": f"Bearer {token}"}
        try:
            connection.request(method, path, body, headers | ({"Content-Type": kind} if kind else {}))
            answer = connection.getresponse()
            for line in answer.headers.get_all("Set-Cookie", []):
                self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
            return answer.status, answer.read()
        finally:
            connection.close()


class Viewer:
    """A page's stream. It reconnects where it stopped, and checks that record numbers have no gaps."""

    def __init__(self, client: Client, cluster: int, turn: int) -> None:
        self.last = 0
        self.connections = 0
        self.complaints: list[str] = []
        self.bodies: dict[int, str] = {}
        self._client = client
        self._cluster = cluster
        self._turn = turn
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def has_seen(self, number: int, seconds: float) -> bool:
        """Return True if the record of this number arrives within so many seconds."""
        return bool(until(lambda: self.last >= number, seconds))

    def close(self) -> None:
        self._over.set()
        self._thread.join(REQUEST_SECONDS)

    def _watch(self) -> None:
        while not self._over.is_set():
            url = self._client.urls[self._turn % len(self._client.urls)]
            address = f"{re.sub('^http', 'ws', url)}/ws/clusters/{self._cluster}/?after={self.last}"
            headers = {"Cookie": self._client.cookie}
            try:
                with connect(
                    address,
                    origin=Origin(url),
                    additional_headers=headers,
                    max_size=None,
                    open_timeout=5,
                    close_timeout=0.5,
                ) as socket:
                    self.connections += 1
                    while not self._over.is_set():
                        try:
                            self._take(json.loads(socket.recv(timeout=0.2)))
                        except TimeoutError:
                            continue
            except (OSError, WebSocketException, EOFError):
                self._turn += 1
                self._over.wait(0.1)

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "gap":
            self.complaints.append(f"a gap in so short a history: {frame}")
        if frame["type"] != "records":
            return
        numbers = [record["seq"] for record in frame["records"]]
        if numbers != list(range(self.last + 1, self.last + 1 + len(numbers))):
            self.complaints.append(f"after {self.last} came {numbers[:3]} … {numbers[-1:]}")
        if not frame.get("brief"):
            for record in frame["records"]:
                self.bodies[record["seq"]] = json.dumps(record, sort_keys=True, separators=(",", ":"))
        self.last = max([self.last, *numbers])
