"""Whose turn it is: a worker that is woken for one cluster may first go to another, whose owner had less.

When an owner's last turn ended is kept in the broker, without which nobody is woken at all. A playground for one
user's own machine has nobody to be fair to.
"""

import contextlib
import time

from django.conf import settings
from django.core.cache import cache
from redis import RedisError

from playground.engine import waiting
from playground.models import Cluster

# After so long without a turn everybody is as good as new.
REMEMBERED_SECONDS = 600


def choose(cluster_id: int) -> int | None:
    """The cluster to go to when woken for `cluster_id`; None when none is to have a worker now."""
    if settings.LOCAL:
        return cluster_id
    # The one that was woken for may be new: its command was stored a moment ago.
    candidates = list(dict.fromkeys([cluster_id, *waiting.unattended()]))
    found = waiting.fairest(candidates, last_turns(candidates))
    return found[0] if found else None


def next_one() -> int | None:
    """The cluster to wake a worker for when a turn ended; None when none waits."""
    candidates = [] if settings.LOCAL else waiting.unattended()
    found = waiting.fairest(candidates, last_turns(candidates)) if candidates else []
    return found[0] if found else None


def note_turn(cluster_id: int) -> None:
    """A turn of this cluster's owner ended."""
    if settings.LOCAL:
        return
    owner = Cluster.objects.filter(pk=cluster_id).values_list("owner_id", flat=True).first()
    # Without it the order is that of the clusters.
    with contextlib.suppress(RedisError, OSError):
        cache.set(_key(owner or 0), time.time(), REMEMBERED_SECONDS)


def last_turns(clusters: list[int]) -> dict[int, float]:
    """Owner → when their last turn ended, of those that are remembered."""
    owners = set(Cluster.objects.filter(pk__in=clusters).values_list("owner_id", flat=True))
    try:
        found = cache.get_many([_key(owner) for owner in owners])
    except (RedisError, OSError):
        return {}
    return {owner: found[_key(owner)] for owner in owners if _key(owner) in found}


def _key(owner: int) -> str:
    return f"turn-of-{owner}"
