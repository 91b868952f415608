"""The flag that the worker's pool processes read to learn of a shutdown, because only the parent gets the signal.

Applying commands may last for hours. Between cycles the worker checks this flag, commits and releases its lease, so
that another worker can continue at once.
"""

import mmap
from typing import Any

from celery.signals import worker_init, worker_shutting_down

# One byte of anonymous shared memory. The pool forks later, so all processes of the worker see it.
_flag = mmap.mmap(-1, 1)


@worker_init.connect
def _begin(**_: Any) -> None:
    _flag[0] = 0


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    _flag[0] = 1


def requested() -> bool:
    """Return True if this process's worker is shutting down."""
    return bool(_flag[0])
