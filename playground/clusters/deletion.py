"""Deletion of clusters: hidden at once, restorable by the owner for a while, and then purged."""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.db.models import CASCADE, F, ForeignObjectRel
from django.dispatch import Signal
from django.utils import timezone

from kube_objects.sentences import say
from playground import limits
from playground.clusters import lifecycle
from playground.engine.triggers import trigger_commands
from playground.models import Cluster
from playground.models.clusters import PURGED
from playground.problems import Refused, problem
from playground.sqlite import reserve
from playground.store.quota import disk_problem

# Sent with `cluster` in the transaction that deletes it. `apps.py` connects the receivers.
removed = Signal()


def hide_cluster(cluster: Cluster) -> None:
    """Delete a cluster as users do. Its owner can restore it for a while.

    Its worker loses the lease and stops, and a class that shows it ends. Raise Refused as
    `lifecycle.delete_cluster` does.
    """
    reserve.write_reserve(lambda: _hide(cluster))
    surplus = Cluster.everything.filter(owner_id=cluster.owner_id).exclude(deleted=None).order_by("-deleted", "pk")
    _purge(surplus[limits.DELETED_PER_USER :])


@transaction.atomic
def _hide(cluster: Cluster) -> None:
    locked = lifecycle.lock_for_deletion(cluster)
    removed.send(Cluster, cluster=locked)
    # Queued runs must not start without the owner's knowledge after a restore.
    Cluster.objects.filter(pk=locked.pk).update(
        deleted=timezone.now(), lease_holder="", lease_expires=None, paused_through=F("submitted")
    )


@transaction.atomic
def restore_cluster(owner_id: int, cluster_id: int) -> Cluster | None:
    """Restore a deleted cluster of this owner. Return None if there is none.

    Raise Refused if the owner has too many clusters, or if the cluster's parent is deleted, too.
    """
    deleted = Cluster.everything.select_for_update().filter(pk=cluster_id, owner_id=owner_id, deleted__gt=PURGED)
    cluster = deleted.first()
    if cluster is None:
        return None
    lifecycle.check_cluster_count(owner_id)
    parent = cluster.parent
    if parent is not None and parent.deleted is not None:
        rule = say('it was forked from "{name}", which is deleted', name=parent.name)
        raise Refused([problem("", rule, hint=say("bring that back first"))], 409)
    Cluster.everything.filter(pk=cluster_id).update(deleted=None)
    cluster.refresh_from_db()
    transaction.on_commit(partial(trigger_commands, cluster.pk))
    return cluster


def purge_deleted() -> int:
    """Purge clusters that were deleted long enough ago, or all deleted ones if the disk is nearly full.

    Return their number.
    """
    due = timezone.now()
    if disk_problem() is None:
        due -= timedelta(seconds=limits.DELETED_SECONDS)
    reserve.create_reserve()
    return _purge(Cluster.everything.filter(deleted__lt=due))


def _purge(clusters: Iterable[Cluster]) -> int:
    # Delete branches before their parents. A branch that was deleted later keeps its parent.
    gone = 0
    for cluster in sorted(clusters, key=lambda each: -each.pk):
        if not Cluster.everything.filter(parent=cluster).exists():
            reserve.write_reserve(partial(_delete, cluster))
            gone += 1
    return gone


def _delete(cluster: Cluster) -> None:
    """Purge a cluster in small transactions, because a single one needs much room on the disk."""
    # A partly deleted cluster can't be restored.
    Cluster.everything.filter(pk=cluster.pk).update(deleted=PURGED)
    for relation in Cluster._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel) and relation.on_delete is CASCADE:
            rows = relation.related_model._base_manager.filter(**{relation.field.name: cluster.pk})
            while keys := list(rows.values_list("pk", flat=True)[: limits.PURGE_ROWS]):
                rows.filter(pk__in=keys).delete()
    cluster.delete()
