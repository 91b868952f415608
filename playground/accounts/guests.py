"""Guests: users without an account, created for visitors who join a class; and the limit of wrong class codes."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.utils import timezone
from redis import RedisError

from playground import limits
from playground.access import open_classes
from playground.models import Cluster, Guest

# Session flags: the browser is a guest's, or teaches. A local playground has a single user, so it needs the second flag
# to distinguish the teacher from new followers.
IS_GUEST = "is_guest"
TEACHES = "teaches"


def create_guest() -> AbstractBaseUser:
    """Create a user who can't log in; only the session that joined belongs to this user."""
    name, none = f"guest-{secrets.token_hex(8)}", "!"
    user = get_user_model()._default_manager.create(username=name, password=none)
    Guest.objects.create(user=user)
    return user


def is_guest(user_id: int) -> bool:
    return Guest.objects.filter(user_id=user_id).exists()


def delete_ended_guests() -> int:
    """Delete the guests whose class has ended, and old ones, with their clusters; return their number."""
    users = list(Guest.objects.ended(_long_ago(), open_classes.oldest_open_start()).values_list("user_id", flat=True))
    # Branches before the clusters that they were forked from.
    for cluster in Cluster.everything.filter(owner_id__in=users).order_by("-pk"):
        cluster.delete()
    get_user_model()._default_manager.filter(pk__in=users).delete()
    return len(users)


def has_ended(user_id: int) -> bool:
    """Return whether the user is a guest whose class is over; `clear` deletes them some minutes later."""
    oldest_class = open_classes.oldest_open_start()
    return Guest.objects.find_ended(user_id=user_id, long_ago=_long_ago(), oldest_class=oldest_class) is not None


def _long_ago() -> datetime:
    return timezone.now() - timedelta(days=limits.GUEST_DAYS)


def may_become_guest(address: str) -> bool:
    """Count another guest from this address; return False if there were too many in the last hour."""
    key = _key(address, "guests")
    try:
        cache.add(key, 0, limits.GUESTS_SECONDS)
        return int(cache.incr(key)) <= limits.GUESTS_PER_ADDRESS
    except (RedisError, OSError, ValueError):
        # Classes must work without the cache; the number of their followers is limited.
        return True


def may_try_code(address: str) -> bool:
    """Return whether the address may try another code: it has few wrong ones in the last five minutes."""
    try:
        return int(cache.get(_key(address), 0)) < limits.WRONG_CODES
    except (RedisError, OSError):
        # Classes must work without the cache; a code still has to be right.
        return True


def count_wrong_code(address: str) -> None:
    try:
        cache.add(_key(address), 0, limits.WRONG_CODE_SECONDS)
        cache.incr(_key(address))
    except (RedisError, OSError, ValueError):
        pass


def _key(address: str, what: str = "class-code") -> str:
    return f"{what}-" + hashlib.sha256(address.encode()).hexdigest()
