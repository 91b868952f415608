"""The door, against real servers: good, slow, endless, redirecting, broken, gone, and those that must not be called."""

import socket
import threading
import time
from typing import Any

import pytest

from playground.outbound import deadline_sockets
from playground.outbound.egress import AWAITING_HEADERS, READING_BODY
from scheduler_core.extender import Response
from tests.outbound.loopback_servers import (
    Script,
    answers,
    door,
    drips,
    floods,
    free_port,
    hangs,
    post,
    refusal,
    resets,
    sends,
    serve,
)

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
TIMEOUT = 0.4
TRANSPORT_BROKEN = "net/http: HTTP/1.x transport connection broken: "


# ── what comes back ──

ANSWERED = [
    # name                       server                                                     want
    ("an answer", answers(b'{"a":1}'), Response(200, b'{"a":1}')),
    ("no length, then the end", sends(OK + b"\r\n{}"), Response(200, b"{}")),
    ("in chunks", sends(CHUNKED, b"2\r\n{}\r\n", b"1\r\n \r\n0\r\n\r\n"), Response(200, b"{} ")),
    ("after a 100", sends(b"HTTP/1.1 100 Continue\r\n\r\n", OK + b"\r\n{}"), Response(200, b"{}")),
    ("an old protocol", sends(b"HTTP/1.0 200 OK\r\n\r\n{}"), Response(200, b"{}")),
    ("another status, whose body nobody reads", answers(b"x" * 10, "503 Busy"), Response(503, b"")),
    ("no content", answers(b"", "204 No Content"), Response(204, b"")),
    ("cut off", sends(OK + b"Content-Length: 9\r\n\r\n{"), Response(200, b"{", "unexpected EOF")),
    ("cut off in a chunk", sends(CHUNKED, b"9\r\n{"), Response(200, b"{", "unexpected EOF")),
    ("a chunk without a length", sends(CHUNKED, b"what\r\n"), Response(200, b"", "unexpected EOF")),
    ("stuck in its body", hangs(OK + b"Content-Length: 9\r\n\r\n{"), Response(200, b"{", READING_BODY)),
    ("dripping", drips(OK + b"Content-Length: 999\r\n\r\n{", b"", 0.05), Response(200, b"{", READING_BODY)),
]


@pytest.mark.parametrize(("name", "script", "want"), ANSWERED, ids=[case[0] for case in ANSWERED])
def test_answers(name: str, script: Script, want: Response) -> None:
    with serve(script) as server:
        assert post(door(), server.url(), TIMEOUT) == want


def test_what_is_sent() -> None:
    with serve(answers(b"{}")) as server:
        post(door(), server.url("/sched/v1/f \u00e4?x=1"))
    head, body = server.requests[0]
    request, *lines = head.split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert request == "POST /sched/v1/f%20%C3%A4?x=1 HTTP/1.1"
    assert headers["Host"] == f"127.0.0.1:{server.port}"
    assert headers["Content-Type"] == "application/json"
    assert body == b'{"Pod":null}'


def test_a_large_request_arrives_whole() -> None:
    with serve(answers(b"{}")) as server:
        door().post(server.url(), b"x" * 5_000_000, 5.0, None)
    assert len(server.requests[0][1]) == 5_000_000


def test_an_answer_before_all_was_sent() -> None:
    """A server that has heard enough: its answer counts, if it gets through before it hangs up."""

    def impatient(connection: socket.socket) -> None:
        connection.recv(100)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 20):
            pass

    with serve(impatient, reads=False) as server:
        assert door().post(server.url(), b"x" * 5_000_000, 5.0, None) == Response(413, b"")


# ── limits ──

LARGE = [
    ("by its length", answers(b"x" * 101)),
    ("in chunks", sends(CHUNKED, b"64\r\n" + b"x" * 100 + b"\r\n", b"1\r\nx\r\n0\r\n\r\n")),
    ("without an end", floods(OK + b"\r\n")),
    ("without an end in chunks", drips(CHUNKED, b"40\r\n" + b"x" * 64 + b"\r\n", 0.001)),
]


@pytest.mark.parametrize(("name", "script"), LARGE, ids=[case[0] for case in LARGE])
def test_too_large(name: str, script: Script) -> None:
    with serve(script) as server:
        response = post(door(response_bytes=100), server.url())
    assert len(response.body) == 100
    assert response.broken == "the answer is longer than the 100 bytes that the playground reads"


