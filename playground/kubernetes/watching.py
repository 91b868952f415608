"""A watch: the objects that there are, if the client wants them, then what changes, until it goes or time is up."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, cast

from channels.db import database_sync_to_async
from django.db import DatabaseError
from redis.exceptions import RedisError

from kube_apiserver import errors
from kube_apiserver.reads import forms, list_options
from kube_apiserver.reads.forms import TABLE
from kube_apiserver.resources import Resource
from playground import limits
from playground.kubernetes import changes, listing, reading, versions
from playground.kubernetes.callers import Caller
from playground.kubernetes.changes import ADDED, ERROR, View, line
from playground.kubernetes.requests import Request
from playground.kubernetes.rooms import ROOMS, Batch, Watcher
from playground.store import watched
from playground.store.moments import one_moment
from playground.web import client_places

BOOKMARK_EVERY = 60.0
# Of a watch that says nothing of its own.
SECONDS = 1800
PAGE = 500
# Bytes of the first objects that are written before the client has read those before them.
PIECE_BYTES = 512 * 1024

_open: Counter[str] = Counter()
# asgiref would start a thread, and open a connection to the database, for each watch.
_threads = ThreadPoolExecutor(limits.WATCH_THREADS, "watch")
P = ParamSpec("P")
T = TypeVar("T")


def in_thread(read: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a function that reads the database in one of the threads that all watches share."""
    function = database_sync_to_async(read, thread_sensitive=False, executor=_threads)
    return cast("Callable[P, Coroutine[Any, Any, T]]", function)


@dataclass(frozen=True, slots=True)
class Wish:
    """Where a watch begins and how it ends. `after`: the version from which on it tells changes; None for now."""

    after: int | None
    tells_what_is: bool
    ends_initial_events: bool
    bookmarks: bool
    seconds: float


def wish_of(request: Request) -> Wish:
    list_options.check(request.options, is_watch=True)
    version, initial = versions.parse(request.query("resourceVersion")), request.query("sendInitialEvents")
    spread = random.uniform(SECONDS, 2 * SECONDS)  # noqa: S311 - it hides nothing
    seconds = request.number("timeoutSeconds") or spread
    is_wanted = initial in ("1", "true") if initial else not version
    return Wish(
        after=version if version and not is_wanted else None,
        tells_what_is=is_wanted,
        ends_initial_events=initial in ("1", "true"),
        bookmarks=request.flag("allowWatchBookmarks"),
        seconds=min(seconds, limits.WATCH_SECONDS),
    )


def watch(request: Request, resource: Resource, namespace: str, name: str) -> AsyncIterator[bytes]:
    """The lines of a watch; ApiError for one that cannot begin."""
    wish = wish_of(request)
    form = forms.wanted(request.accept, request.query("includeObject"))
    matches = listing.matching(request, resource, name)
    if wrong := _too_many(request.client_key):
        raise wrong
    watched.begin(request.cluster)
    served = request.served or resource
    view = View(request.cluster, resource, namespace, matches, form, served)
    selection = (request.query("labelSelector"), request.query("fieldSelector"), name)
    key = (served.path, served.name, namespace, *selection, form)
    return _Watch(view, wish, key, request.caller).lines()


def _too_many(who: str) -> errors.ApiError | None:
    if _open[who] < limits.WATCHES_PER_CLIENT:
        return None
    return errors.too_many(f"{limits.WATCHES_PER_CLIENT} watches are open already", retry_after=1)


