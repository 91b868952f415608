"""The Dockerfile, step by step in an empty folder: what it makes starts, answers and stops."""

import signal
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from playground.local import broker as brokers
from tests.clean_machine.clean_environment import clone
from tests.clean_machine.image import Image, build
from tests.resilience.compose import VARIABLES, Compose
from tests.services import STOP_SECONDS, spawn, wait_for


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    folder = tmp_path_factory.mktemp("image")
    return build(clone(folder / "context"), folder / "root")


def test_what_it_is(image: Image) -> None:
    assert image.notes == [
        "useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin playground",
        f"install -d -o playground -g playground {image.path('/data')}",
    ]
    assert (image.said["USER"], image.said["VOLUME"], image.workdir) == ("10001", "/data", "/app")
    assert image.command == Compose(VARIABLES).command("web")
    # No pip in what runs.
    assert not list(image.path("/venv").rglob("site-packages/pip"))


def test_it_starts_answers_and_stops(image: Image, tmp_path: Path) -> None:
    broker = brokers.choose({}, tmp_path)
    host = VARIABLES["PUBLIC_HOST"]
    changed = {"DATABASE_URL": "", "DATABASE_PASSWORD": "", "REDIS_URL": broker.url, "REDIS_PASSWORD": ""}
    settings = {**Compose(VARIABLES).environment("web"), "SECRET_KEY": "0123456789" * 5, **changed}
    environ = image.environ(**settings)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    redis = spawn(list(broker.command))
    log = tmp_path / "log"
    with log.open("wb") as output:
        migrate = Compose(VARIABLES).command("migrate")
        subprocess.run(migrate, cwd=image.path("."), env=environ, stdout=output, stderr=output, check=True)
        replaced = {"0.0.0.0": "127.0.0.1", "8000": str(port)}
        command = [replaced.get(word, word) for word in image.command]
        web = spawn(command, cwd=image.path("."), env=environ, stdout=output, stderr=output)
    try:
        wait_for(lambda: web.poll() is None and status(port, "/livez") == 200, "the first answer")
        assert status(port, "/accounts/login/", host) == 200
        assert status(port, "/static/js/main.js", host) == 200
        assert status(port, "/api/v1/clusters/", host) in (401, 403)
        web.send_signal(signal.Signals[image.said["STOPSIGNAL"]])
        assert web.wait(STOP_SECONDS) in (0, -signal.SIGTERM), log.read_text()
    finally:
        for process in (web, redis):
            process.terminate()
            process.wait(STOP_SECONDS)
    assert "Traceback" not in log.read_text()


def status(port: int, path: str, host: str = "127.0.0.1") -> int:
    """The status of an answer; 0 while nobody listens."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": host})
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0