def test_just_not_too_large() -> None:
    with serve(answers(b"x" * 100)) as server:
        assert post(door(response_bytes=100), server.url()) == Response(200, b"x" * 100)


SLOW = [
    ("silent", hangs()),
    ("stuck in its head", hangs(OK)),
    ("dripping its head", drips(OK, b"X: y\r\n", 0.05)),
    ("dripping an endless line", drips(OK + b"X: ", b"y", 0.05)),
    ("continuing for ever", drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.05)),
]


@pytest.mark.parametrize(("name", "script"), SLOW, ids=[case[0] for case in SLOW])
def test_too_slow(name: str, script: Script) -> None:
    with serve(script) as server:
        began = time.monotonic()
        text = refusal(door(), server.url(), TIMEOUT)
        assert TIMEOUT <= time.monotonic() - began < TIMEOUT + 1
    assert text == f'Post "{server.url()}": {AWAITING_HEADERS}'


@pytest.mark.parametrize("timeout", [0.0, -1.0, 60.0])
def test_the_playground_waits_no_longer_than_its_own_limit(timeout: float) -> None:
    with serve(hangs()) as server:
        text = refusal(door(seconds=TIMEOUT), server.url(), timeout)
    assert text == f'Post "{server.url()}": {AWAITING_HEADERS}; the playground waited 0.4 s, its own limit'


def test_an_attempt_has_its_time_for_calls() -> None:
    with serve(hangs()) as server:
        slow = door(per_attempt=TIMEOUT / 2)
        assert "the playground waited 0.2 s, its own limit" in refusal(slow, server.url(), TIMEOUT)
        text = refusal(slow, server.url(), TIMEOUT)
        assert text == f'Post "{server.url()}": the 0.2 s of calls for one attempt are used up'
        slow.begin_attempt()
        assert AWAITING_HEADERS in refusal(slow, server.url(), TIMEOUT)


def test_endless_heads_end() -> None:
    with serve(floods(OK + b"X: ")) as server:
        assert TRANSPORT_BROKEN in refusal(door(), server.url())


# ── what goes wrong ──

BROKEN = [
    ("closing at once", sends(), "EOF"),
    ("speaking something else", sends(b"SSH-2.0-x\r\n"), f'{TRANSPORT_BROKEN}malformed HTTP response "SSH-2.0-x"'),
    ("a status that is none", sends(b"HTTP/1.1 abc OK\r\n\r\n"),
     f'{TRANSPORT_BROKEN}malformed HTTP response "HTTP/1.1 abc OK"'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "script", "cause"), BROKEN, ids=[case[0] for case in BROKEN])
def test_broken_servers(name: str, script: Script, cause: str) -> None:
    with serve(script) as server:
        assert refusal(door(), server.url()) == f'Post "{server.url()}": {cause}'


def test_a_reset() -> None:
    with serve(resets()) as server:
        text = refusal(door(), server.url())
    assert text.startswith(f'Post "{server.url()}": read tcp 127.0.0.1:')
    assert text.endswith(f"->127.0.0.1:{server.port}: read: connection reset by peer")


def test_a_reset_in_the_body() -> None:
    with serve(resets(OK + b"Content-Length: 9\r\n\r\n{")) as server:
        response = post(door(), server.url())
    assert (response.status, response.body in (b"", b"{")) == (200, True)
    assert response.broken.endswith("read: connection reset by peer")


def test_nobody_there() -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/f"
    assert refusal(door(), url) == f'Post "{url}": dial tcp 127.0.0.1:{port}: connect: connection refused'


def test_redirects_are_not_followed() -> None:
    with serve(answers(b"{}")) as other:
        for status in ("301 Moved", "302 Found", "307 Temporary", "308 Permanent"):
            with serve(answers(b"", status, f"Location: {other.url()}")) as server:
                assert post(door(), server.url()) == Response(int(status[:3]), b"")
    assert other.requests == []


def test_no_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(answers(b"{}")) as server, serve(answers(b"{}")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url(""))
        post(door(), server.url())
        assert (len(server.requests), proxy.requests) == (1, [])


