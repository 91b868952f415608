"""Fairness between users: a woken worker serves the waiting cluster whose owner had the least worker time.

The broker stores when each owner's last turn ended; without a broker no worker is woken at all. A local playground has
one user and needs no fairness.
"""

import contextlib
import time

from django.conf import settings
from django.core.cache import cache
from redis import RedisError

from playground.engine import waiting_clusters
from playground.models import Cluster

# An owner without a turn for this long counts as new.
REMEMBERED_SECONDS = 600


def choose_cluster(cluster_id: int) -> int | None:
    """Return the cluster to serve when woken for `cluster_id`, or None if no cluster may have a worker now."""
    if settings.LOCAL:
        return cluster_id
    # `cluster_id` may be missing in the query's result, because its command was stored a moment ago.
    candidates = list(dict.fromkeys([cluster_id, *waiting_clusters.list_unattended()]))
    ordered = waiting_clusters.order_fairly(candidates, read_last_turns(candidates))
    return ordered[0] if ordered else None


def choose_next_cluster() -> int | None:
    """Return the cluster to wake a worker for when a turn ended, or None if none waits."""
    candidates = [] if settings.LOCAL else waiting_clusters.list_unattended()
    ordered = waiting_clusters.order_fairly(candidates, read_last_turns(candidates)) if candidates else []
    return ordered[0] if ordered else None


def record_turn_end(cluster_id: int) -> None:
    """Store that a turn of this cluster's owner ended now."""
    if settings.LOCAL:
        return
    owner = Cluster.objects.filter(pk=cluster_id).values_list("owner_id", flat=True).first()
    # Without the broker the order falls back to that of the clusters.
    with contextlib.suppress(RedisError, OSError):
        cache.set(_key(owner or 0), time.time(), REMEMBERED_SECONDS)


def read_last_turns(clusters: list[int]) -> dict[int, float]:
    """Return the time at which the last turn of each owner ended, by owner, for the owners that the cache remembers."""
    owners = set(Cluster.objects.filter(pk__in=clusters).values_list("owner_id", flat=True))
    try:
        times = cache.get_many([_key(owner) for owner in owners])
    except (RedisError, OSError):
        return {}
    return {owner: times[_key(owner)] for owner in owners if _key(owner) in times}


def _key(owner: int) -> str:
    return f"turn-of-{owner}"
