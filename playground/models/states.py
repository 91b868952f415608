"""Tables derived from the records: current objects, and all versions of Nodes and Pods.

`NodeState` and `PodState` rows have the range of records for which they are valid. So any past moment can be read
without the engine.
"""

from typing import Any

from django.db import models
from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from kube_objects.kinds.storage_kind import LONGEST_KIND
from playground.models.clusters import of_cluster, unique_in_cluster
from playground.prepared import PrefixParam, Row, request_rows, select_row, select_rows
from playground.text_fields import JsonText, PackedJson

# The `until` of a version that is still valid.
FOREVER = 2**62


# The key, the manifest as JSON text, and the record that wrote it.
ObjectRow = tuple[str, str, int]
# The cluster, a value of a column, and the number of its rows.
CountRow = tuple[int, str, int]


def as_rows(objects: "QuerySet[ClusterObject]") -> "QuerySet[ClusterObject, ObjectRow]":
    """Read objects as rows, without a model instance for each."""
    return objects.values_list("key", Cast("manifest", TextField()), "seq")


def count_by(rows: "QuerySet[Any]", column: str) -> "QuerySet[Any, CountRow]":
    """Count the rows of each cluster by the value of a column."""
    return rows.values_list("cluster", column).annotate(Count("pk")).order_by(column)


class ClusterObjectManager(models.Manager["ClusterObject"]):
    """Manager of objects with the queries of the Kubernetes API and of a worker's writes."""

    @select_row
    def find_row(self, *, cluster_id: int, kind: str, key: str) -> "QuerySet[ClusterObject, ObjectRow]":
        """Return the row of an object, or None."""
        return as_rows(self.filter(cluster_id=cluster_id, kind=kind, key=key))

    @select_rows
    def select_by_keys(self, *, cluster_id: int, kind: str, keys: list[str]) -> "QuerySet[ClusterObject, ObjectRow]":
        """Return the rows of these objects, in no order."""
        return as_rows(self.filter(cluster_id=cluster_id, kind=kind, key__in=keys))

    @select_rows
    def select_by_prefix(
        self, *, cluster_id: int, kind: str, prefix: PrefixParam
    ) -> "QuerySet[ClusterObject, ObjectRow]":
        """Return the rows of the objects whose key begins with `prefix`, in the order of the keys."""
        return as_rows(self.filter(cluster_id=cluster_id, kind=kind, key__startswith=prefix).order_by("key"))

    @select_rows
    def count_by_kind(self, *, cluster_ids: list[int]) -> "QuerySet[ClusterObject, CountRow]":
        """Count the objects of each cluster by kind."""
        return count_by(self.filter(cluster__in=cluster_ids), "kind")


class ClusterObject(models.Model):
    """A Kubernetes object as it is now. `key` is namespace/name, or the name alone without a namespace."""

    cluster = of_cluster()
    kind = models.CharField(max_length=LONGEST_KIND)
    key = models.CharField(max_length=400)
    manifest = JsonText()
    # The record that wrote it last, or 0 in a new branch.
    seq = models.BigIntegerField(default=0)

    objects = ClusterObjectManager()

    class Meta:
        constraints = [unique_in_cluster("object_key", "kind", "key")]


class ObjectChangeManager(models.Manager["ObjectChange"]):
    """Manager with the query that a watch of the Kubernetes API runs."""

    @select_rows
    def select_range(
        self, *, cluster_id: int, first: int, last: int, kinds: list[str]
    ) -> "QuerySet[ObjectChange, Row]":
        """Return seq, kind, key, before, before_seq and after of the changes by the records `first` … `last`."""
        changes = self.filter(cluster_id=cluster_id, seq__gte=first, seq__lte=last, kind__in=kinds)
        return changes.order_by("seq", "pk").values_list("seq", "kind", "key", "before", "before_seq", "after")


