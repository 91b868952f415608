"""Celery beat as a thread of the web process, because a process of its own takes 44 MiB.

The web process is the only one here that never forks, so no child inherits a lock that beat holds.
"""

import logging
import threading
import time

from celery.app.utils import find_app
from celery.beat import Service

logger = logging.getLogger(__name__)

APP = "playground.beat"
# The pause before a restart after a failure, for example a full disk.
PAUSE_SECONDS = 10.0


def start_beat(schedule: str) -> None:
    """Start the thread that sends due tasks. `schedule` is the path of beat's schedule file."""
    threading.Thread(target=_run_beat, args=(schedule,), name="beat", daemon=True).start()


def _run_beat(schedule: str) -> None:
    app = find_app(APP)
    while True:
        try:
            Service(app, schedule_filename=schedule).start()
        except Exception:
            logger.exception("Celery beat failed and restarts in %.0f s", PAUSE_SECONDS)
        time.sleep(PAUSE_SECONDS)
