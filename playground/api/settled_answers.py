"""A cache of answers about the past, because all pages of a class request the same ones at once.

The past never changes: neither undo nor reset reuses the number of a cycle or record, and a branch is a separate
cluster. The view checks access before it reads the cache. Browsers may not store the answers, because a user who leaves
a class loses access.
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

# Compress only longer answers, like Django's GZipMiddleware.
WORTH_PACKING = 200
LEVEL = 6
ALWAYS = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}

Key = tuple[Any, ...]


class AnswerCache:
    """The most recently used answers, up to a total size in bytes."""

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
        # One large answer must not evict most others.
        if len(body) > self.most // 8:
            return
        with self._lock:
            self._answers[key] = body


cache = AnswerCache(limits.SETTLED_BYTES)


def answer_from_cache(request: Request, cluster: Cluster, what: Key, make: Callable[[], Any]) -> HttpResponse:
    """Return the cached answer to `what` about a readable cluster, or make it. None becomes 404."""
    # After a restore another cluster may have this ID, but not the same creation time.
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
