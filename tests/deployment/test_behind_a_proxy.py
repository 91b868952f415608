"""Behind a TLS proxy, a real one: login, sockets and brakes work, and nobody says of himself where he comes from."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground import limits
from tests.deployment.front import HOST, Front, Somebody, proxy
from tests.services import ROOT, Playground, run_playground

KEY = "a secret key for tests, and as long as it has to be"
LOGIN = ("teacher", "a password for tests")


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A playground as docs/how-to/deploy.md has it on one machine, and its proxy."""
    folder = tmp_path_factory.mktemp("behind")
    settings = {"ALLOWED_HOSTS": HOST, "SECRET_KEY": KEY, "HTTPS": "1"}
    with run_playground(folder / "data", settings) as running, proxy(running.url, folder / "front") as front:
        environ = {**os.environ, **settings, "DATA_DIR": str(running.data_dir), "DJANGO_SUPERUSER_PASSWORD": LOGIN[1]}
        command = ["manage.py", "createsuperuser", "--noinput", "--username", LOGIN[0], "--email", ""]
        subprocess.run([sys.executable, *command], cwd=ROOT, env=environ, check=True)
        yield front


def test_a_stranger_is_nobody(behind: Front) -> None:
    stranger = Somebody(behind)
    assert stranger.ask("GET", "/")[0] == 302
    assert stranger.ask("GET", "/api/v1/clusters/")[0] in (401, 403)


def test_login_and_socket(behind: Front) -> None:
    teacher = Somebody(behind)
    status, page = teacher.log_in(*LOGIN)
    assert status == 302, page
    status, made = teacher.ask("POST", "/api/v1/clusters/", data={"name": "behind", "example": "three-zones"})
    assert status == 201, made
    assert teacher.first_message(json.loads(made)["id"])


def test_a_page_of_another_origin_gets_no_socket(behind: Front) -> None:
    teacher = Somebody(behind)
    teacher.log_in(*LOGIN)
    _, made = teacher.ask("POST", "/api/v1/clusters/", data={"name": "guarded"})
    cluster = json.loads(made)["id"]
    for origin in ("https://elsewhere.example.org", f"http://{HOST}:{behind.port}", f"https://{HOST}:1"):
        assert teacher.knock(cluster, origin) == 403
    # It is the origin that is refused.
    assert teacher.knock(cluster, behind.origin) == 101


def test_the_brake_is_for_an_address(behind: Front) -> None:
    """Who guesses is stopped, whatever he says about himself, and nobody else is."""
    # Everybody can send this header; the proxy puts the truth behind it, or in its place.
    guesser = Somebody(behind, "127.0.0.3")
    for number in range(limits.FAILED_LOGINS):
        guesser.headers = {"X-Forwarded-For": f"203.0.113.{number}"}
        _, page = guesser.log_in(LOGIN[0], "wrong")
        assert "Too many wrong passwords" not in page
    guesser.headers = {"X-Forwarded-For": "203.0.113.99"}
    assert "Too many wrong passwords" in guesser.log_in(*LOGIN)[1]
    assert Somebody(behind, "127.0.0.4").log_in(*LOGIN)[0] == 302


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    with run_playground(tmp_path_factory.mktemp("local") / "data") as running:
        yield running


def test_a_local_playground_notices_a_proxy(local: Playground) -> None:
    """One that nobody told us of, and that writes another Host, must not make everybody the local user."""
    asked = urllib.request.Request(local.url + "/api/v1/clusters/", headers={"X-Forwarded-For": "203.0.113.1"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked)
    assert refused.value.code == 403
    assert "ALLOWED_HOSTS" in refused.value.read().decode()
    with urllib.request.urlopen(local.url + "/api/v1/clusters/") as answer:
        assert answer.status == 200


def test_a_public_name_demands_what_a_public_address_demands(tmp_path: Path) -> None:
    settings = {"ALLOWED_HOSTS": HOST, "DATA_DIR": str(tmp_path), "PORT": "0", "NO_BROWSER": "1", "REDIS_URL": ""}
    ended = subprocess.run(
        [sys.executable, "-m", "playground"], cwd=ROOT, env={**os.environ, **settings}, capture_output=True
    )
    assert ended.returncode == 1
    assert f"SECRET_KEY: ALLOWED_HOSTS={HOST} lets other machines in".encode() in ended.stdout
