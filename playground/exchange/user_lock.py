"""A lock per user for expensive requests, across processes, so that one user can't block the others."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache import cache
from redis import RedisError

from kube_objects.sentences import say
from playground import limits
from playground.problems import Refused, problem

TOO_MANY = 429


@contextmanager
def hold_user_lock(what: str, user_id: int) -> Iterator[None]:
    """Hold the user's lock. Raises Refused, with status 429, while another request of the user holds it."""
    key, mine = f"turn-{what}-{user_id}", secrets.token_hex(8)
    if not _acquire(key, mine):
        rule = say("another {what} is still running", what=what)
        raise Refused([problem("", rule, hint=say("try again when it has finished"))], TOO_MANY)
    try:
        yield
    finally:
        _release(key, mine)


def _acquire(key: str, mine: str) -> bool:
    try:
        # The lock expires if the web process is killed meanwhile.
        return bool(cache.add(key, mine, 4 * limits.IMPORT_SECONDS))
    except (RedisError, OSError):
        # Imports must work without the broker; each process has its own limit.
        return True


def _release(key: str, mine: str) -> None:
    try:
        if cache.get(key) == mine:
            cache.delete(key)
    except (RedisError, OSError):
        pass
