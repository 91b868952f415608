"""Beat's health check, as Compose has it: well while beat sends tasks, and ill a while after it stopped.

On one machine it is a thread, and what ends it there does not end it for good.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.resilience.compose import VARIABLES, Compose
from tests.services import Playground, spawn, wait_for

SCHEDULE = "/tmp/beat-schedule"  # noqa: S108  of the container


def check(schedule: Path) -> int:
    """The exit code of the health check when beat keeps its schedule there."""
    word, python, *rest = Compose(VARIABLES).document["services"]["beat"]["healthcheck"]["test"]
    assert (word, python) == ("CMD", "python")
    assert any(SCHEDULE in part for part in rest)
    command = [part.replace(SCHEDULE, str(schedule)) for part in rest]
    return subprocess.run([sys.executable, *command], stderr=subprocess.DEVNULL).returncode


def test_it_is_well_while_it_sends(playground_server: Playground) -> None:
    sign = playground_server.data_dir / "beat-schedule.alive"
    first = wait_for(lambda: sign.exists() and sign.stat().st_mtime, "beat's first sign")
    wait_for(lambda: sign.stat().st_mtime > first, "its next sign")
    assert check(playground_server.data_dir / "beat-schedule") == 0


def test_it_is_ill_without_signs(tmp_path: Path) -> None:
    assert check(tmp_path / "none") != 0
    sign = tmp_path / "beat-schedule.alive"
    sign.touch()
    assert check(tmp_path / "beat-schedule") == 0
    long_ago = time.time() - 60
    os.utime(sign, (long_ago, long_ago))
    assert check(tmp_path / "beat-schedule") == 1


THREAD = """
import sys
from playground.local import beat_thread
beat_thread.PAUSE_SECONDS = 0.1
beat_thread.start_beat(sys.argv[1])
sys.stdin.readline()
"""


def test_it_begins_again(tmp_path: Path, redis_url: str) -> None:
    """As once there is room again on a disk that was full."""
    schedule = tmp_path / "later" / "beat-schedule"
    log = tmp_path / "log"
    environ = {**os.environ, "DATA_DIR": str(tmp_path), "REDIS_URL": redis_url, "SECRET_KEY": "of a beat alone"}
    with (
        log.open("wb") as written,
        spawn(
            [sys.executable, "-c", THREAD, str(schedule)], stdin=subprocess.PIPE, stderr=written, env=environ
        ) as beat,
    ):
        wait_for(lambda: "Celery beat failed" in log.read_text(), "beat's end")
        schedule.parent.mkdir()
        wait_for(Path(f"{schedule}.alive").exists, "beat's first sign")
        beat.kill()
