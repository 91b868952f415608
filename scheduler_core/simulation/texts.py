"""Objects as text and back, each of them once: most objects of a checkpoint are those of the one before.

Objects are never changed in place, so that the same text may be the same object, in as many simulations as there are.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from scheduler_core.objects.again import Siblings
from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.serialize import manifest_of
from scheduler_core.objects.shared import shared
from scheduler_core.text.compact import compact

# Those of a cluster of 8,000 pods before and after they got their nodes, and of some others.
MOST_PARSED = 32_768
_siblings = Siblings()


@lru_cache(maxsize=MOST_PARSED)
def parsed(text: str) -> KubeObject:
    """The object of a manifest as JSON."""
    return _siblings.parse(shared(json.loads(text)))


@dataclass(slots=True)
class Known:
    """An object, kept so that its id stays its own, and the JSON of its manifest as a checkpoint has it: `quoted`, a
    text in JSON itself.

    What a checkpoint compares follows when one is made: `given` is what the object was compared with, and `entry` what
    came of that.
    """

    obj: KubeObject
    quoted: str
    given: KubeObject | None = None
    entry: str = ""


class Texts:
    """The texts of one simulation's objects, from one checkpoint to the next."""

    def __init__(self) -> None:
        self._before: dict[int, Known] = {}
        self._now: dict[int, Known] = {}

    def begin(self) -> None:
        """A checkpoint begins: what neither the last one needed nor a record since told is forgotten."""
        self._before, self._now = self._now, {}

    def quoted(self, obj: KubeObject) -> str:
        """The manifest's text as a value of JSON."""
        return self._of(obj).quoted

    def entry(self, obj: KubeObject, given: KubeObject | None) -> str:
        """Kind and key, as JSON, of what is as it was `given`, or is again; the manifest's text of what is not."""
        known = self._of(obj)
        if given is None:
            return known.quoted
        if known.given is not given:
            is_same = given is obj or self._of(given).quoted == known.quoted
            known.given = given
            known.entry = compact([obj.kind, obj.key]) if is_same else known.quoted
        return known.entry

    def _of(self, obj: KubeObject) -> Known:
        at = id(obj)
        known = self._now.get(at)
        if known is None:
            known = self._now[at] = self._before.get(at) or Known(obj, compact(compact(manifest_of(obj))))
        return known

    def note(self, obj: KubeObject, manifest: Mapping[str, Any]) -> str:
        """The text of an object whose manifest is there already: the next checkpoint will want it, too."""
        written = compact(manifest)
        if len(self._now) < MOST_PARSED:
            self._now[id(obj)] = Known(obj, compact(written))
        return written
