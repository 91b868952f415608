"""Watches: the existing objects if the client wants them, then their changes until the client leaves or time is up."""

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
from playground.kubernetes import list_pages, object_reads, resource_versions, watch_events
from playground.kubernetes.callers import Caller
from playground.kubernetes.requests import Request
from playground.kubernetes.rooms import Batch, Watcher, WatchRoom
from playground.kubernetes.watch_events import ADDED, ERROR, WatchView, encode_line
from playground.store import watch_changes
from playground.store.read_snapshot import read_snapshot
from playground.web import client_places

BOOKMARK_EVERY = 60.0
# The duration of a watch without a timeout of its own.
SECONDS = 1800
PAGE = 500
# The limit for the first objects that are encoded before the client has read earlier ones.
PIECE_BYTES = 512 * 1024

_open: Counter[str] = Counter()
# asgiref would start a thread and open a database connection for each watch.
_threads = ThreadPoolExecutor(limits.WATCH_THREADS, "watch")
P = ParamSpec("P")
T = TypeVar("T")


def in_thread(read: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a function that reads the database in one of the threads that all watches share."""
    function = database_sync_to_async(read, thread_sensitive=False, executor=_threads)
    return cast("Callable[P, Coroutine[Any, Any, T]]", function)


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The options of a watch. `after` is the version after which changes are sent, or None to begin now."""

    after: int | None
    sends_existing: bool
    ends_initial_events: bool
    bookmarks: bool
    seconds: float


def read_watch_options(request: Request) -> WatchOptions:
    list_options.check(request.options, is_watch=True)
    version, initial = resource_versions.parse(request.query("resourceVersion")), request.query("sendInitialEvents")
    spread = random.uniform(SECONDS, 2 * SECONDS)  # noqa: S311 - it hides nothing
    seconds = request.number("timeoutSeconds") or spread
    is_wanted = initial in ("1", "true") if initial else not version
    return WatchOptions(
        after=version if version and not is_wanted else None,
        sends_existing=is_wanted,
        ends_initial_events=initial in ("1", "true"),
        bookmarks=request.flag("allowWatchBookmarks"),
        seconds=min(seconds, limits.WATCH_SECONDS),
    )


def watch(request: Request, resource: Resource, namespace: str, name: str) -> AsyncIterator[bytes]:
    """Return the lines of a watch. Raise ApiError if it can't begin."""
    options = read_watch_options(request)
    form = forms.wanted(request.accept, request.query("includeObject"))
    matches = list_pages.select_objects(request, resource, name)
    if wrong := _too_many(request.client_key):
        raise wrong
    watch_changes.start_storing(request.cluster)
    served = request.served or resource
    view = WatchView(request.cluster, resource, namespace, matches, form, served)
    selection = (request.query("labelSelector"), request.query("fieldSelector"), name)
    key = (served.path, served.name, namespace, *selection, form)
    return _Watch(view, options, key, request.caller).lines()


def _too_many(who: str) -> errors.ApiError | None:
    if _open[who] < limits.WATCHES_PER_CLIENT:
        return None
    return errors.too_many(f"{limits.WATCHES_PER_CLIENT} watches are open already", retry_after=1)


class _Watch:
    def __init__(self, view: WatchView, options: WatchOptions, key: tuple[object, ...], caller: Caller) -> None:
        self._view, self._options, self._key, self._who = view, options, key, caller.key
        self._caller = caller
        self._watcher = Watcher()
        self._last = 0
        self._is_first = True

    async def lines(self) -> AsyncIterator[bytes]:
        # Count here, because many watches may have passed the first check at once.
        if wrong := _too_many(self._who):
            yield encode_line(ERROR, wrong.status)
            return
        _open[self._who] += 1
        try:
            room = await WatchRoom.enter(self._view.cluster.pk, self._watcher)
            try:
                # Subscribe before reading. Changes in between arrive twice, and `_last` removes the duplicates.
                room.watch(self._key, self._view, self._watcher)
                async for written in self._events():
                    yield written
            finally:
                room.forget(self._key, self._watcher)
                await room.remove(self._watcher)
        except (RedisError, OSError, DatabaseError):
            # The client resumes at its last version, so nothing is lost.
            return
        finally:
            _open[self._who] -= 1
            if not _open[self._who]:
                del _open[self._who]

    async def _events(self) -> AsyncIterator[bytes]:
        end = time.monotonic() + self._options.seconds
        if self._options.sends_existing:
            async for lines in self._existing_objects():
                yield lines
        if not self._watcher.is_over:
            async for lines in self._missed_changes():
                yield lines
        while not self._watcher.is_over and (left := end - time.monotonic()) > 0:
            self._watcher.is_due = False
            # One timer for several batches, because a timer per batch is expensive.
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
                if self._options.bookmarks:
                    yield self._view.bookmark(self._last)

    async def _is_allowed(self) -> bool:
        """Return whether the token is still valid."""
        return await in_thread(self._caller.may_stay)()

    def _taken(self) -> Iterator[bytes]:
        """Yield waiting batches, up to PIECE_BYTES, so that a slow client doesn't hold much memory."""
        size = 0
        while self._watcher.waiting and size < PIECE_BYTES:
            batch = self._watcher.waiting.popleft()
            if (upto := resource_versions.cluster_version(batch.upto)) > self._last:
                written = self._of(batch)
                self._last = upto
                if written:
                    size += len(written)
                    yield written

    def _of(self, batch: Batch) -> bytes:
        """Return the shared encoding of a batch if none of it was sent, or else the encoding of the new events."""
        if not batch.watch_events:
            return b""
        if batch.watch_events[0].version > self._last and not (self._is_first and self._view.form.name == TABLE):
            return batch.written
        new = [each for each in batch.watch_events if each.version > self._last]
        return b"".join(self._written(each.type, each.value) for each in new)

    def _written(self, type_: str, value: watch_events.Object) -> bytes:
        encoded = self._view.written(type_, value, is_first=self._is_first)
        self._is_first = False
        return encoded

    async def _existing_objects(self) -> AsyncIterator[bytes]:
        self._last = resource_versions.cluster_version(
            await in_thread(object_reads.refresh_revision)(self._view.cluster)
        )
        after = ""
        while True:
            try:
                async with client_places.LISTS.place(self._view.cluster.pk, limits.CLIENT_PLACE_SECONDS):
                    page = await in_thread(self._page)(after)
            except TimeoutError:
                self._watcher.leave(0)
                yield encode_line(ERROR, client_places.refused().status)
                return
            if page is None:
                yield self._too_old()
                return
            written, after = page
            if written:
                yield written
            if not after:
                break
        if self._options.ends_initial_events:
            yield self._view.bookmark(self._last, ends_initial_events=True)

    async def _missed_changes(self) -> AsyncIterator[bytes]:
        """Yield the changes between the client's version and the current one."""
        if self._options.after is not None:
            self._last = self._options.after
        elif not self._options.sends_existing:
            self._last = resource_versions.cluster_version(
                await in_thread(object_reads.refresh_revision)(self._view.cluster)
            )
        changed = await in_thread(self._changed)()
        if changed is None:
            yield self._too_old()
            return
        upto, written = changed
        self._last = max(self._last, resource_versions.cluster_version(upto))
        if written:
            yield written

    def _page(self, after: str) -> tuple[bytes, str] | None:
        """Return the lines of the objects after a key, and the key of the last one if there are more."""
        with read_snapshot():
            objects = list_pages.objects_of(self._view, after, self._last)
            if objects is None:
                return None
            lines: list[bytes] = []
            size, last = 0, ""
            for value in objects:
                if len(lines) == PAGE or size >= PIECE_BYTES:
                    return b"".join(lines), last
                lines.append(self._written(ADDED, value))
                size, last = size + len(lines[-1]), object_reads.key_of(value)
            return b"".join(lines), ""

    def _changed(self) -> tuple[int, bytes] | None:
        """Return the last record and the lines of the changes since `_last`, or None if that version is too old."""
        newer = watch_events.changes_since(self._view.cluster.pk, self._last, {self._view.resource.kind})
        if newer is None:
            return None
        upto, changed = newer
        # The end of a Pod has two versions, and the client may know the first one.
        new = (each for each in self._view.watch_events(changed) if each.version > self._last)
        return upto, b"".join(self._written(each.type, each.value) for each in new)

    def _too_old(self) -> bytes:
        """End the watch and return the error that makes a client list again."""
        self._watcher.leave(0)
        return encode_line(
            ERROR, errors.too_old(self._last, resource_versions.cluster_version(self._view.cluster.revision)).status
        )
