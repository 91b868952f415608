"""Python's cyclic garbage collector beside a simulation, in a process of any kind."""

import gc

# A run makes hundreds of lists and dicts a cycle, and nearly all are gone again without the collector: it need not
# look at them every 700, as Python has it.
YOUNG = 50_000


def look_seldom() -> None:
    gc.set_threshold(YOUNG)
