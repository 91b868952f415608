"""Scheduler extenders: webhooks that filter, score, preempt or bind. The caller provides the HTTP transport."""

from scheduler_core.extender.build import build_extenders
from scheduler_core.extender.http_extender import HTTPExtender
from scheduler_core.extender.recorder import Recorder, RecorderError
from scheduler_core.extender.transport import Response, Transport, TransportError, post_error

__all__ = [
    "HTTPExtender",
    "Recorder",
    "RecorderError",
    "Response",
    "Transport",
    "TransportError",
    "build_extenders",
    "post_error",
]
