"""Users: the implicit one of a local playground, and the brake on guessing passwords."""

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


def local_user() -> AbstractBaseUser:
    """The one user of a playground that only this machine can reach. Nobody can log in as this user."""
    user = _find_user(username=settings.LOCAL_USERNAME)
    if user is None:
        users = get_user_model()._default_manager
        user, _ = users.get_or_create(username=settings.LOCAL_USERNAME, defaults={"password": "!"})
    return user


def may_try_login(username: str, address: str) -> bool:
    """Whether another password may be tried: only so many wrong ones in five minutes.

    For a name from an address, and for all names from an address: who has one password for a thousand names is stopped,
    too. Never for a name from anywhere, which would let anybody lock others out.
    """
    try:
        found = cache.get_many(_most(username, address))
        return all(int(found.get(key, 0)) < most for key, most in _most(username, address).items())
    except (RedisError, OSError):
        # Without the cache nobody could log in at all; the password still has to be right.
        return True


def count_failed_login(username: str, address: str) -> None:
    """Remember a wrong password."""
    try:
        for key in _most(username, address):
            cache.add(key, 0, limits.FAILED_LOGIN_SECONDS)
            cache.incr(key)
    except (RedisError, OSError, ValueError):
        pass


def _most(username: str, address: str) -> dict[str, int]:
    """What is counted, and how many of it may be."""
    return {
        _key(f"{username}\0{address}"): limits.FAILED_LOGINS,
        _key(address): limits.FAILED_LOGINS_PER_ADDRESS,
    }


def _key(about: str) -> str:
    return "login-" + hashlib.sha256(about.encode()).hexdigest()