class _Watch:
    def __init__(self, view: View, wish: Wish, key: tuple[object, ...], caller: Caller) -> None:
        self._view, self._wish, self._key, self._who = view, wish, key, caller.key
        self._caller = caller
        self._watcher = Watcher()
        self._last = 0
        self._is_first = True

    async def lines(self) -> AsyncIterator[bytes]:
        # Of many that were let in at once each counts only from here.
        if wrong := _too_many(self._who):
            yield line(ERROR, wrong.status)
            return
        _open[self._who] += 1
        try:
            room = await ROOMS.enter(self._view.cluster.pk, self._watcher)
            try:
                # First enter, then read: what happens in between is told by both, and said once.
                room.watch(self._key, self._view, self._watcher)
                async for each in self._events():
                    yield each
            finally:
                room.forget(self._key, self._watcher)
                await ROOMS.leave(room, self._watcher)
        except (RedisError, OSError, DatabaseError):
            # It begins anew where it was: nothing is lost.
            return
        finally:
            _open[self._who] -= 1
            if not _open[self._who]:
                del _open[self._who]

    async def _events(self) -> AsyncIterator[bytes]:
        end = time.monotonic() + self._wish.seconds
        if self._wish.tells_what_is:
            async for each in self._what_is():
                yield each
        if not self._watcher.is_over:
            async for each in self._what_was():
                yield each
        while not self._watcher.is_over and (left := end - time.monotonic()) > 0:
            self._watcher.is_due = False
            # One alarm until then, not one for each time that something comes: that costs as much as to tell it.
            alarm = asyncio.get_running_loop().call_later(min(left, BOOKMARK_EVERY), self._watcher.ring)
            try:
                while not (self._watcher.is_over or self._watcher.is_due):
                    await self._watcher.something.wait()
                    self._watcher.something.clear()
                    while written := b"".join(self._taken()):
                        yield written
            finally:
                alarm.cancel()
            if self._watcher.is_due and left > BOOKMARK_EVERY:
                if not await self._is_allowed():
                    return
                if self._wish.bookmarks:
                    yield self._view.bookmark(self._last)

    async def _is_allowed(self) -> bool:
        """Return whether the token is still valid."""
        return await in_thread(self._caller.may_stay)()

    def _taken(self) -> Iterator[bytes]:
        """Yield what waits, up to PIECE_BYTES: a client that reads slowly keeps no more of it in this process."""
        size = 0
        while self._watcher.waiting and size < PIECE_BYTES:
            batch = self._watcher.waiting.popleft()
            if (upto := versions.after(batch.upto)) > self._last:
                written = self._of(batch)
                self._last = upto
                if written:
                    size += len(written)
                    yield written

    def _of(self, batch: Batch) -> bytes:
        """All of it as it is written for everybody, where nothing of it was told to us yet."""
        if not batch.watch_events:
            return b""
        if batch.watch_events[0].version > self._last and not (self._is_first and self._view.form.name == TABLE):
            return batch.written
        new = [each for each in batch.watch_events if each.version > self._last]
        return b"".join(self._written(each.type, each.value) for each in new)

    def _written(self, type_: str, value: changes.Object) -> bytes:
        found = self._view.written(type_, value, is_first=self._is_first)
        self._is_first = False
        return found

    async def _what_is(self) -> AsyncIterator[bytes]:
        self._last = versions.after(await in_thread(reading.last)(self._view.cluster))
        after = ""
        while True:
            try:
                async with client_places.LISTS.place(self._view.cluster.pk, limits.CLIENT_PLACE_SECONDS):
                    page = await in_thread(self._page)(after)
            except TimeoutError:
                self._watcher.leave(0)
                yield line(ERROR, client_places.refused().status)
                return
            if page is None:
                yield self._too_old()
                return
            written, after = page
            if written:
                yield written
            if not after:
                break
        if self._wish.ends_initial_events:
            yield self._view.bookmark(self._last, ends_initial_events=True)

    async def _what_was(self) -> AsyncIterator[bytes]:
        """What changed between the version that the client has and now."""
        if self._wish.after is not None:
            self._last = self._wish.after
        elif not self._wish.tells_what_is:
            self._last = versions.after(await in_thread(reading.last)(self._view.cluster))
        changed = await in_thread(self._changed)()
        if changed is None:
            yield self._too_old()
            return
        upto, written = changed
        self._last = max(self._last, versions.after(upto))
        if written:
            yield written

    def _page(self, after: str) -> tuple[bytes, str] | None:
        """Return the lines of the objects behind a key, and the key of the last one if there are more."""
        with one_moment():
            objects = listing.objects_of(self._view, after, self._last)
            if objects is None:
                return None
            lines: list[bytes] = []
            size, last = 0, ""
            for value in objects:
                if len(lines) == PAGE or size >= PIECE_BYTES:
                    return b"".join(lines), last
                lines.append(self._written(ADDED, value))
                size, last = size + len(lines[-1]), reading.key_of(value)
            return b"".join(lines), ""

    def _changed(self) -> tuple[int, bytes] | None:
        """Return the last record and the lines of what changed since `_last`; None if that is not known any more."""
        found = changes.since(self._view.cluster.pk, self._last, {self._view.resource.kind})
        if found is None:
            return None
        upto, changed = found
        # A pod's end has two versions, of which a client may have the first.
        new = (each for each in self._view.watch_events(changed) if each.version > self._last)
        return upto, b"".join(self._written(each.type, each.value) for each in new)

    def _too_old(self) -> bytes:
        """What a client is told that has to list anew."""
        self._watcher.leave(0)
        return line(ERROR, errors.too_old(self._last, versions.after(self._view.cluster.revision)).status)
