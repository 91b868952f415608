"""What breaks, worked out by several workers: what is left of it, who is at what, and what was found, in the broker.

Nothing of it is worth keeping: it is gone a while after nobody asks any more, which is how a question is cancelled, and
a value that a worker took and never finished is taken again.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

import redis
from django.conf import settings

# Who has not asked for so long has cancelled; the page asks twice a second.
ASKED_SECONDS = 10
# Whoever is at a value says so all the time; after that somebody else takes it.
SILENT_SECONDS = 15
KEPT_SECONDS = 120
# A value is taken once: from what is left, to what somebody is at.
_TAKE = """
local value = redis.call('LPOP', KEYS[1])
if value then redis.call('HSET', KEYS[2], value, redis.call('TIME')[1]) end
return value
"""
# A value that is neither left nor worked at any more is left again. How many are left, and how many worked at?
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
# When somebody was last at a value that was found out: never to be taken again.
_FOUND = 1 << 40


def _helped(owner: int) -> str:
    return f"{settings.NAMESPACE}-helped-{owner}"


class Shared:
    """One question, under the key that its asker made up."""

    def __init__(self, broker: redis.Redis, key: str) -> None:
        self._broker = broker
        name = f"{settings.NAMESPACE}-failures-{key}"
        self._left, self._at, self._search, self._news = (f"{name}-{part}" for part in ("left", "at", "asked", "news"))

    # Whoever asks

    def ask(self, about: Mapping[str, Any], values: Collection[str]) -> tuple[int, int]:
        """Go on for a while with these values. How many of them are left, and how many are worked at?"""
        self._broker.set(self._search, json.dumps(about), ex=ASKED_SECONDS)
        look: Any = self._broker.eval(_LOOK, 2, self._left, self._at, str(SILENT_SECONDS), *values)
        self._prolong()
        return look[0], look[1]

    def news(self, seconds: float) -> list[tuple[str, dict[str, Any]]]:
        """Who found what since; as soon as there is something, or when so many seconds are over."""
        first: Any = self._broker.blpop([self._news], seconds) if seconds else None
        with self._broker.pipeline() as pipe:
            pipe.lrange(self._news, 0, -1)
            pipe.delete(self._news)
            rest = pipe.execute()[0]
        rows = (json.loads(row) for row in (*(first or ())[1:], *rest))
        return [(helper, row) for helper, row in rows]

    # Whoever helps

    def search(self) -> dict[str, Any] | None:
        """What is asked; None where nobody asks any more."""
        found: Any = self._broker.get(self._search)
        return None if found is None else json.loads(found)

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

    def take(self) -> str | None:
        found: Any = self._broker.eval(_TAKE, 2, self._left, self._at)
        return None if found is None else found.decode()

    def still_at(self, value: str) -> None:
        now: Any = self._broker.time()
        self._broker.hset(self._at, value, now[0])

    def give_back(self, value: str) -> None:
        self._broker.lpush(self._left, value)
        self._prolong()

    def tell(self, value: str, helper: str, row: Mapping[str, Any]) -> None:
        # Both or none: a value that counts as found out and is not told would be waited for, for ever.
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
