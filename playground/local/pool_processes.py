"""A module that workers include: it ends the processes of Celery's pool with the worker that forked them.

A forked process does not inherit the parent-death signal, so a pool process would finish its task after its worker's
death.
"""

import os
from typing import Any

from celery.signals import worker_process_init

from .child import die_with_parent


@worker_process_init.connect
def tie_to_worker(**_: Any) -> None:
    die_with_parent(os.getppid())
