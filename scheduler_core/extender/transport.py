"""Transport: the HTTP client for extenders, which the caller of the engine provides."""

from dataclasses import dataclass
from typing import Protocol

from kube_objects.text.go import quote
from scheduler_core.config.types import ExtenderTLSConfig


class TransportError(Exception):
    """Raised if there is no response; the message is that of Go's HTTP client."""


@dataclass(slots=True, frozen=True)
class Response:
    """A response. `body` is what could be read; `broken` is Go's message if the rest could not."""

    status: int
    body: bytes
    broken: str = ""


class Transport(Protocol):
    def post(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> Response:
        """Send JSON and return the response, without following redirects. Raises TransportError.

        The timeout covers the whole exchange; 0 or less is none. Without `tls` the system's certificates apply.
        """


def post_error(url: str, cause: str) -> TransportError:
    """Return the error of a POST as Go's HTTP client reports it. Source: Go's net/url Error."""
    return TransportError(f"Post {quote(url)}: {cause}")
