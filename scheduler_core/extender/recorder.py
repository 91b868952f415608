"""Recorder: a Transport that keeps every answer, so that what was scheduled with it can be done again without asking.

What extenders answer is input like the commands are: with it stored beside the records, a replay gives the same bytes,
and nobody is told twice to bind a pod.
"""

import json
import zlib
from collections import deque
from collections.abc import Callable

from kube_objects.defects import EndsTheRun
from scheduler_core.config.types import ExtenderTLSConfig
from scheduler_core.extender.transport import Response, Transport, TransportError

# What one call came to.
Answer = Response | TransportError


class RecorderError(EndsTheRun):
    """A replay asks for an answer that was not kept: it does not do what was done before."""


class Recorder:
    """Calls `live` and remembers, or gives what is remembered while a record is replayed."""

    def __init__(self, live: Transport) -> None:
        self._live = live
        self._taken: list[Answer] = []
        self._recall: Callable[[], bytes | None] | None = None
        self._played: deque[Answer] | None = None

    def replay(self, recall: Callable[[], bytes | None]) -> None:
        """Up to the next `take` answer from what `recall` gives. It is asked once, and only if there is a call."""
        self._recall = recall

    def take(self) -> bytes | None:
        """What was answered since the last `take`, for `recall` to give one day; None if nobody was asked."""
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

    def _ask(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> Answer:
        try:
            return self._live.post(url, body, timeout_seconds, tls)
        except TransportError as error:
            return error

    def _next(self, recall: Callable[[], bytes | None]) -> Answer:
        if self._played is None:
            recorded = recall()
            self._played = deque(_unpacked(recorded) if recorded is not None else ())
        if not self._played:
            raise RecorderError("an extender is asked that was not asked before")
        return self._played.popleft()


def _packed(answers: list[Answer]) -> bytes:
    """A JSON header, a newline, and the bodies, compressed."""
    header: list[object] = []
    bodies = []
    for answer in answers:
        if isinstance(answer, TransportError):
            header.append(str(answer))
        else:
            header.append([answer.status, len(answer.body), answer.broken])
            bodies.append(answer.body)
    return zlib.compress(json.dumps(header).encode() + b"\n" + b"".join(bodies), 1)


def _unpacked(data: bytes) -> list[Answer]:
    header, bodies = zlib.decompress(data).split(b"\n", 1)
    answers: list[Answer] = []
    at = 0
    for entry in json.loads(header):
        if isinstance(entry, str):
            answers.append(TransportError(entry))
        else:
            status, size, broken = entry
            answers.append(Response(status, bodies[at : at + size], broken))
            at += size
    return answers
