"""Imports that start controllers, and on request the cluster autoscaler."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple
from uuid import uuid4

import yaml
from django.db import transaction

from kube_controllers.garbage_collector.owners import without_owners
from kube_controllers.hashing import UPSTREAM
from kube_objects.kinds.playground import node_group
from kube_objects.meta import KubeObject
from kube_objects.pod_makers import KINDS_WITH_PODS, count_without_pods
from playground.clusters import commands
from playground.models import Cluster
from playground.workloads import missing_owners

Life = Literal["on", "with nodes"] | None
LIVES: Sequence[str] = ("on", "with nodes")
"""Controllers run; with "with nodes" the cluster autoscaler has a node group, too."""

_AUTOSCALER = {
    "apiVersion": node_group.KIND.api_version,
    "kind": "ClusterAutoscaler",
    "metadata": {"name": "default"},
    "spec": {},
}


class PodMakers(NamedTuple):
    """The number of objects by kind that make Pods; `living` has the kinds for which the playground has controllers."""

    counts: dict[str, int]
    living: dict[str, int]


def pod_makers(objects: Iterable[KubeObject]) -> PodMakers:
    counts = count_without_pods(objects)
    return PodMakers(counts, {kind: count for kind, count in counts.items() if kind in KINDS_WITH_PODS})


def creation(
    cluster_id: int, objects: Sequence[KubeObject], *, keep_ownerless: bool
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the command that creates the objects, and counts by kind of those whose owners are missing.

    `keep_ownerless` removes their owner references, so that the garbage collector keeps them.
    """
    alone = missing_owners.list_ownerless(cluster_id, objects)
    freed = {id(obj) for obj in alone} if keep_ownerless else ()
    manifests = [without_owners(obj.manifest) if id(obj) in freed else obj.manifest for obj in objects]
    return {"kind": "create", "objects": manifests}, missing_owners.count_by_kind(alone)


@transaction.atomic
def bring(cluster_id: int, payloads: Sequence[Mapping[str, Any]], author: str, life: Life) -> int | None:
    """Queue the commands of an import and those that start controllers; return the last one's number.

    From then on the cluster runs continuously after every change.
    """
    more: list[Mapping[str, Any]] = []
    if life == "with nodes":
        more.append({"kind": "create", "objects": [_AUTOSCALER, yaml.safe_load(node_group.KIND.example)]})
    more.append({"kind": "set_actors", "actors": "all", "hashes": UPSTREAM})
    # It runs once all of these commands are done.
    Cluster.objects.filter(pk=cluster_id).update(live=True)
    return commands.submit_all(cluster_id, [*payloads, *more], author, change_set=str(uuid4()))
