"""Answer a question: the side of the worker."""

import json
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

import redis
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.utils import translation

from kube_objects.sentences import say
from playground import logs, request_language
from playground.limits import ANSWER_BYTES, ANSWER_SECONDS
from playground.problems import Problem, Refused, problem
from playground.question_worker.question_table import QUESTIONS
from playground.questions import moments, question_queue

logger = logging.getLogger(__name__)

# An answer that the web process does not fetch is deleted after this time.
UNFETCHED_SECONDS = 30
TOO_LARGE, FAILED, UNAVAILABLE = 413, 500, 503


class QuestionResult(NamedTuple):
    """The answer to a question as the API returns it: JSON, which is `{"problems": […]}` unless `status` is 200."""

    status: int
    body: bytes


def answer_question(question: str, cluster_id: int, cycle: int | None, arguments: Mapping[str, Any]) -> QuestionResult:
    """Return the answer to a question. Errors become answers too, because the web process waits for one."""
    with logs.about(cluster=cluster_id):
        try:
            body = _json(
                request_language.translate_answer(
                    QUESTIONS[question](moments.load_moment(cluster_id, cycle), arguments)
                )
            )
        except Refused as refused:
            return _problems(refused.status, refused.problems)
        except SoftTimeLimitExceeded:
            moments.forget_moments(cluster_id)
            rule = say("working out the answer takes longer than {n} s", n=ANSWER_SECONDS)
            return _problems(UNAVAILABLE, [problem("", rule, hint=say("ask about a later cycle, near a checkpoint"))])
        except Exception as error:
            logger.exception("the question %r about cycle %s failed", question, cycle)
            moments.forget_moments(cluster_id)
            hint = say("this is a bug in the playground; please report it")
            return _problems(
                FAILED,
                [
                    problem(
                        "", say("the answer failed: {name}: {error}", name=type(error).__name__, error=error), hint=hint
                    )
                ],
            )
    if len(body) > ANSWER_BYTES:
        return _problems(TOO_LARGE, [problem("", say("the answer has more than {n} bytes", n=ANSWER_BYTES))])
    return QuestionResult(200, body)


def answer_next_question() -> None:
    """Answer the next question in the queue, if there is one, and store the answer where `ask_worker` waits for it."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=5) as broker:
        waiting = question_queue.dequeue(broker)
        if waiting is not None:
            with translation.override(waiting.language):
                _store_answer(
                    broker,
                    waiting.key,
                    answer_question(waiting.question, waiting.cluster_id, waiting.cycle, waiting.arguments),
                )


def _store_answer(broker: redis.Redis, key: str, result: QuestionResult) -> None:
    with broker.pipeline() as pipe:
        pipe.rpush(key, b"%d\n%s" % result)
        pipe.expire(key, UNFETCHED_SECONDS)
        pipe.execute()


def _problems(status: int, problems: list[Problem]) -> QuestionResult:
    return QuestionResult(status, _json({"problems": problems}))


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
