"""The environment of a machine with Python, git's files and nothing of ours."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.resilience.client import Client
from tests.services import ROOT, STOP_SECONDS, address_of, spawn, wait_for

# How this machine reaches package indexes, and where programs lie; none of our settings, no environment of ours.
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
# The Python that our environment was made with.
PYTHON = str(Path(sys.executable).resolve())
SEED = 7


def environ(**settings: str) -> dict[str, str]:
    """Return a user's environment; `settings` are added."""
    ours = str(Path(sys.executable).parent)
    kept = {name: value for name, value in os.environ.items() if name.upper() in KEPT or name.startswith("PIP_")}
    path = [folder for folder in kept["PATH"].split(os.pathsep) if folder != ours]
    # Python compiles what it imports, a third of what pip would compile. Of a "no" pip wants to hear 0.
    return {**kept, "PATH": os.pathsep.join(path), "PIP_NO_COMPILE": "0", **settings}


def clone(folder: Path) -> Path:
    """Copy the files that git tracks, in their current state; a file that was never added is missing."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def run(command: Sequence[str], folder: Path, **settings: str) -> str:
    """Return the output of a command. Fails with the output if the command does."""
    done = subprocess.run(
        command, cwd=folder, env=environ(**settings), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}"
    return done.stdout


@contextmanager
def running(command: Sequence[str], folder: Path, log: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """Run a playground started by `command` until Ctrl-C; provide its address."""
    with log.open("wb") as output:
        process = spawn(
            list(command), cwd=folder, env=environ(**settings), stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield address_of(process, log)
        # A terminal tells all programs that run in it.
        os.killpg(process.pid, signal.SIGINT)
        process.wait(STOP_SECONDS)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(STOP_SECONDS)
    text = log.read_text()
    assert "stopping" in text, text
    assert "Traceback" not in text, text


def play(url: str) -> Client:
    """Run an example to its end over HTTP, as the page would; return the client."""
    client = Client([url], None)
    cluster = client.post("clusters/", {"name": "first", "example": "nearly-full", "seed": SEED})["id"]
    number = client.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle", "key": "run"})["number"]
    path = f"clusters/{cluster}/commands/{number}/"
    over = wait_for(lambda: (told := client.get(path))["state"] not in ("queued", "running") and told, "the run's end")
    assert over["state"] == "done", over
    summary = client.get(f"clusters/{cluster}/")
    assert summary["state"] == "idle"
    assert min(summary["cycle"], summary["counts"]["bound"]) > 10, summary
    return client
