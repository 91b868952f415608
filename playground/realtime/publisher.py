"""Tell the browsers: numbered records and the state, over the channel layer, once they are stored."""

import asyncio
import json
import logging
import time
from types import TracebackType
from typing import Any, Self

from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from playground import limits
from playground.realtime.frames import brief, group

logger = logging.getLogger(__name__)

BETWEEN_STATES = 1 / limits.STATE_FRAMES_PER_SECOND
# A broker that does not answer must hold up nobody's run: so long it is waited for, and then left alone for a while.
PATIENCE_SECONDS = 2.0
LEFT_ALONE_SECONDS = 5.0


class Publisher:
    """Publishes for one cluster, from a process without an event loop of its own. News that cannot be sent is lost:

    whoever misses a number asks the database.
    """

    def __init__(self, cluster_id: int) -> None:
        self._group = group(cluster_id)
        # One loop for all: the channel layer keeps a connection per loop.
        self._loop = asyncio.Runner()
        self._state_sent = 0.0
        self._is_away = False
        self._left_alone_until = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.close()

    def records(self, first: int, bodies: list[str]) -> None:
        """Publish consecutive records, the first of them numbered `first`: in full when they are few."""
        for start in range(0, len(bodies), limits.RECORDS_PER_FRAME):
            page = bodies[start : start + limits.RECORDS_PER_FRAME]
            bulk = len(bodies) > limits.FULL_RECORDS or sum(map(len, page)) > limits.FULL_BYTES
            self._send(
                {
                    "type": "records",
                    "from": first + start,
                    "to": first + start + len(page) - 1,
                    "brief": bulk,
                    "bodies": [brief(body) for body in page] if bulk else page,
                }
            )

    def state_is_due(self) -> bool:
        """Whether the last state was published long enough ago."""
        return time.monotonic() - self._state_sent >= BETWEEN_STATES

    def state(self, state: dict[str, Any]) -> None:
        """Publish the cluster's state."""
        self._state_sent = time.monotonic()
        self._send({"type": "state.changed", "state": json.dumps(state)})

    def _send(self, message: dict[str, Any]) -> None:
        if self._is_away and time.monotonic() < self._left_alone_until:
            return
        try:
            self._loop.run(self._publish(message))
        except (RedisError, OSError) as error:
            # TimeoutError is an OSError, too.
            if not self._is_away:
                reason = str(error) or type(error).__name__
                logger.warning("%s: no broker to tell the news to (%s); they will be asked for", self._group, reason)
            self._is_away = True
            self._left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS * isinstance(error, TimeoutError)
        else:
            self._is_away = False

    async def _publish(self, message: dict[str, Any]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await get_channel_layer().group_send(self._group, message)
