"""What the environment may say, and what the playground refuses to start with."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
import redis
from django.core.exceptions import ImproperlyConfigured

from playground.addresses import with_password
from playground.settings.environment import read
from playground.settings.reach import LOOPBACK as LOOPBACK_NETWORKS
from playground.settings.reach import is_loopback
from playground.settings.secret import stored_secret_key
from playground.settings.service_addresses import celery_url, database

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
    ("a public name, and no key", {"ALLOWED_HOSTS": "play.example.org"}, "SECRET_KEY: ALLOWED_HOSTS=play.example.org"),
    ("any host on loopback", {"ALLOWED_HOSTS": "*", "SECRET_KEY": KEY}, "ALLOWED_HOSTS=\\* lets other machines in"),
    ("a proxy on loopback", {"TRUSTED_PROXIES": "10.0.0.1"}, "SECRET_KEY: TRUSTED_PROXIES=10.0.0.1/32"),
    (
        "a public origin",
        {"PUBLIC_ORIGINS": "https://a.example.org"},
        "SECRET_KEY: PUBLIC_ORIGINS=https://a.example.org",
    ),
    ("debug behind a proxy", {"ALLOWED_HOSTS": "play.example.org", "SECRET_KEY": KEY, "DEBUG": "1"}, "DEBUG"),
    ("an origin with a path", {**EXPOSED, "PUBLIC_ORIGINS": "https://a.example.org/x"}, "PUBLIC_ORIGINS=https"),
    ("an origin that is a name", {**EXPOSED, "PUBLIC_ORIGINS": "a.example.org"}, "PUBLIC_ORIGINS=a.example.org"),
    ("any origin", {**EXPOSED, "PUBLIC_ORIGINS": "https://*.example.org"}, "PUBLIC_ORIGINS=https"),
    ("an origin with a port that is none", {**EXPOSED, "PUBLIC_ORIGINS": "https://a:b"}, "PUBLIC_ORIGINS=https://a:b"),
    ("a proxy by name", {**EXPOSED, "TRUSTED_PROXIES": "proxy"}, "TRUSTED_PROXIES=proxy"),
    ("a network that is none", {**EXPOSED, "TRUSTED_PROXIES": "10.0.0.1/8"}, "TRUSTED_PROXIES=10.0.0.1/8"),
    ("everybody's word", {**EXPOSED, "TRUSTED_PROXIES": "0.0.0.0/0"}, "everybody's word"),
    ("a password for a file", {"DATABASE_PASSWORD": "x"}, "DATABASE_PASSWORD: .*sqlite"),
    ("a password for a socket", {"REDIS_URL": "unix:///x", "REDIS_PASSWORD": "x"}, "REDIS_PASSWORD: .*unix"),
    (
        "no certificates there",
        {"CERTIFICATE_AUTHORITY": "/nothing/there.pem"},
        "CERTIFICATE_AUTHORITY=/nothing.*No such file",
    ),
    ("no certificates in it", {"CERTIFICATE_AUTHORITY": __file__}, "must hold certificates in PEM"),
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
    assert given.reach.local
    assert given.database_url == f"sqlite:///{tmp_path}/playground.sqlite3"
    assert "localhost" in given.reach.allowed_hosts
    assert "*" not in given.reach.allowed_hosts
    assert len(given.secret_key) >= 32


def test_exposed_with_everything_given(tmp_path: Path) -> None:
    given = read({**EXPOSED, "DATA_DIR": str(tmp_path)}, tmp_path)
    assert not given.reach.local
    assert (given.reach.allowed_hosts, given.secret_key) == (["play.example.org"], KEY)
    assert not (tmp_path / "secret_key").exists()


PUBLIC = {"ALLOWED_HOSTS": "play.example.org", "SECRET_KEY": KEY}
REACHES = [
    # name                   environment                                  local, https, origins, proxies
    ("nothing said", {}, True, False, [], list(LOOPBACK_NETWORKS)),
    ("names of this machine", {"ALLOWED_HOSTS": "localhost,[::1]"}, True, False, [], list(LOOPBACK_NETWORKS)),
    ("a public name on loopback", PUBLIC, False, False, [], list(LOOPBACK_NETWORKS)),
    ("open, and no proxy to trust", EXPOSED, False, False, [], []),
    ("a proxy", {**EXPOSED, "TRUSTED_PROXIES": "10.9.8.7, fd00::/8"}, False, False, [], ["10.9.8.7/32", "fd00::/8"]),
    ("an origin", {**EXPOSED, "PUBLIC_ORIGINS": "https://A.org:443/"}, False, True, ["https://a.org"], []),
    ("a port", {**EXPOSED, "PUBLIC_ORIGINS": "https://a.org:8443"}, False, True, ["https://a.org:8443"], []),
    (
        "plain",
        {**EXPOSED, "PUBLIC_ORIGINS": "http://a.org,https://b.org"},
        False,
        False,
        ["http://a.org", "https://b.org"],
        [],
    ),
    (
        "told otherwise",
        {**EXPOSED, "PUBLIC_ORIGINS": "https://a.org", "HTTPS": "0"},
        False,
        False,
        ["https://a.org"],
        [],
    ),
]


@pytest.mark.parametrize(("name", "environ", "local", "https", "origins", "proxies"), REACHES)
def test_reach(
    name: str,
    environ: dict[str, str],
    local: bool,
    https: bool,
    origins: list[str],
    proxies: list[str],
    tmp_path: Path,
) -> None:
    reach = read({"DATA_DIR": str(tmp_path), **environ}, tmp_path).reach
    assert (reach.local, reach.https, reach.public_origins, reach.trusted_proxies) == (local, https, origins, proxies)


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


PASSWORD = "a/b@c:d#e?f%g h+\u00e9"
ADDRESSES = [
    # address, as it is with the password
    ("postgres://someone@host:5432/name", "postgres://someone:QUOTED@host:5432/name"),
    ("postgres://someone:old@host/name", "postgres://someone:QUOTED@host/name"),
    ("postgresql://someone:@/name?host=/run/pg", "postgresql://someone:QUOTED@/name?host=/run/pg"),
    ("redis://host:6379/0", "redis://:QUOTED@host:6379/0"),
    ("rediss://user@host:6379/0", "rediss://user:QUOTED@host:6379/0"),
]


@pytest.mark.parametrize(("given", "want"), ADDRESSES)
def test_a_password_may_hold_any_character(given: str, want: str) -> None:
    assert with_password(given, PASSWORD) == want.replace("QUOTED", quote(PASSWORD, safe=""))
    assert with_password(given, "") == given
    if given.startswith("postgres"):
        assert database(with_password(given, PASSWORD), "folder")["PASSWORD"] == PASSWORD
    else:
        assert redis.connection.parse_url(with_password(given, PASSWORD))["password"] == PASSWORD


@pytest.mark.parametrize("given", ["", "http://host", "unix://", "host:6379"])
def test_no_celery_address(given: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL"):
        celery_url(given)


@pytest.mark.parametrize("given", ["nonsense", "mongodb://host/db"])
def test_no_database_address(given: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        database(given, "folder")


def test_secret_key_is_kept_and_private(tmp_path: Path) -> None:
    first = stored_secret_key(tmp_path / "new" / "folder")
    path = tmp_path / "new" / "folder" / "secret_key"
    assert stored_secret_key(path.parent) == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["secret_key"]


def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(stored_secret_key, [tmp_path] * 32))
    assert len(keys) == 1
