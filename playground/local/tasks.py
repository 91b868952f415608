"""Celery's worker without its program, which loads a shell and its editor of lines into each process.

`python -m playground.local.tasks APP worker PROCESSES [NAME]`, in the order of that program.
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
        include=["playground.local.pool"],
        quiet=True,
        # There is no other worker whose news would matter.
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main())
