"""Python's cyclic garbage collector beside clusters that are kept in memory.

A full collection looks at every object: with 50,000 pods it takes some 0.3 s, in the middle of a step somebody waits
for. So what outlives many turns is set aside, where the collector does not look; what has become garbage there is
found only now and then. What only a turn or a task needs must not get there: it refers to itself, too, as Celery's
requests do, and would gather by a kilobyte a command.
"""

import ctypes
import gc
import weakref

from celery.signals import worker_before_create_process

from simulator.collector import look_seldom

# So many objects that outlived a turn are looked at all together, in a millisecond or two, and then set aside.
MANY = 10_000
# What was set aside and is garbage now is looked for when simulations with so many objects were dropped, which took
# longer to load, or after so many turns: it is little then, but must not gather for ever. The first time costs a
# process of a pool some 20 MiB, as what it shared with the others is its own from then on.
MOST_DROPPED = 10_000
MOST_TURNS = 100_000

_turns = _dropped = 0
# What was dropped since the last turn, with its number of objects: whether it had been set aside is not known yet.
_just_dropped: list[tuple[weakref.ref[object], int]] = []


def set_aside() -> None:
    """Called between two turns: when much has come to stay, the collector does not look at it any more."""
    global _turns, _dropped
    look_seldom()
    _turns += 1
    if _just_dropped:
        gc.collect()
        _dropped += sum(objects for cluster, objects in _just_dropped if cluster() is not None)
        _just_dropped.clear()
    if _turns >= MOST_TURNS or _dropped >= MOST_DROPPED:
        _turns = _dropped = 0
        gc.unfreeze()
    gc.collect(1)
    if len(gc.get_objects(generation=2)) >= MANY:
        gc.collect()
        gc.freeze()


@worker_before_create_process.connect
def share(**_: object) -> None:
    """What a pool's processes are forked from is theirs together until somebody writes to it, as a collection does to
    all that it looks at.
    """
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()


def let_go(cluster: object, objects: int) -> None:
    """A simulation is dropped, whose cluster this is, with so many objects."""
    _just_dropped.append((weakref.ref(cluster), objects))


def give_back() -> None:
    """Something large was dropped, and somebody else has it: free it now, down to the system."""
    global _dropped
    _dropped = 0
    _just_dropped.clear()
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    # The GNU C library keeps what lies free between what is in use.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
