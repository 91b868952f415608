"""A fair queue for SQLite's single writer. The threads of a process write in the order in which they arrive.

SQLite itself lets waiting writers sleep and retry in random order, so that some of many writers wait for seconds. With
this queue, only one thread per process competes.
"""

import os
import threading
from collections import defaultdict, deque


class WriteQueue:
    """The queue of the threads in this process that write to one file."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._own = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Lock] = deque()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def acquire(self, seconds: float) -> bool:
        """Wait for this thread's turn. Return False after `seconds`; SQLite then reports the lock."""
        with self._own:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=seconds):
            return True
        with self._own:
            if mine in self._waiting:
                self._waiting.remove(mine)
                return False
        # The turn came at the time of the timeout.
        return True

    def pass_on(self) -> None:
        if self._process != os.getpid():
            # The queue belongs to the parent process, whose threads don't exist here.
            return
        with self._own:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


_turns: defaultdict[str, WriteQueue] = defaultdict(WriteQueue)


def queue_for(path: str) -> WriteQueue:
    return _turns[path]


# The parent's threads don't exist in the child.
os.register_at_fork(after_in_child=_turns.clear)
