"""`make run` honours its settings, brings back what dies, and leaves nothing behind, however it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from playground.local.prepared import is_prepared
from tests.services import ROOT, STOP_SECONDS, Playground, run_playground, wait_for

Start = Callable[..., Playground]
ENDINGS = [
    # signal to the supervisor, its exit code
    (signal.SIGINT, 0),
    (signal.SIGTERM, 0),
    (signal.SIGKILL, -signal.SIGKILL),
]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run; one that nobody has waited for yet does not."""
    return [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


def refusal(**environ: str) -> str:
    """What a start that must fail prints last."""
    command = [sys.executable, "-m", "playground.local"]
    settings = {"NO_BROWSER": "1", "PORT": "0", "REDIS_URL": "", **environ}
    ended = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1, ended.stdout
    return (ended.stdout + ended.stderr).splitlines()[-1]


def test_it_listens_where_it_is_told_and_keeps_its_data_there(start_playground: Start) -> None:
    port = free_port()
    running = start_playground(PORT=str(port))
    assert running.url == f"http://127.0.0.1:{port}"
    with urllib.request.urlopen(running.url + "/healthz") as answer:
        assert answer.status == 200
    assert {"broker.sock", "playground.sqlite3"} <= {path.name for path in running.data_dir.iterdir()}
    assert is_prepared(running.data_dir), "the next start does without"
    # Another one with the same port or the same data says so and touches nothing.
    other = str(running.data_dir / "other")
    assert f"PORT={port}: taken on 127.0.0.1" in refusal(PORT=str(port), DATA_DIR=other)
    assert f"DATA_DIR={running.data_dir} already" in refusal(DATA_DIR=str(running.data_dir))
    with urllib.request.urlopen(running.url + "/healthz") as answer:
        assert answer.status == 200


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One playground after another has its data here, as at home: however one ended, the next one starts."""
    return tmp_path_factory.mktemp("supervised") / "data"


@pytest.mark.parametrize(("number", "code"), ENDINGS, ids=[ending[0].name for ending in ENDINGS])
def test_nothing_is_left_behind(data_dir: Path, number: signal.Signals, code: int) -> None:
    with run_playground(data_dir) as running:
        supervisor = psutil.Process(running.supervisor.pid)
        everyone = "broker, web, what it forks readers from and that one's helper, worker, its pool of two, beat, the "
        everyone += "answers' worker and its one"
        wait_for(lambda: len(supervisor.children(recursive=True)) == 10, everyone)
        everything = supervisor.children(recursive=True)
        running.supervisor.send_signal(number)
        assert running.supervisor.wait(STOP_SECONDS) == code
        wait_for(lambda: not alive(everything), "every process to end")


@pytest.fixture(scope="module")
def losing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    """A playground whose parts die one after another, each of them once."""
    with run_playground(tmp_path_factory.mktemp("losing") / "data") as running:
        yield running


@pytest.mark.parametrize(
    "words",
    [("celery", "playground", "worker"), ("celery", "playground.questions"), ("playground.local.web",)],
    ids=["worker", "answers", "web"],
)
def test_what_dies_comes_back(losing: Playground, words: tuple[str, ...]) -> None:
    said = len(losing.log)
    # For a moment between two programs, as the kernel sees it, a process has no command line.
    first = wait_for(lambda: losing.find(*words), f"{' '.join(words)} to run")
    first.send_signal(signal.SIGKILL)

    def successor() -> psutil.Process | None:
        found = losing.find(*words)
        return found if found and found.pid != first.pid else None

    wait_for(successor, "its successor")
    # At once: had it paused, it would say for how long. Other processes write into the same lines.
    assert re.search(r"killed by SIGKILL; starting it again(?! in)", losing.log[said:]), losing.log
    # The supervisor holds the socket, so a request made meanwhile is answered late instead of refused.
    with urllib.request.urlopen(losing.url + "/healthz", timeout=30) as answer:
        assert answer.status == 200


def test_an_open_address_demands_real_settings(tmp_path: Path) -> None:
    last = refusal(HOST="0.0.0.0", DATA_DIR=str(tmp_path))
    assert last.startswith("The playground did not start. The database could not be prepared")
