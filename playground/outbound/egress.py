"""A transport for extenders that calls only hosts of the allowlist. Its error texts are those of Go's HTTP client."""

import http.client
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from django.conf import settings

from kube_objects.text import go
from playground.outbound.allow_list import SETTING, AllowList
from playground.outbound.deadline_sockets import Deadline, DialError, ResolveError, TimedSocket, dial, reason, resolve
from playground.outbound.tls import TLSError, TLSSettingsError, error_text, wrap
from scheduler_core.config.types import ExtenderTLSConfig
from scheduler_core.extender import Recorder, Response, TransportError, post_error

PORTS = {"http": 80, "https": 443}
HTTP_OK = 200
CHUNK = 64 * 1024
AWAITING_HEADERS = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
READING_BODY = "context deadline exceeded (Client.Timeout or context cancellation while reading body)"
_IN_PATH = "/%:@!$&'()*+,;=~?"
HEADERS = {"Content-Type": "application/json", "User-Agent": "kube-scheduler-playground"}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for extenders: bytes of a response, seconds of a call (beside its `httpTimeout`) and of an attempt."""

    response_bytes: int = 16 * 1024 * 1024
    seconds: float = 30.0
    seconds_per_attempt: float = 60.0


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a URL. `path` is the path and query of the request line."""

    scheme: str
    host: str
    port: int
    path: str


class RecordingTransport(Recorder):
    """An allowlisted transport with the operator's settings that records the responses of extenders."""

    def __init__(self) -> None:
        self._transport = AllowlistedTransport(AllowList(settings.EXTENDER_ALLOWED_HOSTS), Limits())
        super().__init__(self._transport)

    def take(self) -> bytes | None:
        self._transport.begin_attempt()
        return super().take()


