"""The line of open questions in the broker: everybody's own, and those take turns who asked something.

However many questions one user has, another's first one waits for one of them at most, the one at work.
"""

import json
import time
from typing import Any, NamedTuple

import redis
from django.conf import settings

# Lines and turns of users who asked nothing for so long are gone.
ANSWER_SECONDS = 300

# The user whose turn was longest ago and who has an open question; their oldest one. Those who have none keep their
# turn's time: who asks all the time must not be new each time.
_NEXT = """
for _, user in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local found = redis.call('LPOP', KEYS[1] .. '-' .. user)
  if found then
    redis.call('ZADD', KEYS[1], ARGV[1], user)
    return found
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
return false
"""


class WaitingQuestion(NamedTuple):
    """A question that waits for an answer under `key`; after `expires` (of the wall clock) nobody waits any more."""

    key: str
    question: str
    cluster_id: int
    cycle: int | None
    arguments: dict[str, Any]
    expires: float
    language: str


def put(broker: redis.Redis, user_id: int, waiting: WaitingQuestion) -> None:
    """At the end of this user's line."""
    with broker.pipeline() as pipe:
        pipe.rpush(f"{_turns()}-{user_id}", json.dumps(waiting))
        pipe.expire(f"{_turns()}-{user_id}", ANSWER_SECONDS)
        pipe.zadd(_turns(), {str(user_id): 0}, nx=True)
        pipe.expire(_turns(), ANSWER_SECONDS)
        pipe.execute()


def take(broker: redis.Redis) -> WaitingQuestion | None:
    """The next question that somebody still waits for; None when there is none."""
    while True:
        now = time.time()
        found: Any = broker.eval(_NEXT, 1, _turns(), str(now), str(now - ANSWER_SECONDS))
        if not found:
            return None
        waiting = WaitingQuestion(*json.loads(found))
        if waiting.expires > now:
            return waiting


def _turns() -> str:
    return f"{settings.NAMESPACE}-questions-turns"
