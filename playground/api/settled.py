"""Answers that time cannot change any more, as bytes: a class that follows a pointer asks for the same ones at once.

History is only ever added to: a cycle's number and its record's are never given again, neither by undo nor by a reset,
and a branch is a cluster of its own. So what a past cycle was, and what it found, can be kept; the view has checked by
then that this user may read the cluster now. Browsers may keep none of it: who leaves a class reads it no more.
"""

import gzip
from collections.abc import Callable
from threading import Lock
from typing import Any

from cachetools import LRUCache
from django.http import Http404, HttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from playground import limits
from playground.models import Cluster

# As Django's own middleware has it: less is not worth the work.
WORTH_PACKING = 200
LEVEL = 6
ALWAYS = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}

Key = tuple[Any, ...]


class Cache:
    """The answers asked for last, up to so many bytes in all."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._answers: LRUCache[Key, bytes] = LRUCache(most, getsizeof=len)
        self._lock = Lock()

    @property
    def size(self) -> float:
        return self._answers.currsize

    def get(self, key: Key) -> bytes | None:
        with self._lock:
            return self._answers.get(key)

    def put(self, key: Key, body: bytes) -> None:
        # One answer never takes the place of most others.
        if len(body) > self.most // 8:
            return
        with self._lock:
            self._answers[key] = body


cache = Cache(limits.SETTLED_BYTES)


def settled(request: Request, cluster: Cluster, what: Key, make: Callable[[], Any]) -> HttpResponse:
    """The answer to `what` about a cluster that the user may read, made by `make` if it is not kept. None is 404."""
    # A backup that is played back may give a number to another cluster; never one of the same moment.
    key = (cluster.pk, cluster.created, *what)
    body = cache.get(key)
    if body is None:
        made = make()
        if made is None:
            raise Http404
        body = _packed(JSONRenderer().render(made))
        cache.put(key, body)
    is_packed = body[:2] == b"\x1f\x8b"
    if is_packed and "gzip" in request.headers.get("Accept-Encoding", ""):
        return _answer(body, {"Content-Encoding": "gzip"})
    return _answer(gzip.decompress(body) if is_packed else body, {})


def _packed(text: bytes) -> bytes:
    return gzip.compress(text, LEVEL, mtime=0) if len(text) >= WORTH_PACKING else text


def _answer(body: bytes, headers: dict[str, str]) -> HttpResponse:
    return HttpResponse(body, content_type="application/json", headers={**ALWAYS, **headers})
