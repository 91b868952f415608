"""`make run` honours its settings, brings back what dies, and leaves nothing behind, however it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import pytest

from playground.local.database_check import is_prepared
from tests.services import ROOT, STOP_SECONDS, Playground, run_playground, wait_for


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run; one that nobody has waited for yet does not."""
    return [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


def refusal(**environ: str) -> str:
    """What a start that must fail prints last."""
    command = [sys.executable, "-m", "playground"]
    settings = {"NO_BROWSER": "1", "PORT": "0", "REDIS_URL": "", **environ}
    ended = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1, ended.stdout
    return (ended.stdout + ended.stderr).splitlines()[-1]


def it_answers(running: Playground) -> None:
    # The supervisor holds the socket, so a request made while the web process is away is answered late, not refused.
    with urllib.request.urlopen(running.url + "/healthz", timeout=30) as answer:
        assert answer.status == 200


def it_listens_where_it_is_told(running: Playground, port: int) -> None:
    assert running.url == f"http://127.0.0.1:{port}"
    it_answers(running)
    assert {"broker.sock", "playground.sqlite3"} <= {path.name for path in running.data_dir.iterdir()}
    assert is_prepared(running.data_dir), "the next start does without"
    # Another one with the same port or the same data says so and touches nothing.
    other = str(running.data_dir / "other")
    assert f"PORT={port}: taken on 127.0.0.1" in refusal(PORT=str(port), DATA_DIR=other)
    assert f"DATA_DIR={running.data_dir} already" in refusal(DATA_DIR=str(running.data_dir))
    it_answers(running)


def what_dies_comes_back(running: Playground, _port: int) -> None:
    """One part after another, each of them once."""
    for words in (("playground", "worker"), ("playground.questions", "worker"), ("playground.local.web_process",)):
        said = len(running.log)
        # For a moment between two programs, as the kernel sees it, a process has no command line.
        first = wait_for(partial(running.find, *words), f"{' '.join(words)} to run")
        first.send_signal(signal.SIGKILL)
        wait_for(partial(successor, running, words, first), f"what follows {' '.join(words)}")
        # At once: had it paused, it would say for how long. Other processes write into the same lines.
        log = running.log
        assert re.search(r"killed by SIGKILL; starting it again(?! in)", log[said:]), log
        it_answers(running)


def successor(running: Playground, words: tuple[str, ...], first: psutil.Process) -> psutil.Process | None:
    found = running.find(*words)
    return found if found and found.pid != first.pid else None


def nothing_happens(_running: Playground, _port: int) -> None:
    """It is ended as soon as it is whole."""


LIVES = [
    # what happens while it runs, the signal to the supervisor that ends it, its exit code
    (it_listens_where_it_is_told, signal.SIGINT, 0),
    (what_dies_comes_back, signal.SIGTERM, 0),
    (nothing_happens, signal.SIGKILL, -signal.SIGKILL),
]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One playground after another has its data here, as at home: however one ended, the next one starts."""
    return tmp_path_factory.mktemp("supervised") / "data"


@pytest.mark.parametrize(
    ("happens", "number", "code"), LIVES, ids=[f"{life[0].__name__}-{life[1].name}" for life in LIVES]
)
def test_it_lives_and_nothing_is_left_behind(
    data_dir: Path, happens: Callable[[Playground, int], None], number: signal.Signals, code: int
) -> None:
    port = free_port()
    with run_playground(data_dir, {"PORT": str(port)}, first=True) as running:
        happens(running, port)
        supervisor = psutil.Process(running.supervisor.pid)
        everyone = "broker, web, worker, its pool of two, the answers' worker and its one"
        wait_for(lambda: len(supervisor.children(recursive=True)) == 7, everyone)
        everything = supervisor.children(recursive=True)
        running.supervisor.send_signal(number)
        assert running.supervisor.wait(STOP_SECONDS) == code
        wait_for(lambda: not alive(everything), "every process to end")


def test_an_open_address_demands_real_settings(tmp_path: Path) -> None:
    last = refusal(HOST="0.0.0.0", DATA_DIR=str(tmp_path))
    assert last.startswith("The playground did not start. The database could not be prepared")
