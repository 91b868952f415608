"""Encode objects as JSON text and parse them, with caches, because most objects don't change between checkpoints.

Objects are never changed in place, so several simulations can share the parsed object of a text.
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

# The size of the parse cache: enough for a cluster of 8,000 pods before and after their binding, and for others.
MOST_PARSED = 32_768
# The cache is cleared when it has more than VERSIONS times the objects of a checkpoint, plus SOME.
VERSIONS, SOME = 4, 1000
_siblings = SiblingParser()


@lru_cache(maxsize=MOST_PARSED)
def parse_cached(text: str) -> KubeObject:
    """Return the object of a JSON manifest; equal texts share one object."""
    return _siblings.parse(shared(json.loads(text)))


def limit_parse_cache(objects: int) -> None:
    """Clear the parse cache if it is large for a checkpoint with this many objects."""
    if parse_cached.cache_info().currsize > VERSIONS * objects + SOME:
        clear_parse_cache()


def clear_parse_cache() -> None:
    """Clear the parse cache, for example after dropping a simulation, whose objects it would keep in memory."""
    parse_cached.cache_clear()


class ObjectTexts:
    """A cache of the encoded objects of one simulation, from one checkpoint to the next.

    A text is a JSON string that contains the manifest as JSON. The keys are the ids of objects; the cache also holds
    the objects, so that their ids stay unique.
    """

    def __init__(self) -> None:
        self._noted: dict[int, tuple[KubeObject, bytes]] = {}  # since the last checkpoint
        # The objects of the last checkpoint and their texts, in its order.
        self._submitted_objects: list[KubeObject] = []
        self._submitted: dict[int, bytes] = {}
        self._objects: list[KubeObject] = []
        self._entries: dict[int, bytes] = {}

    def add_text(self, obj: KubeObject, manifest: Mapping[str, Any]) -> str:
        """Encode a manifest, and store its text for the next checkpoint."""
        written = compact(manifest)
        if len(self._noted) < MOST_PARSED:
            self._noted[id(obj)] = obj, compact(written).encode()
        return written

    def encode(
        self, named: Mapping[tuple[str, str], KubeObject], now: list[KubeObject]
    ) -> tuple[list[bytes], list[bytes]]:
        """Return the texts of the submitted objects, and an entry for each stored object, for a checkpoint.

        `named` has the submitted objects by kind and key, `now` the stored ones. The entry of a stored object is its
        kind and key if it equals the submitted object, else its text.
        """
        submitted = list(named.values())
        if len(submitted) != len(self._submitted_objects) or not all(map(is_, submitted, self._submitted_objects)):
            self._replace_submitted(submitted)
        ids = list(map(id, now))
        # Nearly all objects were in the previous checkpoint.
        cached = list(map(self._entries.get, ids))
        entries = [
            self._entry(obj, named.get((obj.kind, obj.key))) if entry is None else entry
            for entry, obj in zip(cached, now, strict=True)
        ]
        self._objects, self._entries = now, dict(zip(ids, entries, strict=True))
        self._noted.clear()
        return list(self._submitted.values()), entries

    def _replace_submitted(self, submitted: list[KubeObject]) -> None:
        """Replace the submitted objects, and discard the entries, because they depend on them."""
        texts = zip(self._objects, self._entries.values(), strict=True)
        self._noted |= {id(obj): (obj, text) for obj, text in texts if text.startswith(b'"')}
        self._submitted = {id(obj): self._submitted.get(id(obj)) or self._text(obj) for obj in submitted}
        self._submitted_objects, self._entries = submitted, {}

    def _entry(self, obj: KubeObject, submitted: KubeObject | None) -> bytes:
        if submitted is obj:
            return compact([obj.kind, obj.key]).encode()
        text = self._text(obj)
        is_same = submitted is not None and self._submitted[id(submitted)] == text
        return compact([obj.kind, obj.key]).encode() if is_same else text

    def _text(self, obj: KubeObject) -> bytes:
        """Return the manifest as JSON within a JSON string."""
        written = self._noted.get(id(obj))
        return compact(compact(manifest_of(obj))).encode() if written is None else written[1]
