"""Ties the processes of Celery's pool to the worker that forked them; the worker includes this.

A parent-death signal is not inherited across fork, and a pool process in the middle of a task would outlive its worker.
"""

import os
from typing import Any

from celery.signals import worker_process_init

from .child import die_with_parent


@worker_process_init.connect
def tie_to_worker(**_: Any) -> None:
    die_with_parent(os.getppid())
