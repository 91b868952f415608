"""manage.py, as a program of its own."""

import os
import subprocess
import sys

from playground.settings import BASE_DIR
from tests.services import START_SECONDS


def manage(*arguments: str, script: str = "", **settings: str) -> str:
    """Return the program's output with these settings in its environment and `script` as input. It must succeed."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=BASE_DIR,
        env={**os.environ, **settings},
        input=script,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
