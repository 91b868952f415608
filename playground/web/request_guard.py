"""Stops the work of a request that takes too much time or memory, or whose client has left.

A request is stopped only in blocks that calculate: `with calculating():`. They read, and write nothing, so an exception
may end them anywhere. A thread that looks at all requests raises it in the request's thread (a BaseException, so no
`except Exception` handles it). Code in C that doesn't return isn't stopped: its work has bounds of its own.
"""

import asyncio
import contextlib
import ctypes
import resource
import threading
import time
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connections

from playground import limits
from playground.web.fair_places import FairPlaces

_LOOK_SECONDS, _AGAIN_SECONDS = 0.05, 0.5
TIME, MEMORY, LEFT = "time", "memory", "left"
CLIENT = "playground.client"
"""The key of an ASGI scope under which the request's `Client` is."""


class RequestStoppedError(BaseException):
    """The request may not go on. `reason` is TIME, MEMORY or LEFT."""

    reason = TIME


class Client:
    """The client of a request. `has_left` becomes true when its connection ends, if the request takes long."""

    __slots__ = ("_is_over", "_loop", "_receive", "_task", "has_left", "is_watched")

    def __init__(
        self, loop: asyncio.AbstractEventLoop | None = None, receive: Callable[[], Awaitable[Any]] | None = None
    ) -> None:
        """`receive`: the ASGI channel of the request, whose body has been read."""
        self._loop, self._receive = loop, receive
        self._task: asyncio.Task[None] | None = None
        self._is_over = self.has_left = self.is_watched = False

    def watch(self) -> None:
        """Begin to wait for the end of the connection; from any thread."""
        self.is_watched = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._listen)

    def end(self) -> None:
        """Wait no more: the request is over."""
        self._is_over = True
        if self._task is not None:
            self._task.cancel()

    def _listen(self) -> None:
        if not self._is_over and self._loop is not None:
            self._task = self._loop.create_task(self._until_left())

    async def _until_left(self) -> None:
        assert self._receive is not None
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.has_left = True


class _Work:
    """A request at work in a thread."""

    __slots__ = (
        "begun",
        "bytes",
        "client",
        "clock",
        "depth",
        "has_place",
        "raised",
        "reason",
        "started",
        "thread",
        "who",
    )

    def __init__(self, client: Client | None, who: Hashable) -> None:
        self.thread = threading.get_ident()
        self.clock = _clock_of(self.thread)
        self.begun, self.started = self.clock(), time.monotonic()
        # Set at the first look at it.
        self.bytes: int | None = None
        self.client, self.who = client, who
        self.depth, self.reason, self.raised, self.has_place = 0, "", 0.0, False

    def take_place(self) -> None:
        """Wait until this thread may calculate. Raise RequestStoppedError if that takes too long."""
        try:
            _places.take_in_thread(self.who, limits.CLIENT_PLACE_SECONDS)
        except TimeoutError:
            self.reason = TIME
            raise RequestStoppedError from None
        self.has_place = True

    def leave_place(self) -> None:
        if self.has_place:
            self.has_place = False
            _places.release(self.who)

    def has_taken_too_long(self, now: float) -> bool:
        """A request that waits for others, or for a processor, may take longer."""
        seconds = self.clock() - self.begun
        is_late = now - self.started > limits.REQUEST_SECONDS
        return seconds > (limits.REQUEST_LEAST_CPU_SECONDS if is_late else limits.REQUEST_CPU_SECONDS)


_works: dict[int, _Work] = {}
_lock = threading.Lock()
_places = FairPlaces(limits.CALCULATIONS_AT_A_TIME, limits.CALCULATIONS_AT_A_TIME_PER_CLIENT)
_watcher: threading.Thread | None = None


@contextmanager
def guarded(client: Client | None, who: Hashable = "") -> Iterator[None]:
    """Look at the work of a request in this block. Raise RequestStoppedError from a block in it that calculates.

    `who` identifies the client, whose requests take turns with those of others.
    """
    _start_watcher()
    work = _Work(client, who)
    _works[work.thread] = work
    try:
        yield
    except RequestStoppedError as stopped:
        _end(work)
        _close_connections()
        stopped.reason = work.reason
        raise
    finally:
        _end(work)


class calculating:  # noqa: N801 - it reads as a statement
    """A block that only reads and calculates: here the request of this thread may be stopped."""

    __slots__ = ("_work",)

    def __enter__(self) -> None:
        self._work = _works.get(threading.get_ident())
        if self._work is not None:
            if not self._work.depth:
                self._work.take_place()
            with _lock:
                self._work.depth += 1
            if self._work.reason:
                raise RequestStoppedError

    def __exit__(self, *_: object) -> None:
        if self._work is not None:
            with _lock:
                self._work.depth -= 1
                if self._work.raised and not self._work.depth:
                    _raise_in(self._work.thread, None)
            if not self._work.depth:
                self._work.leave_place()


def _end(work: _Work) -> None:
    with _lock:
        _works.pop(work.thread, None)
        if work.raised:
            _raise_in(work.thread, None)
    work.leave_place()


def _close_connections() -> None:
    """A connection may be in the middle of a query or a transaction."""
    for connection in connections.all(initialized_only=True):
        connection.in_atomic_block = False
        with contextlib.suppress(Exception):
            connection.close()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    wanted = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), wanted)


def _start_watcher() -> None:
    global _watcher
    if _watcher is None or not _watcher.is_alive():
        with _lock:
            if _watcher is None or not _watcher.is_alive():
                _watcher = threading.Thread(target=_watch, name="request guard", daemon=True)
                _watcher.start()


def _watch() -> None:
    while True:
        time.sleep(_LOOK_SECONDS)
        if _works:
            with _lock:
                _look(list(_works.values()))


def _look(works: list[_Work]) -> None:
    now, used = time.monotonic(), _resident_bytes()
    for work in works:
        if work.bytes is None:
            work.bytes = used
        if work.reason:
            continue
        client = work.client
        if client is not None and not client.is_watched and now - work.started > limits.CLIENT_LOOK_SECONDS:
            client.watch()
        if client is not None and client.has_left:
            work.reason = LEFT
        elif work.has_taken_too_long(now):
            work.reason = TIME
    # Which of them takes the memory isn't known: it is most likely the one that has worked longest.
    working = [work for work in works if work.depth and not work.reason]
    largest = max(working, key=lambda work: work.clock() - work.begun, default=None)
    if largest is not None and largest.bytes is not None and used - largest.bytes > limits.REQUEST_BYTES:
        largest.reason = MEMORY
    for work in works:
        # The first one may have been lost in a function that was called from C.
        if work.reason and work.depth and now - work.raised > _AGAIN_SECONDS:
            work.raised = now
            _raise_in(work.thread, RequestStoppedError)


def _clock_of(thread: int) -> Callable[[], float]:
    """The time that a thread has computed, without what it waited; by the wall where the system doesn't know it."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
