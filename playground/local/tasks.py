"""Celery's worker and beat without its program, which loads a shell and its editor of lines into each of them.

`python -m playground.local.tasks APP worker PROCESSES [NAME]` and `python -m playground.local.tasks APP beat SCHEDULE`.
"""

import sys

from celery import Celery
from celery.app.utils import find_app
from celery.utils.nodenames import default_nodename, host_format


def main() -> int:
    name, what, *given = sys.argv[1:]
    app: Celery = find_app(name)
    return _beat(app, *given) if what == "beat" else _work(app, *given)


def _beat(app: Celery, schedule: str) -> int:
    app.Beat(schedule=schedule, pidfile="", quiet=True).run()
    return 0


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
