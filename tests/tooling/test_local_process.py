"""A child is shown, stopped within bounds, and cannot outlive its parent, however that ends."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from playground.local.child_process import CHILD, Child, describe_exit
from tests.services import wait_for

# They run until they are killed: no signal that is ignored ends a pause.
WILLING = "import signal; print('up', flush=True); signal.pause()"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WILLING}"
# Prints the process id of a child of its own, as Celery's worker has a pool.
FORKING = "import os, signal; pid = os.fork(); pid and print(pid, 'up', flush=True); signal.pause()"


def child(program: str) -> Child:
    return Child("test", (sys.executable, "-c", program), dict(os.environ))


async def start(program: str, capsys: pytest.CaptureFixture[str]) -> tuple[Child, str]:
    """A started child, and what it printed until it was up."""
    started = child(program)
    await started.start()
    shown = ""
    while "up" not in shown:
        await asyncio.sleep(0.02)
        shown += capsys.readouterr().out
    return started, shown


async def test_output_is_shown_under_the_name(capsys: pytest.CaptureFixture[str]) -> None:
    program = "print('first'); print(); print('naïve'); print('x' * 200_000); print('no newline', end='')"
    started = child(program)
    await started.start()
    assert await started.wait() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"test   │ {text}" for text in ("first", "naïve", "x" * 200_000, "no newline")]


async def test_exit_codes_are_passed_on() -> None:
    started = child("raise SystemExit(3)")
    await started.start()
    assert await started.wait() == 3


@pytest.mark.parametrize(("program", "says"), [(WILLING, ""), (STUBBORN, "did not stop")], ids=["willing", "stubborn"])
async def test_stop_is_bounded(program: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    started, _ = await start(program, capsys)
    before = time.monotonic()
    await started.stop(grace=0.3)
    assert time.monotonic() - before < 3
    assert says in capsys.readouterr().out


async def test_what_a_child_forked_ends_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    started, shown = await start(FORKING, capsys)
    forked = psutil.Process(int(shown.removeprefix("test   │").removesuffix("up\n")))
    await started.stop(grace=1)
    wait_for(lambda: not forked.is_running() or forked.status() == psutil.STATUS_ZOMBIE, "the forked process to end")


def test_a_child_dies_with_a_parent_that_is_killed() -> None:
    program = (
        "import os, subprocess, sys\n"
        f"tie = [sys.executable, {str(CHILD)!r}, str(os.getpid())]\n"
        f"child = subprocess.Popen([*tie, sys.executable, '-c', {STUBBORN!r}])\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    orphan = psutil.Process(int(parent.stdout.readline()))
    assert parent.stdout.readline() == "up\n"
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_for(lambda: not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE, "the child to die")


@pytest.mark.parametrize(
    ("code", "want"), [(0, "ended with code 0"), (3, "ended with code 3"), (-9, "killed by SIGKILL")]
)
def test_describe_exit(code: int, want: str) -> None:
    assert describe_exit(code) == want
