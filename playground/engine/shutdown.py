"""Whether the worker is told to stop, for the pool's processes, which do not hear it themselves.

A drain may last for hours. It looks here between cycles, commits, gives its lease back and returns, so that a worker
stops at once and the next one goes on at once.
"""

import mmap
from typing import Any

from celery.signals import worker_init, worker_shutting_down

# Anonymous shared memory, made before the pool forks: one byte that all of the worker's processes see.
_flag = mmap.mmap(-1, 1)


@worker_init.connect
def _begin(**_: Any) -> None:
    _flag[0] = 0


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    _flag[0] = 1


def requested() -> bool:
    """Whether this process's worker is stopping."""
    return bool(_flag[0])
