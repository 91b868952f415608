"""The state of a failure search that several workers share in the broker: open values, values at work, and results.

Its keys expire soon after the client stops asking, which cancels the search. Another worker takes a value whose worker
died.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

import redis
from django.conf import settings

# A search without requests for so long is cancelled; the page asks twice a second.
ASKED_SECONDS = 10
# A worker renews its value's timestamp; after so long without renewal another worker takes the value.
SILENT_SECONDS = 15
KEPT_SECONDS = 120
# Move one value from the open ones to those at work, with its timestamp.
_TAKE = """
local value = redis.call('LPOP', KEYS[1])
if value then redis.call('HSET', KEYS[2], value, redis.call('TIME')[1]) end
return value
"""
# Open values again whose timestamp is outdated; return the numbers of open values and of values at work.
_LOOK = """
local now, left, at_work = tonumber(redis.call('TIME')[1]), {}, 0
for _, value in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do left[value] = true end
for i = 2, #ARGV do
  if not left[ARGV[i]] then
    if now - tonumber(redis.call('HGET', KEYS[2], ARGV[i]) or '0') > tonumber(ARGV[1]) then
      redis.call('RPUSH', KEYS[1], ARGV[i])
    else
      at_work = at_work + 1
    end
  end
end
return {redis.call('LLEN', KEYS[1]), at_work}
"""
# The timestamp of a finished value: so late that no worker takes the value again.
_FOUND = 1 << 40


def _helped(owner: int) -> str:
    return f"{settings.NAMESPACE}-helped-{owner}"


class Shared:
    """A failure search in the broker, under the random key of its asker."""

    def __init__(self, broker: redis.Redis, key: str) -> None:
        self._broker = broker
        name = f"{settings.NAMESPACE}-failures-{key}"
        self._left, self._at, self._search, self._news = (f"{name}-{part}" for part in ("left", "at", "asked", "news"))

    # The asking worker

    def keep_alive(self, about: Mapping[str, Any], values: Collection[str]) -> tuple[int, int]:
        """Keep the search alive, and return how many of these values are open and how many are at work."""
        self._broker.set(self._search, json.dumps(about), ex=ASKED_SECONDS)
        look: Any = self._broker.eval(_LOOK, 2, self._left, self._at, str(SILENT_SECONDS), *values)
        self._prolong()
        return look[0], look[1]

    def pop_results(self, seconds: float) -> list[tuple[str, dict[str, Any]]]:
        """Return new results as (helper, row), waiting at most so many seconds for the first."""
        first: Any = self._broker.blpop([self._news], seconds) if seconds else None
        with self._broker.pipeline() as pipe:
            pipe.lrange(self._news, 0, -1)
            pipe.delete(self._news)
            rest = pipe.execute()[0]
        rows = (json.loads(row) for row in (*(first or ())[1:], *rest))
        return [(helper, row) for helper, row in rows]

    # Helpers

    def read_search(self) -> dict[str, Any] | None:
        """Return what the search is about; None if it was cancelled."""
        stored: Any = self._broker.get(self._search)
        return None if stored is None else json.loads(stored)

    def may_help(self, owner: int) -> bool:
        """Return whether another worker may help this user; where there are several users, one may at a time."""
        if settings.LOCAL:
            return True
        return bool(self._broker.set(_helped(owner), 1, nx=True, ex=SILENT_SECONDS))

    def still_help(self, owner: int) -> None:
        if not settings.LOCAL:
            self._broker.set(_helped(owner), 1, ex=SILENT_SECONDS)

    def stop_helping(self, owner: int) -> None:
        self._broker.delete(_helped(owner))

    def take_value(self) -> str | None:
        value: Any = self._broker.eval(_TAKE, 2, self._left, self._at)
        return None if value is None else value.decode()

    def still_at(self, value: str) -> None:
        now: Any = self._broker.time()
        self._broker.hset(self._at, value, now[0])

    def give_back(self, value: str) -> None:
        self._broker.lpush(self._left, value)
        self._prolong()

    def add_result(self, value: str, helper: str, row: Mapping[str, Any]) -> None:
        # In one transaction, because the client would wait forever for a finished value without a result.
        with self._broker.pipeline(transaction=True) as pipe:
            pipe.hset(self._at, value, _FOUND)
            pipe.rpush(self._news, json.dumps((helper, row)))
            pipe.execute()
        self._prolong()

    def _prolong(self) -> None:
        with self._broker.pipeline() as pipe:
            for name in (self._left, self._at, self._news):
                pipe.expire(name, KEPT_SECONDS)
            pipe.execute()
