"""Stop a request that takes too much time or memory, or whose client has disconnected.

A request stops only in a block `with calculating():`. Such a block writes nothing, so an exception may end it anywhere.
A watching thread raises the exception in the request's thread. It is a BaseException, so `except Exception` does not
catch it. Code in C that does not return is not stopped and has limits of its own.
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
    """The end of a request by the guard. `reason` is TIME, MEMORY or LEFT."""

    reason = TIME


class Client:
    """The client of a request. If the request takes long, `has_left` becomes true when the connection ends."""

    __slots__ = ("_is_over", "_loop", "_receive", "_task", "has_left", "is_watched")

    def __init__(
        self, loop: asyncio.AbstractEventLoop | None = None, receive: Callable[[], Awaitable[Any]] | None = None
    ) -> None:
        """`receive`: the ASGI channel of the request, whose body has been read."""
        self._loop, self._receive = loop, receive
        self._task: asyncio.Task[None] | None = None
        self._is_over = self.has_left = self.is_watched = False

    def watch(self) -> None:
        """Start waiting for the end of the connection; callable from any thread."""
        self.is_watched = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._listen)

    def end(self) -> None:
        """Stop waiting, because the request has ended."""
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
    """A request that a thread is processing."""

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
        # The watching thread sets it when it first sees the request.
        self.bytes: int | None = None
        self.client, self.who = client, who
        self.depth, self.reason, self.raised, self.has_place = 0, "", 0.0, False

    def take_place(self) -> None:
        """Wait until this thread may calculate. Raise RequestStoppedError if that takes too long."""
        try:
            _places.acquire_in_thread(self.who, limits.CLIENT_PLACE_SECONDS)
        except TimeoutError:
            self.reason = TIME
            raise RequestStoppedError from None
        self.has_place = True

    def leave_place(self) -> None:
        if self.has_place:
            self.has_place = False
            _places.release(self.who)

    def has_taken_too_long(self, now: float) -> bool:
        """Return whether the request has used too much CPU. The limit is lower after REQUEST_SECONDS."""
        seconds = self.clock() - self.begun
        is_late = now - self.started > limits.REQUEST_SECONDS
        return seconds > (limits.REQUEST_LEAST_CPU_SECONDS if is_late else limits.REQUEST_CPU_SECONDS)


_works: dict[int, _Work] = {}
_lock = threading.Lock()
_places = FairPlaces(limits.CALCULATIONS_AT_A_TIME, limits.CALCULATIONS_AT_A_TIME_PER_CLIENT)
_watcher: threading.Thread | None = None


@contextmanager
def guarded(client: Client | None, who: Hashable = "") -> Iterator[None]:
    """Watch the request that this block processes. A `calculating` block in it may raise RequestStoppedError.

    `who` identifies the client. Clients take turns.
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
    """A block that only reads and calculates, in which the guard may stop this thread's request."""

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
    """Close the thread's database connections, which may be in the middle of a query or a transaction."""
    for connection in connections.all(initialized_only=True):
        connection.in_atomic_block = False
        with contextlib.suppress(Exception):
            connection.close()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    raised = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


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
                _stop_overdue(list(_works.values()))


def _stop_overdue(works: list[_Work]) -> None:
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
    # Memory is not counted per thread. The request that has computed longest most likely holds it.
    working = [work for work in works if work.depth and not work.reason]
    largest = max(working, key=lambda work: work.clock() - work.begun, default=None)
    if largest is not None and largest.bytes is not None and used - largest.bytes > limits.REQUEST_BYTES:
        largest.reason = MEMORY
    for work in works:
        # A function that C code called may have swallowed the first exception.
        if work.reason and work.depth and now - work.raised > _AGAIN_SECONDS:
            work.raised = now
            _raise_in(work.thread, RequestStoppedError)


def _clock_of(thread: int) -> Callable[[], float]:
    """Return a clock for the CPU time of a thread, or the wall clock if the system has no such clock."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
