"""Writes that depend on what they read wait for each other, as a server compares before it swaps.

In one process: requests to others are told apart by `resourceVersion` alone.
"""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

from kube_apiserver import errors
from playground.kubernetes import waiting


class _Turn:
    def __init__(self) -> None:
        self.lock = threading.Lock()


_turns: WeakValueDictionary[tuple[Hashable, ...], _Turn] = WeakValueDictionary()
_guard = threading.Lock()


@contextmanager
def turn(*about: Hashable) -> Iterator[None]:
    """What is done in this block nobody else does with the same meanwhile. ApiError when that takes too long."""
    with _guard:
        mine = _turns.setdefault(about, _Turn())
    if not mine.lock.acquire(timeout=waiting.PATIENCE_SECONDS):
        raise errors.too_many("others that ask for the same wait already, please try again later", retry_after=1)
    try:
        yield
    finally:
        mine.lock.release()