class AllowlistedTransport:
    """A `scheduler_core.extender.Transport` that calls only hosts of the allowlist."""

    def __init__(self, allowed: AllowList, limits: Limits) -> None:
        self._allowed = allowed
        self._limits = limits
        self._used = 0.0

    def begin_attempt(self) -> None:
        """Begin a scheduling attempt, with the full time for its calls."""
        self._used = 0.0

    def post(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> Response:
        target = _target(url)
        if not self._allowed.allows_host(target.host, target.port):
            raise post_error(url, f"{_format_target(target)} may not be called: {SETTING} does not list it")
        left = min(self._limits.seconds, self._limits.seconds_per_attempt - self._used)
        if left <= 0:
            raise post_error(url, f"the {self._limits.seconds_per_attempt:g} s of calls for one attempt are used up")
        seconds = min(timeout_seconds, left) if timeout_seconds > 0 else left
        began = time.monotonic()
        deadline = Deadline(seconds)
        try:
            with self._connect(target, tls, deadline) as connection:
                return self._exchange(target, body, connection, deadline)
        except TimeoutError:
            cut = "" if timeout_seconds == seconds else f"; the playground waited {seconds:.3g} s, its own limit"
            raise post_error(url, AWAITING_HEADERS + cut) from None
        except _CallError as error:
            raise post_error(url, str(error)) from None
        finally:
            self._used += time.monotonic() - began

    def _connect(self, target: Target, tls: ExtenderTLSConfig | None, deadline: Deadline) -> socket.socket:
        """Connect to the first address of the target that is allowed and accepts the connection."""
        try:
            addresses = resolve(target.host, target.port, deadline)
        except ResolveError as error:
            raise _CallError(str(error)) from None
        allowed = [address for address in addresses if self._allowed.allows_address(address, target.port)]
        if not allowed:
            raise _CallError(
                f"{_format_target(target)} may not be called: it leads to {', '.join(addresses)}, which is no public "
                f"address, and {SETTING} does not list that address"
            )
        failure: DialError | None = None
        for address in allowed:
            try:
                connection = dial(address, target.port, deadline)
            except DialError as error:
                failure = failure or error
                continue
            return connection if target.scheme == "http" else _secured(connection, target, tls, deadline)
        raise _CallError(str(failure))

    def _exchange(self, target: Target, body: bytes, connection: socket.socket, deadline: Deadline) -> Response:
        client = http.client.HTTPConnection(target.host, target.port)
        client.sock = timed = TimedSocket(connection, deadline)
        client.default_port = PORTS[target.scheme]  # for the Host header
        try:
            # The server may have responded before it has read the whole request.
            with suppress(BrokenPipeError, ConnectionResetError):
                client.request("POST", target.path, body, HEADERS)
            response = client.getresponse()
        except http.client.RemoteDisconnected:
            raise _CallError("EOF") from None
        except (http.client.HTTPException, ValueError) as error:
            raise _CallError(_broken(error)) from None
        except TimeoutError:
            raise
        except OSError as error:
            raise _CallError(_read_error(error, target.host, timed.endpoints)) from None
        if response.status != HTTP_OK:
            return Response(response.status, b"")
        return self._read(response, target.host, timed.endpoints)

    def _read(self, response: http.client.HTTPResponse, host: str, ends: str) -> Response:
        """Read the body up to the limit. The response names the error if the body is cut."""
        parts: list[bytes] = []
        left, broken = self._limits.response_bytes, ""
        try:
            while left > 0 and (part := response.read1(min(left, CHUNK))):
                parts.append(part)
                left -= len(part)
            if left <= 0 and response.read1(1):
                broken = f"the answer is longer than the {self._limits.response_bytes} bytes that the playground reads"
            elif response.length:
                broken = "unexpected EOF"
        except TimeoutError:
            broken = READING_BODY
        except (http.client.HTTPException, ValueError):
            broken = "unexpected EOF"
        except OSError as error:
            broken = _read_error(error, host, ends)
        return Response(response.status, b"".join(parts), broken)


class _CallError(Exception):
    """A failed call; the text follows `Post "url": ` in the message."""


def _secured(
    connection: socket.socket, target: Target, tls: ExtenderTLSConfig | None, deadline: Deadline
) -> socket.socket:
    try:
        return wrap(connection, target.host, tls, deadline)
    except (TLSSettingsError, TLSError) as error:
        connection.close()
        raise _CallError(str(error)) from None
    except TimeoutError:
        connection.close()
        raise
    except OSError:
        connection.close()
        raise _CallError("EOF") from None


def _read_error(error: OSError, host: str, ends: str) -> str:
    if isinstance(error, ssl.SSLError):
        return error_text(error, host)
    return f"read tcp {ends}: read: {reason(error)}"


def _target(url: str) -> Target:
    """Parse a URL. Raises TransportError. Source: Go's net/url Parse, net/http Transport."""

    def cannot_parse(cause: str) -> TransportError:
        return TransportError(f"parse {go.quote(url)}: {cause}")

    if any(char < " " or char == "\x7f" for char in url):
        raise cannot_parse("net/url: invalid control character in URL")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise cannot_parse(str(error)) from None
    if parts.scheme not in PORTS:
        raise post_error(url, f"unsupported protocol scheme {go.quote(parts.scheme)}")
    if not host:
        raise post_error(url, "http: no Host in request URL")
    if parts.username is not None:
        raise post_error(url, "the playground sends no user name and password from an address")
    path = quote(parts.path or "/", safe=_IN_PATH) + (f"?{quote(parts.query, safe=_IN_PATH)}" if parts.query else "")
    return Target(parts.scheme, host, PORTS[parts.scheme] if port is None else port, path)


def _format_target(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"{host}:{target.port}"


def _broken(error: Exception) -> str:
    if isinstance(error, http.client.BadStatusLine):
        shown = go.quote(str(error).strip("\r\n")[:100])
        return f"net/http: HTTP/1.x transport connection broken: malformed HTTP response {shown}"
    return f"net/http: HTTP/1.x transport connection broken: {error}"
