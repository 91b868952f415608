"""What imports are read in begins with the first of them, and ends with the process that serves."""

import subprocess
import sys
from pathlib import Path

import psutil

from tests.services import wait_for

PROGRAM = """
import sys
import playground.asgi
import psutil
from playground import sandbox
assert not psutil.Process().children()
assert sandbox.call_in_sandbox(len, sandbox.CallLimits("import", 10, 1 << 28), "four") == 4
(child,) = [each for each in psutil.Process().children() if "forkserver" in " ".join(each.cmdline())]
print(child.pid, flush=True)
sys.stdin.readline()
"""


def test_it_begins_with_the_first_and_ends_with_the_web_process(tmp_path: Path) -> None:
    environ = {**psutil.Process().environ(), "DATA_DIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ
    ) as web:
        assert web.stdin is not None and web.stdout is not None
        child = psutil.Process(int(web.stdout.readline()))
        assert child.is_running()
        web.kill()
    # One that has ended and that nobody has asked how does not run any more.
    wait_for(
        lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "the end of the process of forks"
    )
