"""A program that runs as a child process: start it, print its output under its name, stop it reliably."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

CHILD = Path(__file__).with_name("child.py")
COLOURS = {"broker": 35, "web": 36, "worker": 33, "answers": 32}


def say(name: str, line: str) -> None:
    """Print one line under the name of the program it comes from."""
    label = f"{name:<7}│"
    if sys.stdout.isatty() and name in COLOURS:
        label = f"\033[{COLOURS[name]}m{label}\033[0m"
    # The reader of our output may have ended. The playground goes on without output.
    try:
        print(label, line, flush=True)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  it stays open until the end


def describe_exit(code: int) -> str:
    """Return how a process ended in words. A negative code is a signal, as in asyncio and subprocess."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


class Child:
    """A program that cannot outlive this process.

    It leads a process group of its own: the terminal's Ctrl-C doesn't reach it, so the supervisor decides the order of
    stopping, and processes that it forked stop with it.
    """

    def __init__(
        self, name: str, command: tuple[str, ...], environ: Mapping[str, str], fds: tuple[int, ...] = ()
    ) -> None:
        self.name = name
        self._command = command
        self._environ = environ
        self._fds = fds
        self._process: asyncio.subprocess.Process | None = None
        self._output: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-E", "-S", str(CHILD), str(os.getpid()), *self._command),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=self._environ,
            pass_fds=self._fds,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._output = asyncio.create_task(self._show(self._process.stdout))

    async def wait(self) -> int:
        """Return the exit code when the program and the processes that it forked have ended."""
        assert self._process is not None
        code = await self._process.wait()
        self._signal(signal.SIGKILL)
        if self._output is not None:
            # A stray descendant may still hold the output open.
            await asyncio.wait({self._output}, timeout=1)
        return code

    async def stop(self, grace: float) -> None:
        """Ask the program to end, and end it after `grace` seconds."""
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), grace)
        except TimeoutError:
            say(self.name, f"did not stop within {grace:.0f} s; killing it")
            self._signal(signal.SIGKILL)
        await self.wait()

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    async def _show(self, stream: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await stream.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in filter(bytes.strip, lines):
                say(self.name, line.decode(errors="replace"))
        if rest:
            say(self.name, rest.decode(errors="replace"))
