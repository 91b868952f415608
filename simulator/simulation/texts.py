"""Objects as text and back, each of them once: most objects of a checkpoint are those of the one before.

Objects are never changed in place, so that the same text may be the same object, in as many simulations as there are.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from operator import is_
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.reparse import SiblingParser
from kube_objects.serialize import manifest_of
from kube_objects.shared import shared
from kube_objects.text.compact import compact

# Those of a cluster of 8,000 pods before and after they got their nodes, and of some others.
MOST_PARSED = 32_768
# What a small cluster was in the past is not kept for as long: so many times its objects, and some.
VERSIONS, SOME = 4, 1000
_siblings = SiblingParser()


@lru_cache(maxsize=MOST_PARSED)
def parsed(text: str) -> KubeObject:
    """The object of a manifest as JSON."""
    return _siblings.parse(shared(json.loads(text)))


def was_read(objects: int) -> None:
    """A checkpoint with so many objects: forget the others when they have become many beside it."""
    if parsed.cache_info().currsize > VERSIONS * objects + SOME:
        forget()


def forget() -> None:
    """What was parsed is as large as a simulation that was dropped."""
    parsed.cache_clear()


class Texts:
    """The texts of one simulation's objects, from one checkpoint to the next; as a checkpoint has them: values of JSON.

    They are known by the objects' ids, which stay their own as the objects are kept beside them.
    """

    def __init__(self) -> None:
        self._noted: dict[int, tuple[KubeObject, bytes]] = {}  # since the last checkpoint
        # Of the last checkpoint, in its order.
        self._given_objects: list[KubeObject] = []
        self._given: dict[int, bytes] = {}
        self._objects: list[KubeObject] = []
        self._entries: dict[int, bytes] = {}

    def note(self, obj: KubeObject, manifest: Mapping[str, Any]) -> str:
        """The text of an object whose manifest is there already: the next checkpoint will want it, too."""
        written = compact(manifest)
        if len(self._noted) < MOST_PARSED:
            self._noted[id(obj)] = obj, compact(written).encode()
        return written

    def of(self, named: Mapping[tuple[str, str], KubeObject], now: list[KubeObject]) -> tuple[list[bytes], list[bytes]]:
        """For a checkpoint: the manifests of what was given, which is `named` by kind and key; and of what there is
        `now`, kind and key where it is as it was given, or is again, and the manifest where it is not.
        """
        given = list(named.values())
        if len(given) != len(self._given_objects) or not all(map(is_, given, self._given_objects)):
            self._give(given)
        ids = list(map(id, now))
        # Nearly all are those of the checkpoint before.
        entries = list(map(self._entries.get, ids))
        found = [
            self._entry(obj, named.get((obj.kind, obj.key))) if entry is None else entry
            for entry, obj in zip(entries, now, strict=True)
        ]
        self._objects, self._entries = now, dict(zip(ids, found, strict=True))
        self._noted.clear()
        return list(self._given.values()), found

    def _give(self, given: list[KubeObject]) -> None:
        """Others are given than before: with what an object is compared may be another one."""
        texts = zip(self._objects, self._entries.values(), strict=True)
        self._noted |= {id(obj): (obj, text) for obj, text in texts if text.startswith(b'"')}
        self._given = {id(obj): self._given.get(id(obj)) or self._text(obj) for obj in given}
        self._given_objects, self._entries = given, {}

    def _entry(self, obj: KubeObject, given: KubeObject | None) -> bytes:
        if given is obj:
            return compact([obj.kind, obj.key]).encode()
        text = self._text(obj)
        is_same = given is not None and self._given[id(given)] == text
        return compact([obj.kind, obj.key]).encode() if is_same else text

    def _text(self, obj: KubeObject) -> bytes:
        """The manifest, which is a text itself."""
        written = self._noted.get(id(obj))
        return compact(compact(manifest_of(obj))).encode() if written is None else written[1]
