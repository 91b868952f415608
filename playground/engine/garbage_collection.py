"""Python's cyclic garbage collector in processes that keep clusters in memory.

A full collection visits every object, which would interrupt a step that a user waits for. So this module freezes
objects that outlive many turns, and runs a full collection only occasionally. Objects that live for one turn or task
must not be frozen. They are part of reference cycles (Celery's requests, too), so they would accumulate.
"""

import ctypes
import gc
import weakref

from celery.signals import worker_before_create_process

from simulator.collector import look_seldom

# After this many objects have outlived a turn, collect once and freeze them.
FREEZE_FROM_OBJECTS = 10_000
# Run a full collection, frozen objects included, after dropping simulations with MOST_DROPPED objects in total, or
# after MOST_TURNS turns. It makes a forked process copy the memory that it shared with its parent.
MOST_DROPPED = 10_000
MOST_TURNS = 100_000

_turns = _dropped = 0
# The clusters dropped since the last turn, with their numbers of objects. Some of them may be frozen.
_just_dropped: list[tuple[weakref.ref[object], int]] = []


def freeze_long_lived() -> None:
    """Freeze long-lived objects between two turns if there are many of them."""
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
    if len(gc.get_objects(generation=2)) >= FREEZE_FROM_OBJECTS:
        gc.collect()
        gc.freeze()


@worker_before_create_process.connect
def freeze_before_fork(**_: object) -> None:
    """Freeze all objects before the pool forks, so that a collection doesn't make its processes copy shared memory."""
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()


def note_dropped(cluster: object, objects: int) -> None:
    """Note that the simulation of `cluster`, with this number of objects, was dropped."""
    _just_dropped.append((weakref.ref(cluster), objects))


def release_memory() -> None:
    """Free the memory of a large cluster that was dropped, and return it to the operating system."""
    global _dropped
    _dropped = 0
    _just_dropped.clear()
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    # The GNU C library keeps free memory between blocks that are in use.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
