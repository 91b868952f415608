"""Ask a question and wait for the answer: the side of the web process."""

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
from playground.questions import line
from playground.questions.celery import app

TASK = "playground.questions.tasks.answer"
# So long the answer is waited for: for one of somebody else's, and the own; the worker gives up a little earlier, and
# says so itself.
PATIENCE_SECONDS = 2 * ANSWER_SECONDS + 2
# A worker that is just starting, maybe beside everything else, has given no sign of life yet.
START_SECONDS = 20
TOO_MANY, UNAVAILABLE = 429, 503


def ask(user_id: int, question: str, cluster_id: int, cycle: int | None, **arguments: Any) -> bytes:
    """The answer as JSON. `question` is one of `table.QUESTIONS`; `cycle` None asks about the present.

    Raises Refused: with what the question's function refused; 503 when no worker answers in time; 429 for a user who
    waits for too many answers already.
    """
    key = f"{settings.NAMESPACE}-answer-{secrets.token_hex(16)}"
    try:
        with _connect() as broker, _waiting(broker, user_id):
            expires = time.time() + PATIENCE_SECONDS
            language = get_language() or ENGLISH
            waiting = line.WaitingQuestion(key, question, cluster_id, cycle, arguments, expires, language)
            line.put(broker, user_id, waiting)
            # Only a wake-up: the worker takes whatever question comes next in the line.
            app.send_task(TASK, expires=PATIENCE_SECONDS, retry=False)
            # A list of its own with one element: waiting for it is one round trip, and needs no polling.
            answer: Any = None
            if not workers.alive(broker, QUESTIONS):
                answer = broker.blpop([key], START_SECONDS)
            if answer is None and workers.alive(broker, QUESTIONS):
                answer = broker.blpop([key], PATIENCE_SECONDS)
            if answer is None:
                raise Refused([_nobody_answers(broker)], UNAVAILABLE)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        problems = [problem("", say("the broker, which takes questions to a worker, does not answer"))]
        raise Refused(problems, UNAVAILABLE) from error
    status, body = answer[1].split(b"\n", 1)
    if status != b"200":
        raise Refused(json.loads(body)["problems"], int(status))
    return bytes(body)


def _connect() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=PATIENCE_SECONDS + 2)


@contextmanager
def _waiting(broker: redis.Redis, user_id: int) -> Iterator[None]:
    """Count the user's open questions. The count expires, should a web process be killed while it waits."""
    key = f"{settings.NAMESPACE}-asking-{user_id}"
    count: Any = broker.incr(key)
    broker.expire(key, PATIENCE_SECONDS * 2)
    try:
        if count > QUESTIONS_AT_A_TIME:
            rule = say(
                "you wait for {n} answers already; ask again when one of them is there",
                n=QUESTIONS_AT_A_TIME,
            )
            raise Refused([problem("", rule)], TOO_MANY)
        yield
    finally:
        broker.decr(key)


def _nobody_answers(broker: redis.Redis) -> Problem:
    if workers.alive(broker, QUESTIONS):
        hint = say(
            "other questions are being answered, or this one takes too long; try again, or ask about a later cycle"
        )
        return problem("", say("no answer came within {n} s", n=PATIENCE_SECONDS), hint=hint)
    hint = say("the playground's operator has to start one: celery --app playground.questions worker")
    return problem("", say("no worker that answers questions is running"), hint=hint)
