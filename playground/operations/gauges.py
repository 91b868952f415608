"""What the metrics show of the present moment, over all clusters and processes."""

from collections import Counter
from collections.abc import Iterator

import redis
from django.conf import settings
from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Now

from playground.engine import waiting, workers
from playground.metrics.observing import QUEUES
from playground.metrics.tally import Tally
from playground.models import FOREVER, Cluster, MetricTally, PodState

# kube-scheduler counts gated pods apart here, unlike in `scheduler_queue_incoming_pods_total`.
PENDING = {**QUEUES, "gated": "gated"}
HELD, EXPIRED = "held", "expired"


def counted() -> Tally:
    """What all processes counted, ever."""
    whole = Tally()
    for row in MetricTally.objects.order_by("pk").iterator():
        whole.add(Tally.load(row.body))
    return whole


def pending_pods() -> dict[str, int]:
    """Pods by upstream's names of the queues."""
    found = PodState.objects.filter(Q(until=FOREVER) & ~Q(lane="bound")).values_list("lane").annotate(Count("pk"))
    pods = Counter(dict.fromkeys(PENDING.values(), 0))
    for lane, count in found.order_by():
        if lane in PENDING:
            pods[PENDING[lane]] += count
    return dict(sorted(pods.items()))


def clusters() -> int:
    return Cluster.objects.count()


def waiting_commands() -> int:
    """Commands that are posted and not yet at their end."""
    return int(Cluster.objects.aggregate(waiting=Sum(F("submitted") - F("applied")))["waiting"] or 0)


def stored_bytes() -> int:
    """What all clusters take in the database, nearly."""
    return int(Cluster.objects.aggregate(stored=Sum("stored_bytes"))["stored"] or 0)


def unattended_clusters() -> int:
    """Clusters that have commands waiting and no worker."""
    return len(waiting.unattended())


def leases() -> dict[str, int]:
    held = Q(lease_expires__gte=Now())
    found = Cluster.objects.exclude(lease_holder="").aggregate(
        held=Count("pk", filter=held), expired=Count("pk", filter=~held)
    )
    return {HELD: found["held"], EXPIRED: found["expired"]}


def from_broker() -> Iterator[tuple[str, int]]:
    """What only the broker knows: `viewers` and `workers`; nothing while it is away.

    Every open stream subscribes to a channel of its own, in whatever process, and a killed process unsubscribes all.
    """
    try:
        with workers.connect() as broker:
            yield "viewers", len(broker.pubsub_channels(f"{settings.NAMESPACE}specific.*"))
            yield "workers", len(workers.alive(broker))
    except redis.RedisError:
        return