class ObjectChange(models.Model):
    """An object before and after a record, for watches of the Kubernetes API (`playground/store/watch_changes.py`).

    None stands for an object that did not exist. `before_seq` is the record that wrote `before`.
    """

    cluster = of_cluster()
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=LONGEST_KIND)
    key = models.CharField(max_length=400)
    before = PackedJson(null=True)
    before_seq = models.BigIntegerField(default=0)
    after = PackedJson(null=True)

    objects = ObjectChangeManager()

    class Meta:
        indexes = [models.Index(fields=["cluster", "seq"], name="object_change")]


class NodeState(models.Model):
    """A Node as the scheduler sees it, valid for the records `since` ≤ seq < `until`.

    Amounts are in the engine's units.
    """

    cluster = of_cluster()
    name = models.CharField(max_length=253)
    since = models.BigIntegerField()
    until = models.BigIntegerField(default=FOREVER)
    labels = JsonText()
    allocatable = JsonText()
    unschedulable = models.BooleanField()
    taints = JsonText()

    class Meta:
        constraints = [unique_in_cluster("node_state", "name", "until")]
        indexes = [models.Index(fields=["cluster", "until"], name="node_state_current")]


class PodStateManager(models.Manager["PodState"]):
    """Manager of versions of Pods with the queries of every step of a worker."""

    @request_rows
    def request_current(self, *, cluster_id: int, pods: list[str]) -> "QuerySet[PodState, Row]":
        """Send the query for the valid versions of these Pods. Return a function that waits for their rows.

        The rows have all columns except `id` and `cluster`.
        """
        names = [field.attname for field in self.model._meta.concrete_fields if field.name not in ("id", "cluster")]
        # JSON stays text, because it is written again without decoding.
        columns = [Cast(name, TextField()) if name == "plugins" else name for name in names]
        return self.filter(cluster_id=cluster_id, until=FOREVER, pod__in=pods).values_list(*columns)

    @select_rows
    def count_by_lane(self, *, cluster_ids: list[int]) -> "QuerySet[PodState, CountRow]":
        """Count the Pods of each cluster by their queue, or by whether they are bound."""
        return count_by(self.filter(cluster__in=cluster_ids, until=FOREVER), "lane")


class PodState(models.Model):
    """The place of a Pod, in a queue or on a Node, valid for the records `since` ≤ seq < `until`.

    `node` is the Node that counts the Pod's requests: where it runs, or where it is assumed during a wait. An ended
    version may leave columns empty that the next version repeats (`playground/store/versions.py` `fill_left_columns`).
    """

    cluster = of_cluster()
    pod = models.CharField(max_length=400)
    since = models.BigIntegerField()
    until = models.BigIntegerField(default=FOREVER)
    uid = models.CharField(max_length=253)
    node = models.CharField(max_length=253)
    requests = models.TextField()
    priority = models.BigIntegerField()
    lane = models.CharField(max_length=20)
    attempts = models.IntegerField(default=0)
    entered = models.FloatField(default=0.0)
    backoff_until = models.FloatField(null=True)
    plugins = JsonText(default=list)
    gate = models.CharField(max_length=253, blank=True, default="")
    # The key of the PodGroup that the Pod names. The emulated version decides whether the scheduler uses it.
    pod_group = models.CharField(max_length=400, blank=True, default="")
    # The kind and key of the owner with its template, such as "Deployment shop/web", or "" without one.
    owned_by = models.CharField(max_length=500, blank=True, default="")

    objects = PodStateManager()

    class Meta:
        constraints = [unique_in_cluster("pod_state", "pod", "until")]
        indexes = [
            # For counts per lane, the Pods in a lane, and the Pods on a Node (`playground/store/versions.py`
            # `pods_on`).
            models.Index(fields=["cluster", "until", "lane", "node"], name="pod_state_place"),
            models.Index(fields=["cluster", "pod_group", "until"], name="pod_state_group", condition=~Q(pod_group="")),
            # The pending Pods of all clusters, for the metrics.
            models.Index(fields=["lane"], name="pod_state_pending", condition=Q(until=FOREVER) & ~Q(lane="bound")),
        ]
