"""A cluster as its owner sees it, and who looks on in a class. To everybody else it is one that does not exist."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now

from playground.models import FOREVER, Cluster, ClusterObject, Command, CommandState, Follower, PodState
from playground.selectors import classrooms
from playground.selectors.changes import Changes
from playground.selectors.lease import lease_of

EMULATES = "v1.34.1"
# Where pods are that the scheduler has nothing more to do with.
SETTLED = ("bound", "ignored")

User = AbstractBaseUser | AnonymousUser


def owned(user: User) -> QuerySet[Cluster]:
    """The clusters that a user may change. Who may only look is told by `readable`."""
    return Cluster.objects.filter(owner_id=user.pk) if user.is_authenticated else Cluster.objects.none()


def readable(user: User) -> QuerySet[Cluster]:
    """The clusters that a user may see: their own, and what an open class that they follow shows at the moment."""
    if not user.is_authenticated:
        return Cluster.objects.none()
    followed = Follower.objects.filter(user_id=user.pk, left=False).values("classroom")
    shown = classrooms.open_classes().filter(pk__in=followed).values("cluster")
    return Cluster.objects.filter(Q(owner_id=user.pk) | Q(pk__in=shown))


def find_readable(user: User, cluster_id: int) -> Cluster | None:
    """One of `readable`, for every read of a page: asked in two plain questions, which are put together fastest."""
    if not user.is_authenticated or user.pk is None:
        return None
    cluster = Cluster.objects.filter(pk=cluster_id).first()
    if cluster is None or cluster.owner_id == user.pk or classrooms.shows(cluster_id, user.pk):
        return cluster
    return None


def state(cluster_id: int) -> dict[str, Any] | None:
    """The cluster's state of docs/api.md; None when there is no such cluster."""
    found = states(Cluster.objects.filter(pk=cluster_id))
    return found[0] if found else None


def has_moved(cluster_id: int, last: int) -> bool:
    """Whether commands wait or are at work, or `last` is not its last record; True also for a cluster that is gone."""
    return not Cluster.objects.filter(pk=cluster_id, submitted=F("applied"), revision__lte=last).exists()


def states(clusters: QuerySet[Cluster]) -> list[dict[str, Any]]:
    """The states of several clusters, each with the current holder of its lease."""
    return [_state(cluster) for cluster in clusters.select_related("owner", "lesson_run").annotate(db_now=Now())]


def _state(cluster: Cluster) -> dict[str, Any]:
    kinds = dict(_counts(ClusterObject.objects.filter(cluster=cluster), "kind"))
    lanes = dict(_counts(PodState.objects.filter(cluster=cluster, until=FOREVER), "lane"))
    pods, nodes = kinds.pop("Pod", 0), kinds.pop("Node", 0)
    settled = sum(lanes.get(lane, 0) for lane in SETTLED)
    counts = {"nodes": nodes, "pods": pods, "bound": lanes.get("bound", 0), "pending": sum(lanes.values()) - settled}
    running = _running(cluster)
    return {
        "id": cluster.pk,
        "name": cluster.name,
        "example": cluster.example or None,
        "lesson": cluster.lesson_run.lesson if hasattr(cluster, "lesson_run") else None,
        "owner": cluster.owner.get_username(),
        "emulates": cluster.emulates,
        "seed": cluster.seed,
        "revision": cluster.revision,
        "t": cluster.t,
        "cycle": cluster.cycle,
        "first_cycle": cluster.first_cycle,
        "counts": counts | kinds,
        "lanes": lanes,
        "state": _what_it_does(cluster, running),
        "running": running,
        "lease": lease_of(cluster),
        "config_version": cluster.config_version,
        "pace": cluster.pace,
        "branch": branch_of(cluster),
        "breakpoints": len(cluster.breakpoints),
        "stopped_by": _stopped_by(cluster),
        **Changes.of(cluster.pk).as_dict(),
    }


def branch_of(cluster: Cluster) -> dict[str, Any]:
    """`{name, parent, fork}`; the last two are null for what was not forked from anything."""
    fork = None
    if cluster.parent_id is not None:
        fork = {"seq": cluster.fork_seq, "cycle": cluster.fork_cycle, "t": cluster.fork_t}
    return {"name": cluster.name, "parent": cluster.parent_id, "fork": fork}


def _stopped_by(cluster: Cluster) -> dict[str, Any] | None:
    """The breakpoint that ended the last command, if it is a run that one ended."""
    last = Command.objects.filter(cluster=cluster, number=cluster.applied)
    return last.values_list("stopped_by", flat=True).first()


def _counts(rows: QuerySet[Any], column: str) -> list[tuple[str, int]]:
    return list(rows.values_list(column).annotate(Count("pk")).order_by(column))


def _running(cluster: Cluster) -> dict[str, Any] | None:
    running = Command.objects.filter(cluster=cluster, number__gt=cluster.applied, state=CommandState.RUNNING).first()
    if running is None:
        return None
    found = {"number": running.number, "kind": running.kind, "records": running.records, "cycles": running.cycles}
    return found if running.total is None else {**found, "total": running.total}


def _what_it_does(cluster: Cluster, running: dict[str, Any] | None) -> str:
    if running is not None:
        return "running"
    if cluster.submitted > cluster.applied:
        return "queued"
    last = Command.objects.filter(cluster=cluster, number=cluster.submitted).values_list("state", flat=True).first()
    return "paused" if last == CommandState.STOPPED else "idle"
