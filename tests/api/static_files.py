"""Static files of the page, requested through the whole ASGI application as a browser does."""

from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator

from playground.asgi import application


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


@async_to_sync
async def serve(path: str, method: str = "GET", application: Any = application, **headers: str) -> Answer:
    """Return the answer of a request such as `serve("/static/js/main.js", accept_encoding="gzip")`."""
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "scheme": "http",
        "headers": [(b"host", b"127.0.0.1:8000"), *given],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    browser = ApplicationCommunicator(application, scope)
    await browser.send_input({"type": "http.request", "body": b""})
    start = await browser.receive_output(30)
    found = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    body = b""
    while True:
        part = await browser.receive_output(30)
        body += part["body"]
        if not part.get("more_body"):
            return Answer(start["status"], found, body)
