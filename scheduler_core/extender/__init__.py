"""Extenders: webhooks that take part in scheduling, spoken to over HTTP. The engine is given the way out."""

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
