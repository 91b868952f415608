"""Cleanup in idle worker processes: they drop simulations of clusters that another process has continued.

The pool gives each task to the first free process, so an idle one could otherwise hold a large cluster forever.
"""

import logging
import threading
from typing import Any

from celery.signals import task_postrun, task_prerun, worker_process_init
from django.db import DatabaseError, connection

from playground.engine import loaded_clusters

logger = logging.getLogger(__name__)
CLEANUP_SECONDS = 5.0

# A running task holds this lock; a nested task acquires it again.
_work = threading.RLock()


@worker_process_init.connect
def _begin(**_: Any) -> None:
    task_prerun.connect(_acquire)
    task_postrun.connect(_release)
    threading.Thread(target=_run, name="idle", daemon=True).start()


def _acquire(**_: Any) -> None:
    _work.acquire()


def _release(**_: Any) -> None:
    _work.release()


def _run() -> None:
    never = threading.Event()
    while not never.wait(CLEANUP_SECONDS):
        drop_outdated_clusters()


def drop_outdated_clusters() -> None:
    """Drop outdated simulations, as soon as no task runs."""
    with _work:
        try:
            loaded_clusters.drop_outdated()
        except DatabaseError as error:
            logger.info("what is in memory is looked at later: %s", error)
        finally:
            connection.close()
