"""The Celery task that answers one question."""

import signal
import threading
from types import FrameType

from celery.exceptions import SoftTimeLimitExceeded

from kube_objects.defects import EndsTheRun
from playground.engine import heartbeat as heartbeat  # connects itself to the worker's signals
from playground.question_worker import answer_question
from playground.questions.celery import app


class AnswerTooLongError(EndsTheRun, SoftTimeLimitExceeded):
    """The end of the time for an answer. The engine doesn't take it for a defect of an attempt."""


def _raise_too_long(signal_number: int, frame: FrameType | None) -> None:
    raise AnswerTooLongError


@app.task(name="playground.questions.tasks.answer")
def answer() -> None:
    """Answer the next question in the queue, and store the answer in the broker."""
    if threading.current_thread() is threading.main_thread():
        # Celery's pool sends this signal when the soft time limit is over.
        signal.signal(signal.SIGUSR1, _raise_too_long)
    answer_question.answer_next_question()
