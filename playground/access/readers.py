"""The clusters that a user owns or may read. For any other user the cluster doesn't exist."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q, QuerySet

from playground.access import open_classes
from playground.models import Cluster, Follower
from playground.models.clusters import PURGED

User = AbstractBaseUser | AnonymousUser


def select_owned(user: User) -> QuerySet[Cluster]:
    """Return the clusters that the user may change; `readable` has those that the user may see."""
    return Cluster.objects.filter(owner_id=user.pk) if user.is_authenticated else Cluster.objects.none()


def find_owned(user: User, cluster_id: int) -> Cluster | None:
    """Return a cluster of `owned`, or None."""
    cluster = Cluster.objects.find(cluster_id=cluster_id) if user.is_authenticated else None
    return cluster if cluster is not None and cluster.owner_id == user.pk else None


def select_readable(user: User) -> QuerySet[Cluster]:
    """Return the clusters that the user may see: their own, and those that their open classes show."""
    if not user.is_authenticated:
        return Cluster.objects.none()
    followed = Follower.objects.filter(user_id=user.pk, left=False).values("classroom")
    clusters = open_classes.select_open_classes().filter(pk__in=followed).values("cluster")
    return Cluster.objects.filter(Q(owner_id=user.pk) | Q(pk__in=clusters))


def may_restore(user: User, cluster_id: int) -> bool:
    """Return whether this user deleted the cluster and can still restore it."""
    if user.pk is None:
        return False
    return Cluster.everything.filter(pk=cluster_id, owner_id=user.pk, deleted__gt=PURGED).exists()


def find_readable(user: User, cluster_id: int) -> Cluster | None:
    """Return a cluster of `readable`, or None, by two prepared queries."""
    if not user.is_authenticated or user.pk is None:
        return None
    cluster = Cluster.objects.find(cluster_id=cluster_id)
    if cluster is None or cluster.owner_id == user.pk or open_classes.is_shown_to(cluster_id, user.pk):
        return cluster
    return None


def find_by_key(key: str, cluster_id: int) -> Cluster | None:
    """Return the cluster if the key belongs to the shared moment that it shows."""
    return Cluster.objects.filter(pk=cluster_id, share_view__key=key).first()
