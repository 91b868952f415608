"""What the environment may say, and what the playground refuses to start with."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from playground.settings.environment import is_loopback, read
from playground.settings.secret import kept_secret_key
from playground.settings.services import celery_url, database

KEY = "correct-horse-battery-staple-0123456789"
EXPOSED = {"HOST": "0.0.0.0", "ALLOWED_HOSTS": "play.example.org", "SECRET_KEY": KEY}

REFUSED = [
    # name                    environment                                        what it says
    ("no hosts", {**EXPOSED, "ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS"),
    ("any host", {**EXPOSED, "ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS"),
    ("any host among others", {**EXPOSED, "ALLOWED_HOSTS": "play.example.org,*"}, "ALLOWED_HOSTS"),
    ("no key", {**EXPOSED, "SECRET_KEY": ""}, "SECRET_KEY"),
    ("a short key", {**EXPOSED, "SECRET_KEY": "secret"}, "SECRET_KEY"),
    ("a long key without randomness", {**EXPOSED, "SECRET_KEY": "a" * 64}, "SECRET_KEY"),
    ("debug in public", {**EXPOSED, "DEBUG": "1"}, "DEBUG"),
    ("a flag that is none", {"DEBUG": "maybe"}, "DEBUG=maybe"),
    ("a port that is none", {"PORT": "http"}, "PORT=http"),
    ("a lease of no time", {"LEASE_SECONDS": "0"}, "LEASE_SECONDS=0"),
    ("a lease of no number", {"LEASE_SECONDS": "nan"}, "LEASE_SECONDS=nan"),
]
LOOPBACK = [
    ("127.0.0.1", True),
    ("127.8.9.10", True),
    ("::1", True),
    ("[::1]", True),
    ("localhost", True),
    ("0.0.0.0", False),
    ("::", False),
    ("10.0.0.1", False),
    ("example.org", False),
    ("", False),
]
CELERY_URLS = [
    ("redis://host:6379/2", "redis://host:6379/2"),
    ("rediss://host:6379/2", "rediss://host:6379/2"),
    ("unix:///tmp/broker.sock", "redis+socket:///tmp/broker.sock?virtual_host=0"),
    ("unix:///tmp/broker.sock?db=3", "redis+socket:///tmp/broker.sock?virtual_host=3"),
]


def test_local_needs_nothing(tmp_path: Path) -> None:
    given = read({"DATA_DIR": str(tmp_path)}, Path("/nowhere"))
    assert given.local
    assert given.database_url == f"sqlite:///{tmp_path}/playground.sqlite3"
    assert "localhost" in given.allowed_hosts
    assert "*" not in given.allowed_hosts
    assert len(given.secret_key) >= 32


def test_exposed_with_everything_given(tmp_path: Path) -> None:
    given = read({**EXPOSED, "DATA_DIR": str(tmp_path)}, tmp_path)
    assert not given.local
    assert (given.allowed_hosts, given.secret_key) == (["play.example.org"], KEY)
    assert not (tmp_path / "secret_key").exists()


@pytest.mark.parametrize(("name", "environ", "says"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refuses_to_start(name: str, environ: dict[str, str], says: str, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=says):
        read({"DATA_DIR": str(tmp_path), **environ}, tmp_path)


def test_names_every_problem_at_once(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read({"HOST": "0.0.0.0", "DEBUG": "1", "PORT": "x"}, tmp_path)
    assert all(name in str(refused.value) for name in ("ALLOWED_HOSTS", "SECRET_KEY", "DEBUG", "PORT"))


@pytest.mark.parametrize(("host", "want"), LOOPBACK)
def test_loopback(host: str, want: bool) -> None:
    assert is_loopback(host) == want


@pytest.mark.parametrize(("given", "want"), CELERY_URLS)
def test_celery_address(given: str, want: str) -> None:
    assert celery_url(given) == want


@pytest.mark.parametrize("given", ["", "http://host", "unix://", "host:6379"])
def test_no_celery_address(given: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL"):
        celery_url(given)


@pytest.mark.parametrize("given", ["nonsense", "mongodb://host/db"])
def test_no_database_address(given: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        database(given, "folder")


def test_secret_key_is_kept_and_private(tmp_path: Path) -> None:
    first = kept_secret_key(tmp_path / "new" / "folder")
    path = tmp_path / "new" / "folder" / "secret_key"
    assert kept_secret_key(path.parent) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["secret_key"]


def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(kept_secret_key, [tmp_path] * 32))
    assert len(keys) == 1
