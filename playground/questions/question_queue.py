"""The queue of open questions in the broker: one list per user, and users take turns.

However many questions a user has, another user's first question waits for at most one of them.
"""

import json
import time
from typing import Any, NamedTuple

import redis
from django.conf import settings

# The lists of users without a question for this time are deleted.
IDLE_SECONDS = 300

# Takes the oldest question of the user whose turn was longest ago. A user without questions keeps the time of the last
# turn, so that a user who asks all the time is not served first each time.
_NEXT = """
for _, user in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local question = redis.call('LPOP', KEYS[1] .. '-' .. user)
  if question then
    redis.call('ZADD', KEYS[1], ARGV[1], user)
    return question
  end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
return false
"""


class WaitingQuestion(NamedTuple):
    """A question whose answer is expected under `key` until `expires` (Unix time)."""

    key: str
    question: str
    cluster_id: int
    cycle: int | None
    arguments: dict[str, Any]
    expires: float
    language: str


def enqueue(broker: redis.Redis, user_id: int, waiting: WaitingQuestion) -> None:
    """Append a question to its user's list."""
    with broker.pipeline() as pipe:
        pipe.rpush(f"{_queue_key()}-{user_id}", json.dumps(waiting))
        pipe.expire(f"{_queue_key()}-{user_id}", IDLE_SECONDS)
        pipe.zadd(_queue_key(), {str(user_id): 0}, nx=True)
        pipe.expire(_queue_key(), IDLE_SECONDS)
        pipe.execute()


def dequeue(broker: redis.Redis) -> WaitingQuestion | None:
    """Remove and return the next question that has not expired; None when there is none."""
    while True:
        now = time.time()
        packed: Any = broker.eval(_NEXT, 1, _queue_key(), str(now), str(now - IDLE_SECONDS))
        if not packed:
            return None
        waiting = WaitingQuestion(*json.loads(packed))
        if waiting.expires > now:
            return waiting


def _queue_key() -> str:
    return f"{settings.NAMESPACE}-questions-turns"
