"""Transport: the way out to an extender. The engine opens no connections; whoever runs it gives it one of these."""

from dataclasses import dataclass
from typing import Protocol

from kube_objects.text.go import quote
from scheduler_core.config.types import ExtenderTLSConfig


class TransportError(Exception):
    """No answer came; the text is that of Go's HTTP client."""


@dataclass(slots=True, frozen=True)
class Response:
    """`body` is what could be read of it; `broken` says, in Go's words, why the rest could not."""

    status: int
    body: bytes
    broken: str = ""


class Transport(Protocol):
    def post(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> Response:
        """Send JSON and wait for the answer, redirects not followed. Raises TransportError.

        The time-out covers the whole exchange; 0 or less is none. Without `tls` the system's certificates count.
        """


def post_error(url: str, cause: str) -> TransportError:
    """The error of a POST as Go's HTTP client reports it. Source: Go's net/url Error."""
    return TransportError(f"Post {quote(url)}: {cause}")
