"""Places for work, which clients take in turns."""

import asyncio
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Hashable
from concurrent.futures import Future
from contextlib import asynccontextmanager


class FairPlaces:
    """A number of places. Clients that wait take turns, however many requests each of them has.

    All that take a place either run in one event loop (`take`) or are threads (`take_in_thread`).
    """

    def __init__(self, most: int, most_of_client: int) -> None:
        """`most`: places of all clients together; `most_of_client`: those of one client."""
        self._most, self._most_of_client = most, most_of_client
        self._busy: Counter[Hashable] = Counter()
        self._waiting: OrderedDict[Hashable, deque[Future[None] | asyncio.Future[None]]] = OrderedDict()
        self._lock = threading.Lock()

    @asynccontextmanager
    async def place(self, client: Hashable, seconds: float) -> AsyncIterator[None]:
        """Hold a place in this block. Raise TimeoutError if none is free for so many seconds."""
        await self.acquire(client, seconds)
        try:
            yield
        finally:
            self.release(client)

    async def acquire(self, client: Hashable, seconds: float) -> None:
        """Wait for a place. Raise TimeoutError if none is free for so many seconds."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stand_in_line(client, turn)
        try:
            async with asyncio.timeout(seconds):
                await turn
        except BaseException:
            self._leave_line(client, turn)
            raise

    def acquire_in_thread(self, client: Hashable, seconds: float) -> None:
        """Wait for a place. Raise TimeoutError if none is free for so many seconds."""
        turn: Future[None] = Future()
        self._stand_in_line(client, turn)
        try:
            turn.result(seconds)
        except BaseException:
            self._leave_line(client, turn)
            raise

    def release(self, client: Hashable) -> None:
        """Give a place back to the client whose turn is next."""
        with self._lock:
            self._busy[client] -= 1
            if not self._busy[client]:
                del self._busy[client]
            for waiting in list(self._waiting):
                if self._busy.total() >= self._most:
                    return
                if self._has_room(waiting):
                    self._admit(waiting)

    def _stand_in_line(self, client: Hashable, turn: Future[None] | asyncio.Future[None]) -> None:
        with self._lock:
            if client not in self._waiting and self._has_room(client):
                self._busy[client] += 1
                turn.set_result(None)
            else:
                self._waiting.setdefault(client, deque()).append(turn)

    def _leave_line(self, client: Hashable, turn: Future[None] | asyncio.Future[None]) -> None:
        with self._lock:
            # asyncio cancels what it waits for.
            has_place = turn.done() and not turn.cancelled()
            turn.cancel()
        if has_place:
            self.release(client)

    def _has_room(self, client: Hashable) -> bool:
        return self._busy.total() < self._most and self._busy[client] < self._most_of_client

    def _admit(self, client: Hashable) -> None:
        """Give a place to the first request of a client that still waits; the client goes to the end of the line."""
        turns = self._waiting[client]
        while turns:
            turn = turns.popleft()
            if not turn.done():
                self._busy[client] += 1
                turn.set_result(None)
                break
        if turns:
            self._waiting.move_to_end(client)
        else:
            del self._waiting[client]
