"""Versions: the pods as they were after a record, or as they are."""

from collections.abc import Collection, Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from playground.models import FOREVER, PodState

# The lanes that a pod to be popped may be in; then all that are shown, in this order.
POPPED_FROM = ("active", "backoff")
# The lanes of pods that a node counts: of those that run there, and of those that are assumed there.
ON_NODES = ("bound", "waiting")
# What an ended version without a node does not say where the next one says the same: `whole` finds it.
LEFT_TO_NEXT = ("uid", "requests", "owned_by")


def pods_at(cluster_id: int, seq: int | None) -> QuerySet[PodState]:
    """The pods' versions that were valid after the record `seq`; the current ones for None."""
    pods = PodState.objects.filter(cluster_id=cluster_id)
    return pods.filter(until=FOREVER) if seq is None else pods.filter(since__lte=seq, until__gt=seq)


def pods_on(cluster_id: int, nodes: Collection[str], seq: int | None = None) -> QuerySet[PodState]:
    """Those on these nodes. No others are, but with their lanes the index of the places finds them."""
    return pods_at(cluster_id, seq).filter(lane__in=ON_NODES, node__in=nodes)


def whole(cluster_id: int, pods: Sequence[PodState]) -> Sequence[PodState]:
    """These versions, with what they leave to the ones after them."""
    short = {pod.pod: pod for pod in pods if not pod.uid}
    if short:
        first_end = min(pod.until for pod in short.values())
        later = PodState.objects.filter(cluster_id=cluster_id, pod__in=short, until__gt=first_end).exclude(uid="")
        for key, until, *left in later.order_by("-until").values_list("pod", "until", *LEFT_TO_NEXT):
            if until > short[key].until:
                # The last one that comes here is the next.
                vars(short[key]).update(zip(LEFT_TO_NEXT, left, strict=True))
    return pods


def make_current_whole(cluster_id: int, source: int) -> None:
    """What ended in the cluster `source`, and goes on in this one that was copied from it, says all by itself."""
    short = PodState.objects.filter(cluster_id=cluster_id, until=FOREVER, uid="")
    # The copy begins with the record that the original version began with.
    original = PodState.objects.filter(cluster_id=source, pod=OuterRef("pod"), since__gt=OuterRef("since"))
    later = original.exclude(uid="").order_by("since")
    short.update(**{name: Subquery(later.values(name)[:1]) for name in LEFT_TO_NEXT})


def can_be_popped(cluster_id: int) -> int:
    """How many pods a run can pop without anything else happening."""
    return pods_at(cluster_id, None).filter(lane__in=POPPED_FROM).count()
