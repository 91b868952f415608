"""The implicit user of a local playground, and the limit of wrong passwords."""

import hashlib

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.db.models import QuerySet
from redis import RedisError

from playground import limits
from playground.prepared import select_object


@select_object
def _find_user(*, username: str) -> QuerySet[AbstractBaseUser]:
    return get_user_model()._default_manager.filter(username=username)


def get_local_user() -> AbstractBaseUser:
    """Return the only user of a local playground, who can't log in."""
    user = _find_user(username=settings.LOCAL_USERNAME)
    if user is None:
        users = get_user_model()._default_manager
        user, _ = users.get_or_create(username=settings.LOCAL_USERNAME, defaults={"password": "!"})
    return user


def may_try_login(username: str, address: str) -> bool:
    """Return whether another password may be tried: there were few wrong ones in five minutes.

    The limits are per name and address, and per address over all names, which stops one password for many names. There
    is no limit per name over all addresses, because it would let an attacker lock users out.
    """
    try:
        failures = cache.get_many(_most(username, address))
        return all(int(failures.get(key, 0)) < most for key, most in _most(username, address).items())
    except (RedisError, OSError):
        # Logins must work without the cache; the password still has to be right.
        return True


def count_failed_login(username: str, address: str) -> None:
    """Count a wrong password."""
    try:
        for key in _most(username, address):
            cache.add(key, 0, limits.FAILED_LOGIN_SECONDS)
            cache.incr(key)
    except (RedisError, OSError, ValueError):
        pass


def _most(username: str, address: str) -> dict[str, int]:
    """Return the limit of wrong passwords by cache key."""
    return {
        _key(f"{username}\0{address}"): limits.FAILED_LOGINS,
        _key(address): limits.FAILED_LOGINS_PER_ADDRESS,
    }


def _key(about: str) -> str:
    return "login-" + hashlib.sha256(about.encode()).hexdigest()
