"""Cleanup in idle worker processes: they drop simulations of clusters that another process has continued.

The pool gives each task to the first free process, so an idle one could otherwise hold a large cluster forever.
"""

import logging
import threading
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_process_init
from django.db import DatabaseError, connection

from playground.engine import simulations

logger = logging.getLogger(__name__)
LOOK_SECONDS = 5.0

# A running task holds this lock; a nested task acquires it again.
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
    """Drop outdated simulations, as soon as no task runs."""
    with _work:
        try:
            simulations.drop_overtaken()
        except DatabaseError as error:
            logger.info("what is in memory is looked at later: %s", error)
        finally:
            connection.close()
