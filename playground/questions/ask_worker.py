"""Send a question from the web process to a worker, and wait for the answer."""

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import kombu.exceptions
import redis
from django.conf import settings
from django.utils.translation import get_language

from kube_objects.languages import ENGLISH
from kube_objects.sentences import say
from playground.engine import workers
from playground.engine.heartbeat import QUESTIONS
from playground.limits import ANSWER_SECONDS, QUESTIONS_AT_A_TIME
from playground.problems import Problem, Refused, problem
from playground.questions import question_queue
from playground.questions.celery import app

TASK = "playground.questions.tasks.answer"
# The time for two answers, because another user's question may be first. The worker stops earlier and reports it.
PATIENCE_SECONDS = 2 * ANSWER_SECONDS + 2
# The time for a worker that is starting and has sent no heartbeat yet.
START_SECONDS = 20
TOO_MANY, UNAVAILABLE = 429, 503


def ask_question(user_id: int, question: str, cluster_id: int, cycle: int | None, **arguments: Any) -> bytes:
    """Return the answer as JSON. `question` is a key of `table.QUESTIONS`. With `cycle` None, it is about the present.

    Raises Refused: as the question's function raised it; with 503 if no worker answers in time; with 429 if the user
    waits for too many answers.
    """
    key = f"{settings.NAMESPACE}-answer-{secrets.token_hex(16)}"
    try:
        with _connect() as broker, _count_open_question(broker, user_id):
            expires = time.time() + PATIENCE_SECONDS
            language = get_language() or ENGLISH
            queued = question_queue.WaitingQuestion(key, question, cluster_id, cycle, arguments, expires, language)
            question_queue.enqueue(broker, user_id, queued)
            # The task is only a trigger. The worker answers the question that is next in the queue.
            app.send_task(TASK, expires=PATIENCE_SECONDS, retry=False)
            # Each answer has a list of its own, so BLPOP waits for it without polling.
            answer: Any = None
            if not workers.list_alive(broker, QUESTIONS):
                answer = broker.blpop([key], START_SECONDS)
            if answer is None and workers.list_alive(broker, QUESTIONS):
                answer = broker.blpop([key], PATIENCE_SECONDS)
            if answer is None:
                raise Refused([_missing_answer(broker)], UNAVAILABLE)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        problems = [problem("", say("the message broker does not respond"))]
        raise Refused(problems, UNAVAILABLE) from error
    status, body = answer[1].split(b"\n", 1)
    if status != b"200":
        raise Refused(json.loads(body)["problems"], int(status))
    return bytes(body)


def _connect() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=PATIENCE_SECONDS + 2)


@contextmanager
def _count_open_question(broker: redis.Redis, user_id: int) -> Iterator[None]:
    """Count the user's open questions. The count expires, because a killed web process does not reduce it."""
    key = f"{settings.NAMESPACE}-asking-{user_id}"
    count: Any = broker.incr(key)
    broker.expire(key, PATIENCE_SECONDS * 2)
    try:
        if count > QUESTIONS_AT_A_TIME:
            rule = say(
                "Too many open questions ({n}). Try again when one has finished.",
                n=QUESTIONS_AT_A_TIME,
            )
            raise Refused([problem("", rule)], TOO_MANY)
        yield
    finally:
        broker.decr(key)


def _missing_answer(broker: redis.Redis) -> Problem:
    if workers.list_alive(broker, QUESTIONS):
        hint = say("the server is busy, or this question takes too long; try again, or ask about a later cycle")
        return problem("", say("no answer came within {n} s", n=PATIENCE_SECONDS), hint=hint)
    hint = say("the playground's operator has to start one: celery --app playground.questions worker")
    return problem("", say("no question worker is running"), hint=hint)
