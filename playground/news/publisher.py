"""Publication of stored records and states to browsers, over the channel layer."""

import asyncio
import atexit
import json
import logging
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from playground import limits
from playground.news.bodies import Body
from playground.news.frames import group

logger = logging.getLogger(__name__)

BETWEEN_STATES = 1 / limits.STATE_FRAMES_PER_SECOND
# A broker that doesn't answer must not delay a run: the timeout of a message, and the pause after a timeout.
PATIENCE_SECONDS = 2.0
LEFT_ALONE_SECONDS = 5.0


class _Loop(threading.local):
    """An event loop per publishing thread, which stays open because the channel layer has one connection per loop."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        atexit.register(self._runner.close)

    def run(self, sending: Coroutine[Any, Any, None]) -> None:
        self._runner.run(sending)


_loop = _Loop()


def tell(group_name: str, message: dict[str, Any]) -> None:
    """Send one message to a group, from a thread without an event loop. It is lost if the broker is down."""
    try:
        _loop.run(_send_within(group_name, message))
    except (RedisError, OSError) as error:
        logger.warning("%s: no broker to tell the news to (%s)", group_name, error or type(error).__name__)


def look(cluster_id: int) -> None:
    """Ask the cluster's pages to refresh within a second, after a change without a record."""
    tell(group(cluster_id), {"type": "look"})


async def _send_within(group: str, message: dict[str, Any]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        await get_channel_layer().group_send(group, message)


class Publisher:
    """A publisher for one cluster, in a process without an event loop.

    Messages that can't be sent are lost; pages notice missing numbers and read the records from the database.
    """

    def __init__(self, cluster_id: int) -> None:
        self._group = group(cluster_id)
        self._state_sent = 0.0
        self._is_away = False
        self._left_alone_until = 0.0

    def records(self, bodies: Sequence[Body], matrix: Callable[[], str] | None = None) -> None:
        """Publish consecutive records, in full if they are few.

        In that case `matrix`, the JSON of the newest cycle's, is included, because every page would request it next.
        """
        for start in range(0, len(bodies), limits.RECORDS_PER_FRAME):
            page = bodies[start : start + limits.RECORDS_PER_FRAME]
            bulk = len(bodies) > limits.FULL_RECORDS or sum(len(body.text) for body in page) > limits.FULL_BYTES
            beside = "" if bulk or matrix is None else matrix()
            self._send(
                {
                    "type": "records",
                    "from": page[0].data["seq"],
                    "to": page[-1].data["seq"],
                    "brief": bulk,
                    "bodies": [body.brief if bulk else body.text for body in page],
                    "matrix": beside if len(beside) <= limits.FULL_BYTES else "",
                }
            )

    def state_is_due(self) -> bool:
        """Return whether the last state was published long enough ago."""
        return time.monotonic() - self._state_sent >= BETWEEN_STATES

    def state(self, state: Mapping[str, Any]) -> None:
        """Publish the cluster's state."""
        self._state_sent = time.monotonic()
        self._send({"type": "state.changed", "state": json.dumps(state)})

    def _send(self, message: dict[str, Any]) -> None:
        if self._is_away and time.monotonic() < self._left_alone_until:
            return
        try:
            _loop.run(_send_within(self._group, message))
        except (RedisError, OSError) as error:
            # TimeoutError is an OSError, too.
            if not self._is_away:
                reason = str(error) or type(error).__name__
                logger.warning("%s: no broker to tell the news to (%s); they will be asked for", self._group, reason)
            self._is_away = True
            self._left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS * isinstance(error, TimeoutError)
        else:
            self._is_away = False
