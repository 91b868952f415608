"""What follows from the records: objects as they are, nodes and pods as they were.

`NodeState` and `PodState` keep every version with the records it was valid for, so that any past moment can be read
without running the engine again.
"""

from django.db import models
from django.db.models import Q

from kube_objects.kinds.kept import LONGEST_KIND
from playground.fields import JsonText, PackedJson
from playground.models.clusters import of_cluster, unique_in_cluster

# The end of what is still valid.
FOREVER = 2**62


class ClusterObject(models.Model):
    """A Kubernetes object as it is now. `key` is namespace/name, or the name alone without a namespace."""

    cluster = of_cluster()
    kind = models.CharField(max_length=LONGEST_KIND)
    key = models.CharField(max_length=400)
    manifest = JsonText()
    # The record that wrote it last; 0 for what a version without this column wrote, and in a new branch.
    seq = models.BigIntegerField(default=0)

    class Meta:
        constraints = [unique_in_cluster("object_key", "kind", "key")]


class ObjectChange(models.Model):
    """An object before and after a record, for clients of the Kubernetes API that watch: `playground/store/watched.py`.

    None for an object that was not there, or is gone. `before_seq` is the record that wrote it as it was before.
    """

    cluster = of_cluster()
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=LONGEST_KIND)
    key = models.CharField(max_length=400)
    before = PackedJson(null=True)
    before_seq = models.BigIntegerField(default=0)
    after = PackedJson(null=True)

    class Meta:
        indexes = [models.Index(fields=["cluster", "seq"], name="object_change")]


class NodeState(models.Model):
    """A node as scheduling sees it, valid for the records `since` ≤ seq < `until`. Amounts as in the engine."""

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


class PodState(models.Model):
    """Where a pod is, in the queue or on a node, valid for the records `since` ≤ seq < `until`.

    `node` is the node that counts the pod's requests: the one it runs on, or the one it is assumed on while it waits.
    A version that has ended may leave what the next one says, too, to that one: `playground/store/versions.py` `whole`.
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
    # The key of its PodGroup, for pods that name one; whether the scheduler cares is for its version to say.
    pod_group = models.CharField(max_length=400, blank=True, default="")
    # Kind and key of what has its template, "" for a pod of its own: "Deployment shop/web".
    owned_by = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        constraints = [unique_in_cluster("pod_state", "pod", "until")]
        indexes = [
            # How many are in each lane, who is in one, and who is on a node: `playground/store/versions.py` `pods_on`.
            models.Index(fields=["cluster", "until", "lane", "node"], name="pod_state_place"),
            models.Index(fields=["cluster", "pod_group", "until"], name="pod_state_group", condition=~Q(pod_group="")),
            # The pending pods of all clusters, for the metrics: few beside those that are bound.
            models.Index(fields=["lane"], name="pod_state_pending", condition=Q(until=FOREVER) & ~Q(lane="bound")),
        ]
