"""Objects as text and back, each of them once: most objects of a checkpoint are those of the one before.

Objects are never changed in place, so that the same text may be the same object, in as many simulations as there are.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

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
        """A checkpoint begins: what neither the last one needed nor a record since told is forgotten."""
        self._before, self._now = self._now, {}

    def of(self, obj: KubeObject) -> str:
        """The manifest as JSON."""
        # An id is an object's own for as long as the object is kept, here at its side.
        known = self._before.get(id(obj)) or self._now.get(id(obj)) or (obj, _text(manifest_of(obj)))
        self._now[id(obj)] = known
        return known[1]

    def note(self, obj: KubeObject, manifest: Mapping[str, Any]) -> str:
        """The same, of an object whose manifest is there already: the next checkpoint will want it, too."""
        written = _text(manifest)
        if len(self._now) < MOST_PARSED:
            self._now[id(obj)] = obj, written
        return written


def _text(manifest: Mapping[str, Any]) -> str:
    return json.dumps(manifest, separators=(",", ":"))
