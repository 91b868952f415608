"""The Celery task that answers one question."""

import signal
import threading
from types import FrameType

from celery.exceptions import SoftTimeLimitExceeded

from kube_objects.defects import EndsTheRun
from playground.answering import worker
from playground.engine import heartbeat as heartbeat  # connects itself to the worker's signals
from playground.questions.celery import app


class AnswerTooLongError(EndsTheRun, SoftTimeLimitExceeded):
    """The end of the time for an answer. The engine doesn't take it for a defect of an attempt."""


def _end(signal_number: int, frame: FrameType | None) -> None:
    raise AnswerTooLongError


@app.task(name="playground.questions.tasks.answer")
def answer() -> None:
    """Answer the next question in the queue, and store the answer in the broker."""
    if threading.current_thread() is threading.main_thread():
        # Celery's pool sends this signal when the soft time limit is over.
        signal.signal(signal.SIGUSR1, _end)
    worker.answer_next()
