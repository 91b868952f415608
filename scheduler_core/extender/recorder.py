"""Recorder: a Transport that stores every response, so that a replay needs no calls.

Responses are stored beside the records. A replay gives the same bytes, and no extender binds a pod twice.
"""

import json
import zlib
from collections import deque
from collections.abc import Callable

from kube_objects.defects import EndsTheRun
from scheduler_core.config.types import ExtenderTLSConfig
from scheduler_core.extender.transport import Response, Transport, TransportError

# The result of one call.
CallResult = Response | TransportError


class RecorderError(EndsTheRun):
    """Raised if a replay makes a call that isn't recorded, because it differs from the original run."""


class Recorder:
    """Calls `live` and records the responses, or replays recorded ones."""

    def __init__(self, live: Transport) -> None:
        self._live = live
        self._taken: list[CallResult] = []
        self._recall: Callable[[], bytes | None] | None = None
        self._played: deque[CallResult] | None = None

    def replay(self, recall: Callable[[], bytes | None]) -> None:
        """Replay the responses of `recall` until the next `take`. `recall` is called once, at the first call."""
        self._recall = recall

    def take(self) -> bytes | None:
        """Return the responses since the last `take`, packed for `recall`; None if there were no calls."""
        taken, self._taken = self._taken, []
        self._recall = self._played = None
        return _packed(taken) if taken else None

    def post(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> Response:
        if self._recall is not None:
            answer = self._next(self._recall)
        else:
            answer = self._ask(url, body, timeout_seconds, tls)
            self._taken.append(answer)
        if isinstance(answer, TransportError):
            raise answer
        return answer

    def _ask(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> CallResult:
        try:
            return self._live.post(url, body, timeout_seconds, tls)
        except TransportError as error:
            return error

    def _next(self, recall: Callable[[], bytes | None]) -> CallResult:
        if self._played is None:
            recorded = recall()
            self._played = deque(_unpacked(recorded) if recorded is not None else ())
        if not self._played:
            raise RecorderError("an extender is asked that was not asked before")
        return self._played.popleft()


def _packed(answers: list[CallResult]) -> bytes:
    """Pack responses: a JSON header, a newline, and the bodies, compressed."""
    header: list[object] = []
    bodies = []
    for answer in answers:
        if isinstance(answer, TransportError):
            header.append(str(answer))
        else:
            header.append([answer.status, len(answer.body), answer.broken])
            bodies.append(answer.body)
    return zlib.compress(json.dumps(header).encode() + b"\n" + b"".join(bodies), 1)


def _unpacked(data: bytes) -> list[CallResult]:
    header, bodies = zlib.decompress(data).split(b"\n", 1)
    answers: list[CallResult] = []
    position = 0
    for entry in json.loads(header):
        if isinstance(entry, str):
            answers.append(TransportError(entry))
        else:
            status, size, broken = entry
            answers.append(Response(status, bodies[position : position + size], broken))
            position += size
    return answers
