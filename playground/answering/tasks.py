"""The one task of the questions' worker, thin."""

from playground.answering import worker
from playground.engine import heartbeat as heartbeat  # connects itself to the worker's signals
from playground.questions.celery import app


@app.task(name="playground.questions.tasks.answer")
def answer() -> None:
    """Answer the question whose turn it is, and leave the answer in the broker."""
    worker.answer_next()
