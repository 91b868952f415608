"""SQLite has one writer at a time. Threads of a process take their turns here, in the order in which they come.

SQLite itself has those who wait sleep, for up to a tenth of a second at a time, and who comes next is chance: of fifty
that write without a pause, some wait for seconds. So of each process one thread at a time asks it.
"""

import os
import threading
from collections import defaultdict, deque


class Turn:
    """Of one file, in this process."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._own = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Lock] = deque()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def take(self, seconds: float) -> bool:
        """False when it did not come in time: then SQLite says what is to be said."""
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
        # It came in the very moment.
        return True

    def give_on(self) -> None:
        if self._process != os.getpid():
            # Of the process that forked this one: no thread of it is here.
            return
        with self._own:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


_turns: defaultdict[str, Turn] = defaultdict(Turn)


def of(path: str) -> Turn:
    return _turns[path]


# Who had or waited for a turn is not in the child.
os.register_at_fork(after_in_child=_turns.clear)
