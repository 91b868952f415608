"""What the start command can be told, and what it answers to what it cannot use."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.local import options
from playground.local.options import Options, StartError, listen, url

GOOD = [
    # name, environment, what differs from the defaults
    ("nothing given", {}, {}),
    ("empty counts as not given", {"PORT": "", "HOST": "", "DATA_DIR": "", "NO_BROWSER": ""}, {}),
    ("port", {"PORT": "9000"}, {"port": 9000}),
    ("any port", {"PORT": "0"}, {"port": 0}),
    ("host", {"HOST": "::1"}, {"host": "::1"}),
    ("data directory", {"DATA_DIR": "/var/x"}, {"data_dir": Path("/var/x")}),
    ("no browser", {"NO_BROWSER": "1"}, {"open_browser": False}),
    ("browser after all", {"NO_BROWSER": "0"}, {"open_browser": True}),
    ("more workers", {"WORKER_CONCURRENCY": "8"}, {"worker_processes": 8}),
]
BAD = [
    ("PORT", "x"),
    ("PORT", "-1"),
    ("PORT", "65536"),
    ("PORT", "8000.0"),
    ("PORT", "٨٠٠٠"),  # digits, but not ours
    ("WORKER_CONCURRENCY", "0"),
    ("WORKER_CONCURRENCY", "65"),
]


@pytest.mark.parametrize(("name", "environ", "want"), GOOD, ids=[case[0] for case in GOOD])
def test_options(name: str, environ: dict[str, str], want: dict[str, object]) -> None:
    defaults = {
        "host": "127.0.0.1",
        "port": None,
        "data_dir": Path("data").absolute(),
        "open_browser": True,
        "worker_processes": 2,
    }
    assert vars(Options.from_environment(environ)) == {**defaults, **want}


@pytest.mark.parametrize(("name", "text"), BAD)
def test_wrong_number_is_named_with_its_range(name: str, text: str) -> None:
    with pytest.raises(StartError, match=f"{name}={text}: must be a whole number from"):
        Options.from_environment({name: text})


def test_all_wrong_numbers_are_named_at_once() -> None:
    with pytest.raises(StartError, match=r"PORT=x: .*; WORKER_CONCURRENCY=y: "):
        Options.from_environment({"PORT": "x", "WORKER_CONCURRENCY": "y"})


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens on."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_given_port_that_is_taken_is_an_error(taken: int) -> None:
    with pytest.raises(StartError, match=f"PORT={taken}: taken on 127.0.0.1 by another program"):
        listen(Options.from_environment({"PORT": str(taken)}))


def test_a_default_port_that_is_taken_is_stepped_over(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "DEFAULT_PORT", taken)
    with listen(Options.from_environment({})) as listener:
        assert taken < listener.getsockname()[1] < taken + options.PORTS_TO_TRY


def test_when_every_port_is_taken_it_says_so(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "DEFAULT_PORT", taken)
    monkeypatch.setattr(options, "PORTS_TO_TRY", 1)
    with pytest.raises(StartError, match=f"Ports {taken} to {taken} are all taken on 127.0.0.1"):
        listen(Options.from_environment({}))


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_a_host_that_is_not_this_machine_is_an_error(host: str) -> None:
    with pytest.raises(StartError, match=f"HOST={host}"):
        listen(Options.from_environment({"HOST": host, "PORT": "0"}))


ADDRESSES = [
    # name, HOST, ALLOWED_HOSTS, want
    ("loopback", "127.0.0.1", "", "http://127.0.0.1:{port}/"),
    (
        "every address, a name allowed",
        "0.0.0.0",
        "*, .example.org, play.example.org",
        "http://play.example.org:{port}/",
    ),
    ("every address, no name", "0.0.0.0", "*", "http://127.0.0.1:{port}/"),
]


@pytest.mark.parametrize(("name", "host", "allowed", "want"), ADDRESSES, ids=[case[0] for case in ADDRESSES])
def test_the_printed_address_can_be_opened(name: str, host: str, allowed: str, want: str) -> None:
    with listen(Options.from_environment({"HOST": host, "PORT": "0"})) as listener:
        assert url(listener, allowed) == want.format(port=listener.getsockname()[1])
