"""Objects as text and back, each of them once: most objects of a checkpoint are those of the one before.

Objects are never changed in place, so that the same text may be the same object, in as many simulations as there are.
"""

import json
from functools import lru_cache

from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.parse import parse_object
from scheduler_core.objects.serialize import manifest_of

# Those of a cluster of 8,000 pods before and after they got their nodes, and of some others.
MOST_PARSED = 32_768


@lru_cache(maxsize=MOST_PARSED)
def parsed(text: str) -> KubeObject:
    """The object of a manifest as JSON."""
    return parse_object(json.loads(text))


class Texts:
    """The texts of one simulation's objects, from one checkpoint to the next."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[KubeObject, str]] = {}
        self._now: dict[int, tuple[KubeObject, str]] = {}

    def begin(self) -> None:
        """A checkpoint begins: what the last one did not need is forgotten."""
        self._before, self._now = self._now, {}

    def of(self, obj: KubeObject) -> str:
        """The manifest as JSON."""
        # An id is an object's own for as long as the object is kept, here at its side.
        known = self._before.get(id(obj)) or (obj, json.dumps(manifest_of(obj), separators=(",", ":")))
        self._now[id(obj)] = known
        return known[1]
