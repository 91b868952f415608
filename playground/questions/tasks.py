"""The one task of the questions' worker, thin."""

from typing import Any

from playground.questions import answering
from playground.questions.celery import app
from playground.services import heartbeat as heartbeat  # connects itself to the worker's signals


@app.task
def answer(key: str, question: str, cluster_id: int, cycle: int | None, arguments: dict[str, Any]) -> None:
    """Leave the answer to a question under `key` in the broker."""
    answering.deliver(key, answering.answer(question, cluster_id, cycle, arguments))
