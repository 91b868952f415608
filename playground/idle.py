"""A pool's process between its tasks: what it has in memory and another one went on with is dropped.

A process that is given nothing for long hears of nothing either, and the pool gives each task to the first that is
free: the copy of a large cluster in another one would stay there.
"""

import logging
import threading
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_process_init
from django.db import DatabaseError, connection

from playground.engine import simulations

logger = logging.getLogger(__name__)
LOOK_SECONDS = 5.0

# Held by a task for as long as it runs; a task that is run within another one takes it twice.
_work = threading.RLock()


@worker_process_init.connect
def _begin(**_: Any) -> None:
    task_prerun.connect(_take)
    task_postrun.connect(_give)
    threading.Thread(target=_look, name="idle", daemon=True).start()


def _take(**_: Any) -> None:
    _work.acquire()


def _give(**_: Any) -> None:
    _work.release()


def _look() -> None:
    never = threading.Event()
    while not never.wait(LOOK_SECONDS):
        look()


def look() -> None:
    """Drop what is of no use any more, once no task is at work."""
    with _work:
        try:
            simulations.drop_overtaken()
        except DatabaseError as error:
            logger.info("what is in memory is looked at later: %s", error)
        finally:
            connection.close()
