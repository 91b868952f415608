"""Beat as a thread of the web process: as a process it takes 44 MiB, to send a message every two seconds.

Of what runs on one machine only the web process forks nothing, so that nobody inherits a lock that beat holds.
"""

import logging
import threading
import time

from celery.app.utils import find_app
from celery.beat import Service

logger = logging.getLogger(__name__)

APP = "playground.beat"
# Before it begins again, as after a full disk.
PAUSE_SECONDS = 10.0


def begin(schedule: str) -> None:
    """Send what is due, by the schedule in this file, for as long as this process lives."""
    threading.Thread(target=_beat, args=(schedule,), name="beat", daemon=True).start()


def _beat(schedule: str) -> None:
    app = find_app(APP)
    while True:
        try:
            Service(app, schedule_filename=schedule).start()
        except Exception:
            logger.exception("beat begins again in %.0f s", PAUSE_SECONDS)
        time.sleep(PAUSE_SECONDS)
