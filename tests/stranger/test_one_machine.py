"""docs/deployment.md, "One machine", as it is written: the unit, the proxy's settings, the first user, a backup."""

import re
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.deployment.front import Front, Somebody, proxy
from tests.services import ROOT, STOP_SECONDS, address_of, spawn
from tests.stranger.machine import PYTHON, environ, run

TEXT = (ROOT / "docs" / "deployment.md").read_text()
SECTION = TEXT[TEXT.index("\n## One machine") : TEXT.index("\n## Behind a proxy")]
PASSWORD = "a password for tests"
SECRET = "0123456789" * 5


def unit() -> dict[str, str]:
    """The unit and what a proxy adds to it; of several lines of Environment all words."""
    found: dict[str, str] = {}
    for block in re.findall(r"^```ini\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL):
        for name, value in re.findall(r"^(\w+)=(.*)$", block, re.MULTILINE):
            found[name] = f"{found[name]} {value}" if name in found else value
    return found


def command_with(word: str) -> str:
    """The command of the section that has this word in it."""
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    (line,) = (line for line in lines if word in line)
    return line


def settings(data_dir: Path) -> dict[str, str]:
    """What systemd puts into the environment; the folder and the port are the test's."""
    given = dict(pair.split("=", 1) for pair in shlex.split(unit()["Environment"]))
    assert given["DATA_DIR"] == f"/var/lib/{unit()['StateDirectory']}"
    assert unit()["EnvironmentFile"] == "/etc/playground.env"
    own = {"DATA_DIR": str(data_dir), "PORT": "0", "SECRET_KEY": SECRET}
    # Caddy is its own authority for this name.
    return {name: value.replace("play.example.org", "play.local") for name, value in given.items()} | own


@contextmanager
def started(cloned: Path, data_dir: Path) -> Iterator[str]:
    """The unit's program, stopped as systemd stops it: one signal to the first process, which has to end the rest."""
    _, *rest = shlex.split(unit()["ExecStart"])
    command = ["make", *rest, f"PYTHON={PYTHON}"]
    log = data_dir.with_suffix(".log")
    with log.open("wb") as output:
        process = spawn(
            command, cwd=cloned, env=environ(**settings(data_dir)), stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield address_of(process, log)
    finally:
        everything = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_SECONDS)
        # KillMode=mixed now kills what is left, whatever it is writing: there is to be nothing left.
        _, left = psutil.wait_procs(everything, timeout=0)
        assert len(everything) > 5
        assert [each for each in left if each.status() != psutil.STATUS_ZOMBIE] == []


@pytest.fixture(scope="module")
def front(cloned: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Front, Path]]:
    folder = tmp_path_factory.mktemp("machine")
    with started(cloned, folder / "data") as url, proxy(url, folder / "front") as found:
        yield found, folder / "data"


def test_the_first_user_logs_in_and_a_backup_is_made(front: tuple[Front, Path], cloned: Path, tmp_path: Path) -> None:
    through, data_dir = front
    command = command_with("createsuperuser")
    assert command.startswith("sudo -u playground env DATA_DIR=/var/lib/playground $(sudo cat /etc/playground.env) ")
    program = shlex.split(command.rpartition(") ")[2])
    given = {"DATA_DIR": str(data_dir), "SECRET_KEY": SECRET}
    arguments = ["--noinput", "--username", "teacher", "--email", ""]
    run([*program, *arguments], cloned, **given, DJANGO_SUPERUSER_PASSWORD=PASSWORD)
    assert Somebody(through).log_in("teacher", PASSWORD)[0] == 302
    run([program[0], "manage.py", "backup", str(tmp_path / "playground.gz")], cloned, **given)
    assert (tmp_path / "playground.gz").exists()


def test_the_environment_is_there_before_the_unit_may_write_nothing(cloned: Path) -> None:
    assert "make -C /srv/playground env" in command_with("make -C")
    assert unit()["ProtectSystem"] == "strict"
    assert (cloned / ".venv" / "installed-runtime").exists()