ADDRESSES = [
    # name                    URL                             text
    ("no scheme", "example.org/f", 'Post "example.org/f": unsupported protocol scheme ""'),
    ("files", "file:///etc/passwd", 'Post "file:///etc/passwd": unsupported protocol scheme "file"'),
    ("another protocol", "gopher://127.0.0.1/x", 'Post "gopher://127.0.0.1/x": unsupported protocol scheme "gopher"'),
    ("no host", "http:///f", 'Post "http:///f": http: no Host in request URL'),
    ("a line break", "http://127.0.0.1/\r\nX: y",
     'parse "http://127.0.0.1/\\r\\nX: y": net/url: invalid control character in URL'),
    ("a user", "http://me:secret@127.0.0.1/f", None),
    ("half a bracket", "http://[::1/f", None),
    ("a port that is none", "http://127.0.0.1:http/f", None),
    ("a port too large", "http://127.0.0.1:99999/f", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "url", "text"), ADDRESSES, ids=[case[0] for case in ADDRESSES])
def test_addresses_that_are_none(name: str, url: str, text: str | None) -> None:
    said = refusal(door(), url)
    assert text is None or said == text


# ── who may not be called ──

FORBIDDEN = [
    # name                     allowed          host
    ("nothing allowed", ["192.0.2.1"], "127.0.0.1"),
    ("another port", ["127.0.0.1:1"], "127.0.0.1"),
    ("by a name that is not listed", ["127.0.0.0/8"], "localhost"),
    ("a number for an address", ["127.0.0.1"], "2130706433"),
    ("a short address", ["127.0.0.1"], "127.1"),
    ("another kind of address", ["127.0.0.1"], "[::1]"),
]


@pytest.mark.parametrize(("name", "allowed", "host"), FORBIDDEN, ids=[case[0] for case in FORBIDDEN])
def test_forbidden(name: str, allowed: list[str], host: str) -> None:
    with serve(answers(b"{}")) as server:
        text = refusal(door(*allowed), server.url(host=host))
    assert text == (
        f'Post "{server.url(host=host)}": {host}:{server.port} may not be called: '
        "EXTENDER_ALLOWED_HOSTS does not list it"
    )
    assert server.requests == []


def names(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let the resolver answer these addresses for any name, one list each time; the names that it was asked for."""
    real, left, asked = socket.getaddrinfo, list(answers), []

    def resolve(host: str, port: int, *args: Any, **options: Any) -> Any:
        if host[0].isdigit() or ":" in host:
            return real(host, port, *args, **options)
        asked.append(host)
        found = left.pop(0)
        return [entry for address in found for entry in real(address, port, type=socket.SOCK_STREAM)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


def test_a_listed_name_that_leads_to_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, ["127.0.0.1"])
    with serve(answers(b"{}")) as server:
        text = refusal(door("extender.test"), server.url(host="extender.test"))
    assert text == (
        f'Post "{server.url(host="extender.test")}": extender.test:{server.port} may not be called: '
        "it leads to 127.0.0.1, which is no public address, and EXTENDER_ALLOWED_HOSTS does not list that address"
    )
    assert server.requests == []


def test_a_listed_name_that_leads_to_a_listed_address(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, ["169.254.169.254", "127.0.0.1"])
    with serve(answers(b"{}")) as server:
        allowed = door("extender.test", "127.0.0.1")
        # Only the listed one of its addresses is called.
        assert post(allowed, server.url(host="extender.test")) == Response(200, b"{}")
        assert "Host: extender.test:" in server.requests[0][0]


def test_a_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second answer of a name that changes (DNS rebinding) is never asked for."""
    asked = names(monkeypatch, ["127.0.0.2"], ["127.0.0.1"])
    with serve(answers(b"{}")) as server:
        text = refusal(door("extender.test", "127.0.0.2"), server.url(host="extender.test"))
    assert "dial tcp 127.0.0.2" in text
    assert (asked, server.requests) == (["extender.test"], [])


def test_the_next_address_when_the_first_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    with serve(answers(b"{}")) as server:
        assert post(door("extender.test", "127.0.0.0/8"), server.url(host="extender.test")).status == 200


def test_localhost_is_loopback_by_nature() -> None:
    with serve(answers(b"{}")) as server:
        assert post(door(f"localhost:{server.port}"), server.url(host="localhost")) == Response(200, b"{}")


def test_a_name_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, [])
    text = refusal(door("nobody.test"), "http://nobody.test/f")
    assert text == 'Post "http://nobody.test/f": dial tcp: lookup nobody.test: no such host'


def test_a_resolver_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()

    def resolve(*args: Any, **options: Any) -> list[Any]:
        told.wait(60)
        return []

    monkeypatch.setattr(deadline_sockets.socket, "getaddrinfo", resolve)
    try:
        assert AWAITING_HEADERS in refusal(door("slow.test"), "http://slow.test/f", TIMEOUT)
    finally:
        told.set()
