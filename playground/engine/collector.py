"""Python's cyclic garbage collector beside clusters that are kept in memory.

A full collection looks at every object: with 50,000 pods it takes some 0.3 s, in the middle of a step somebody waits
for. So what outlives a turn is set aside, where the collector does not look. Reference counts free most of it all the
same; what refers to itself, as a simulation does, is found after `let_go`.
"""

import ctypes
import gc
from typing import Any

from celery.signals import worker_before_create_process

from scheduler_core.collector import look_seldom

# Cyclic garbage that a turn leaves behind is small, but it must not gather for ever.
MOST_TURNS = 1000

_turns = 0
# How many full collections there had been when something was let go: the next one frees it.
_full_then = -1


def set_aside() -> None:
    """Called between two turns: the collector does not look any more at what is alive now."""
    global _turns
    look_seldom()
    if _full_collections() == _full_then:
        return
    _turns += 1
    if _turns >= MOST_TURNS:
        let_go()
        return
    gc.collect(1)
    gc.freeze()


@worker_before_create_process.connect
def share(**_: Any) -> None:
    """What a pool's processes are forked from is theirs together until somebody writes to it, as a collection does to
    all that it looks at.
    """
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()


def let_go() -> None:
    """A simulation was dropped: nothing is set aside until the next full collection, which Python starts by itself."""
    global _turns, _full_then
    _turns, _full_then = 0, _full_collections()
    gc.unfreeze()


def give_back() -> None:
    """Something large was dropped, and somebody else has it: free it now, down to the system."""
    let_go()
    gc.collect()
    # The GNU C library keeps what lies free between what is in use.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


def _full_collections() -> int:
    return gc.get_stats()[2]["collections"]
