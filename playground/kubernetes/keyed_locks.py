"""Locks for writes that depend on what they read, by any key.

They cover one process. Between processes, conflicts are detected by `resourceVersion` alone.
"""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from kube_apiserver import errors
from playground.kubernetes import waiting


class _KeyedLock:
    def __init__(self) -> None:
        self.lock = threading.Lock()


_locks: WeakValueDictionary[tuple[Hashable, ...], _KeyedLock] = WeakValueDictionary()
_guard = threading.Lock()


@contextmanager
def keyed_lock(*about: Hashable) -> Iterator[None]:
    """Hold the lock for the key `about` in this block. Raise ApiError 429 if that takes too long."""
    with _guard:
        entry = _locks.setdefault(about, _KeyedLock())
    if not entry.lock.acquire(timeout=waiting.PATIENCE_SECONDS):
        raise errors.too_many("others that ask for the same wait already, please try again later", retry_after=1)
    try:
        yield
    finally:
        entry.lock.release()
