"""Guests: users without an account, made for whoever joins a class; and the brake on guessing codes."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.utils import timezone
from redis import RedisError

from playground import limits
from playground.access import shown
from playground.models import Cluster, Guest

# What a session says of its browser: a guest's, and one that teaches. A local playground has but one user, and needs
# the second to tell whoever teaches from whoever is to follow.
IS_GUEST = "is_guest"
TEACHES = "teaches"


def make() -> AbstractBaseUser:
    """A user whom nobody can log in as; the session that joins is all they have."""
    name, none = f"guest-{secrets.token_hex(8)}", "!"
    user = get_user_model()._default_manager.create(username=name, password=none)
    Guest.objects.create(user=user)
    return user


def is_guest(user_id: int) -> bool:
    return Guest.objects.filter(user_id=user_id).exists()


def clear() -> int:
    """Delete the guests whose class is over, and those who came long ago, with their clusters; how many there were."""
    users = list(Guest.objects.ended(_long_ago(), shown.oldest_open()).values_list("user_id", flat=True))
    # Branches before what they were forked from.
    for cluster in Cluster.everything.filter(owner_id__in=users).order_by("-pk"):
        cluster.delete()
    get_user_model()._default_manager.filter(pk__in=users).delete()
    return len(users)


def has_ended(user_id: int) -> bool:
    """Return whether the user is a guest whose class is over; `clear` deletes them some minutes later."""
    oldest_class = shown.oldest_open()
    return Guest.objects.find_ended(user_id=user_id, long_ago=_long_ago(), oldest_class=oldest_class) is not None


def _long_ago() -> datetime:
    return timezone.now() - timedelta(days=limits.GUEST_DAYS)


def may_become_one(address: str) -> bool:
    """Count another guest from this address; False when there were enough in the last hour."""
    key = _key(address, "guests")
    try:
        cache.add(key, 0, limits.GUESTS_SECONDS)
        return int(cache.incr(key)) <= limits.GUESTS_PER_ADDRESS
    except (RedisError, OSError, ValueError):
        # Without the cache no class could begin; it takes only so many followers.
        return True


def may_try_code(address: str) -> bool:
    """Whether another code may be tried: only so many wrong ones from an address in five minutes."""
    try:
        return int(cache.get(_key(address), 0)) < limits.WRONG_CODES
    except (RedisError, OSError):
        # Without the cache no class could begin; a code still has to be right.
        return True


def count_wrong_code(address: str) -> None:
    try:
        cache.add(_key(address), 0, limits.WRONG_CODE_SECONDS)
        cache.incr(_key(address))
    except (RedisError, OSError, ValueError):
        pass


def _key(address: str, what: str = "class-code") -> str:
    return f"{what}-" + hashlib.sha256(address.encode()).hexdigest()
