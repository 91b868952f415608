"""Run the commands and the systemd unit of docs/how-to/deploy.md, section "One machine"."""

import re
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.clean_machine.clean_environment import PYTHON, environ
from tests.services import ROOT, STOP_SECONDS, address_of, spawn

TEXT = (ROOT / "docs" / "how-to" / "deploy.md").read_text()
SECTION = TEXT[TEXT.index("\n## One machine") : TEXT.index("\n## Behind a proxy")]
SECRET = "0123456789" * 5


def unit() -> dict[str, str]:
    """Return the unit with the proxy's additions; several lines of Environment are joined."""
    found: dict[str, str] = {}
    for block in re.findall(r"^```ini\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL):
        for name, value in re.findall(r"^(\w+)=(.*)$", block, re.MULTILINE):
            found[name] = f"{found[name]} {value}" if name in found else value
    return found


def command_with(word: str) -> str:
    """Return the section's command that contains this word."""
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    (line,) = (line for line in lines if word in line)
    return line


def settings(data_dir: Path) -> dict[str, str]:
    """Return the environment that systemd sets, with the test's folder and port."""
    given = dict(pair.split("=", 1) for pair in shlex.split(unit()["Environment"]))
    assert given["DATA_DIR"] == f"/var/lib/{unit()['StateDirectory']}"
    assert unit()["EnvironmentFile"] == "/etc/playground.env"
    own = {"DATA_DIR": str(data_dir), "PORT": "0", "SECRET_KEY": SECRET}
    # Caddy is its own authority for this name.
    return {name: value.replace("play.example.org", "play.local") for name, value in given.items()} | own


@contextmanager
def started(cloned: Path, data_dir: Path) -> Iterator[str]:
    """Start the unit's program; stop it as systemd does, by one signal to the first process."""
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
