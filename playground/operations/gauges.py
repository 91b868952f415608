"""The metrics of all clusters and processes: sums of the stored counters and histograms, and current gauges."""

from collections import Counter
from collections.abc import Iterator

import redis
from django.conf import settings
from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Now

from playground.engine import waiting_clusters, workers
from playground.metrics.record_metrics import QUEUES
from playground.metrics.tally import Tally
from playground.models import FOREVER, Cluster, MetricTally, PodState

# kube-scheduler counts gated Pods separately here, unlike in `scheduler_queue_incoming_pods_total`.
PENDING = {**QUEUES, "gated": "gated"}
HELD, EXPIRED = "held", "expired"


def sum_tallies() -> Tally:
    """Return the sum of all counters and histograms of all processes."""
    total = Tally()
    for row in MetricTally.objects.order_by("pk").iterator():
        total.add(Tally.load(row.body))
    return total


def count_pending_pods() -> dict[str, int]:
    """Return the number of Pods by kube-scheduler's names of the queues."""
    counts = PodState.objects.filter(Q(until=FOREVER) & ~Q(lane="bound")).values_list("lane").annotate(Count("pk"))
    pods = Counter(dict.fromkeys(PENDING.values(), 0))
    for lane, count in counts.order_by():
        if lane in PENDING:
            pods[PENDING[lane]] += count
    return dict(sorted(pods.items()))


def count_clusters() -> int:
    return Cluster.objects.count()


def count_waiting_commands() -> int:
    """Return the number of commands that are posted and not finished."""
    return int(Cluster.objects.aggregate(waiting=Sum(F("submitted") - F("applied")))["waiting"] or 0)


def sum_stored_bytes() -> int:
    """Return the approximate bytes of all clusters in the database."""
    return int(Cluster.objects.aggregate(stored=Sum("stored_bytes"))["stored"] or 0)


def count_unattended_clusters() -> int:
    """Return the number of clusters that have waiting commands but no worker."""
    return len(waiting_clusters.list_unattended())


def count_leases() -> dict[str, int]:
    held = Q(lease_expires__gte=Now())
    counts = Cluster.objects.exclude(lease_holder="").aggregate(
        held=Count("pk", filter=held), expired=Count("pk", filter=~held)
    )
    return {HELD: counts["held"], EXPIRED: counts["expired"]}


def count_connections() -> Iterator[tuple[str, int]]:
    """Yield the numbers of `viewers` and `workers`. If the broker is down, yield nothing.

    Each open stream subscribes to its own channel, and a killed process unsubscribes all of its channels.
    """
    try:
        with workers.connect() as broker:
            yield "viewers", len(broker.pubsub_channels(f"{settings.NAMESPACE}specific.*"))
            yield "workers", len(workers.list_alive(broker))
    except redis.RedisError:
        return
