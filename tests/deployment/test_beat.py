"""Beat's health check, as Compose has it: well while beat sends tasks, and ill a while after it stopped."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.resilience.compose import VARIABLES, Compose
from tests.services import Playground, wait_for

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
