"""The one task of the questions' worker, thin."""

from playground.questions import answering
from playground.questions.celery import app
from playground.services import heartbeat as heartbeat  # connects itself to the worker's signals


@app.task
def answer() -> None:
    """Answer the question whose turn it is, and leave the answer in the broker."""
    answering.answer_next()
