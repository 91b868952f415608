"""Start the parts of the playground in order, restart them when they end, and stop them in the opposite order."""

import asyncio
import fcntl
import os
import socket
import sys
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playground.folders import INSTALLED, START

from . import broker as brokers
from .child_process import Child, describe_exit, say
from .database_check import is_prepared
from .options import DEFAULT_PORT, LOOPBACK, Options, StartError, listen, url

BROKER = "broker"
GRACE_SECONDS = 5.0
FIRST_ANSWER_SECONDS = 60.0
# The first restart of a child is immediate. Each further one waits longer, up to this.
LONGEST_PAUSE_SECONDS = 10.0
STABLE_SECONDS = 10.0


@contextmanager
def only_one(data_dir: Path) -> Iterator[None]:
    """Lock DATA_DIR, because two playgrounds cannot share one database file and one broker socket."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        lock = (data_dir / "supervisor.lock").open("a")
    except OSError as error:
        raise StartError(f"DATA_DIR={data_dir}: {error.strerror}; name a folder you can write to") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StartError(
                f"A playground is running with DATA_DIR={data_dir} already; stop it, or give this one its own: "
                f"DATA_DIR=./data2 {START}"
            ) from error
        yield


class Supervisor:
    """The running playground. `run` returns when `stop` is set and all children have ended."""

    def __init__(self, options: Options, environ: Mapping[str, str], stop: asyncio.Event) -> None:
        self._options = options
        self._given = environ
        self._stop = stop
        self._children: list[Child] = []
        self._keepers: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Start all children and wait until stopped. Raises StartError when a child does not start."""
        with only_one(self._options.data_dir), listen(self._options) as listener:
            if INSTALLED:
                # Python and Celery import from the current folder first. The user may have started the playground in
                # a clone, or beside a file with the name of one of its modules.
                os.chdir(self._options.data_dir)
            started = asyncio.create_task(self._start(listener))
            stopped = asyncio.create_task(self._stop.wait())
            try:
                await asyncio.wait({started, stopped}, return_when=asyncio.FIRST_COMPLETED)
                if started.done():
                    started.result()
                    await stopped
                started.cancel()
                say("", "stopping")
            finally:
                await asyncio.gather(started, return_exceptions=True)
                await self._stop_all()

    async def _start(self, listener: socket.socket) -> None:
        options = self._options
        port = listener.getsockname()[1]
        if options.port is None and port != DEFAULT_PORT:
            say("", f"port {DEFAULT_PORT} is taken; using {port}")
        broker = brokers.choose(self._given, options.data_dir)
        environ = {
            # The C library keeps a heap per thread, which holds back freed memory.
            "MALLOC_ARENA_MAX": "2",
            **self._given,
            "DATA_DIR": str(options.data_dir),
            "DJANGO_SETTINGS_MODULE": "playground.settings",
            "HOST": options.host,
            "PORT": str(port),
            "PYTHONUNBUFFERED": "1",
            "REDIS_URL": broker.url,
        }
        if broker.command:
            await self._launch(Child(BROKER, broker.command, environ))
        await brokers.wait_until_up(broker)

        # The web process imports its modules, for a second or two, while the database is prepared.
        fd, (gate, gatekeeper) = listener.fileno(), os.pipe()
        serve = (sys.executable, "-m", "playground.local.web_process", str(fd), str(gate))
        schedule = str(options.data_dir / "beat-schedule")
        web = Child("web", (*serve, schedule), environ, (fd, gate))
        await self._begin(web)
        await self._prepare(environ)
        os.close(gatekeeper)
        tasks = (sys.executable, "-m", "playground.local.worker_process")
        # A container usually runs as root, so Celery's warning about root is of no use.
        quiet = {**environ, "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges"}
        count = str(options.worker_processes)
        await self._launch(Child("worker", (*tasks, "playground", "worker", count), quiet))
        await _first_answer(web, listener)
        self._keepers.append(asyncio.create_task(_keep(web)))
        # One process only, because it caches the simulations of the last questions in memory.
        answers = (*tasks, "playground.questions", "worker", "1", "questions")
        await self._launch(Child("answers", answers, quiet))

        address = url(listener, environ.get("ALLOWED_HOSTS", ""))
        say("", f"the kube-scheduler playground is running at {address}  (Ctrl-C stops it)")
        say("", f"data in {options.data_dir}, broker: {broker.description}")
        if public := environ.get("PUBLIC_ORIGINS", "").split(",")[0].strip():
            say("", f"people open it at {public}, through a proxy")
        if options.open_browser and _has_browser(self._given):
            await asyncio.to_thread(webbrowser.open, public or address)

    async def _prepare(self, environ: Mapping[str, str]) -> None:
        """Migrate the database and load the examples if this release has not done so. Raises StartError."""
        if not environ.get("DATABASE_URL") and is_prepared(self._options.data_dir):
            return
        prepare = Child("prepare", (sys.executable, "-m", "playground.local.prepare"), environ)
        await self._begin(prepare)
        if code := await prepare.wait():
            raise StartError(f"The database could not be prepared ({describe_exit(code)}); the reason stands above.")

    async def _begin(self, child: Child) -> None:
        """Start a child, and stop it at the end."""
        self._children.append(child)
        await child.start()

    async def _launch(self, child: Child) -> None:
        """Start a child and keep it running."""
        await self._begin(child)
        self._keepers.append(asyncio.create_task(_keep(child)))

    async def _stop_all(self) -> None:
        """Stop every child. The broker stops last, because the others use it while they stop."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        rest = [child for child in self._children if child.name != BROKER]
        await asyncio.gather(*(child.stop(GRACE_SECONDS) for child in rest))
        await asyncio.gather(*(child.stop(GRACE_SECONDS) for child in self._children if child not in rest))


async def _keep(child: Child) -> None:
    """Start a child again whenever it ends, until cancelled."""
    clock = asyncio.get_running_loop().time
    pause, started = 0.0, clock()
    while True:
        code = await child.wait()
        pause = 0.0 if clock() - started > STABLE_SECONDS else pause
        say(child.name, f"{describe_exit(code)}; starting it again" + (f" in {pause:.1f} s" if pause else ""))
        await asyncio.sleep(pause)
        pause = min(max(0.5, pause * 2), LONGEST_PAUSE_SECONDS)
        started = clock()
        await child.start()


async def _first_answer(web: Child, listener: socket.socket) -> None:
    """Return when the web process answers a request. Raises StartError when it ends or errs instead."""
    answer = asyncio.create_task(_status_of_first_page(listener))
    ended = asyncio.create_task(web.wait())
    try:
        await asyncio.wait({answer, ended}, timeout=FIRST_ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            raise StartError(f"The web process {describe_exit(ended.result())}; the reason stands above.")
        if not answer.done():
            raise StartError(f"The web process did not answer within {FIRST_ANSWER_SECONDS:.0f} s.")
        if answer.result() >= 500:
            raise StartError(f"The first page answers with status {answer.result()}; the reason stands above.")
    finally:
        answer.cancel()
        ended.cancel()
        await asyncio.gather(answer, ended, return_exceptions=True)


async def _status_of_first_page(listener: socket.socket) -> int:
    """Return the HTTP status of `/`, or 502 if the web process closes the connection.

    The supervisor's socket accepts the connection at once. The web process answers when it is ready.
    """
    host, port = listener.getsockname()[:2]
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET / HTTP/1.1\r\nHost: {LOOPBACK}:{port}\r\nConnection: close\r\n\r\n".encode())
        parts = (await reader.readline()).split()  # "HTTP/1.1 200 OK"
        return int(parts[1]) if len(parts) > 1 else 502
    except ConnectionError:
        return 502
    finally:
        writer.close()


def _has_browser(environ: Mapping[str, str]) -> bool:
    """Return whether a browser opens in a window, and not as a text browser in the terminal with our output."""
    return sys.platform == "darwin" or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
