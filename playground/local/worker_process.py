"""Start a Celery worker: `python -m playground.local.worker_process APP worker PROCESSES [NAME]`.

The `celery` program would load a shell with a line editor into each process. The order of arguments is that of the
program.
"""

import sys

from celery import Celery
from celery.app.utils import find_app
from celery.utils.nodenames import default_nodename, host_format


def main() -> int:
    app, _worker, *given = sys.argv[1:]
    return _work(find_app(app), *given)


def _work(app: Celery, processes: str, name: str = "celery") -> int:
    worker = app.Worker(
        hostname=host_format(default_nodename(f"{name}@%h")),
        concurrency=int(processes),
        include=["playground.local.pool_processes"],
        quiet=True,
        # No other worker needs this one's events.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main())
