"""Every actor there is, listed once; the order is that in which they hear of a change."""

from collections.abc import Callable, Mapping, Sequence

from scheduler_core.actors.arrivals.actor import ArrivalsActor
from scheduler_core.actors.cluster_autoscaler.actor import ClusterAutoscalerActor
from scheduler_core.actors.contract import Actor
from scheduler_core.actors.cron_job.actor import CronJobActor
from scheduler_core.actors.daemon_set.actor import DaemonSetActor
from scheduler_core.actors.deployment.actor import DeploymentActor
from scheduler_core.actors.descheduler.actor import DeschedulerActor
from scheduler_core.actors.disruption.actor import DisruptionActor
from scheduler_core.actors.disruption.chosen import ChosenBudgetActor
from scheduler_core.actors.disruption.stale import StaleDisruptionActor
from scheduler_core.actors.endpoints.endpoints_actor import EndpointsActor
from scheduler_core.actors.endpoints.mirror_actor import MirrorActor
from scheduler_core.actors.endpoints.slice_actor import EndpointSliceActor
from scheduler_core.actors.garbage_collector.actor import OF_OTHERS, CollectorOfOthers, GarbageCollector
from scheduler_core.actors.horizontal_pod_autoscaler.actor import HorizontalPodAutoscalerActor
from scheduler_core.actors.job.actor import JobActor, OrphanPodActor
from scheduler_core.actors.kubelet import KubeletActor
from scheduler_core.actors.namespaces import NamespaceActor
from scheduler_core.actors.node_lifecycle.actor import NodeLifecycleActor
from scheduler_core.actors.node_lifecycle.kubelet import NodeKubeletActor
from scheduler_core.actors.persistent_volume.actor import ClaimActor, VolumeActor
from scheduler_core.actors.persistent_volume.protection import (
    AttributesClassProtectionActor,
    ClaimProtectionActor,
    VolumeProtectionActor,
)
from scheduler_core.actors.pod_gc import PodGcActor
from scheduler_core.actors.replica_set.actor import ReplicaSetActor
from scheduler_core.actors.replication_controller.actor import ReplicationControllerActor
from scheduler_core.actors.resource_claims import ResourceClaimActor
from scheduler_core.actors.stateful_set.actor import StatefulSetActor
from scheduler_core.actors.taint_eviction import TaintEvictionActor
from scheduler_core.actors.ttl_after_finished import TtlAfterFinishedActor

# The kinds whose objects mostly are owned, or own others.
COLLECTED = (
    "Pod",
    "ReplicaSet",
    "ControllerRevision",
    "Job",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "CronJob",
    "ReplicationController",
    "ConfigMap",
    "Secret",
    "Service",
    "ServiceAccount",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ResourceQuota",
    "LimitRange",
    "Namespace",
    "Node",
    "EndpointSlice",
    "Endpoints",
)


def _collectors() -> tuple[Actor, ...]:
    first, *others = COLLECTED
    return (GarbageCollector(first, COLLECTED), *(GarbageCollector(kind) for kind in others))


ACTORS: Mapping[str, Callable[[], Sequence[Actor]]] = {
    "deployment": lambda: (DeploymentActor(),),
    "replicaset": lambda: (ReplicaSetActor(),),
    "replicationcontroller": lambda: (ReplicationControllerActor(),),
    "statefulset": lambda: (StatefulSetActor(),),
    "daemonset": lambda: (DaemonSetActor(),),
    "cronjob": lambda: (CronJobActor(),),
    "job": lambda: (JobActor(), OrphanPodActor()),
    "horizontal-pod-autoscaler": lambda: (HorizontalPodAutoscalerActor(),),
    "cluster-autoscaler": lambda: (ClusterAutoscalerActor(),),
    "descheduler": lambda: (DeschedulerActor(),),
    "arrivals": lambda: (ArrivalsActor(),),
    "disruption": lambda: (DisruptionActor(), StaleDisruptionActor(), ChosenBudgetActor()),
    "taint-eviction": lambda: (TaintEvictionActor(),),
    "garbage-collector": _collectors,
    OF_OTHERS: lambda: (CollectorOfOthers(COLLECTED),),
    "ttl-after-finished": lambda: (TtlAfterFinishedActor(),),
    "namespace": lambda: (NamespaceActor(),),
    "kubelet": lambda: (KubeletActor(),),
    "persistent-volume": lambda: (
        ClaimActor(),
        VolumeActor(),
        ClaimProtectionActor(),
        VolumeProtectionActor(),
        AttributesClassProtectionActor(),
    ),
    "resource-claim": lambda: (ResourceClaimActor(),),
    "pod-gc": lambda: (PodGcActor(),),
    "node-lifecycle": lambda: (NodeKubeletActor(), NodeLifecycleActor()),
    "endpoints": lambda: (EndpointsActor(),),
    "endpointslice": lambda: (EndpointSliceActor(),),
    "endpointslice-mirroring": lambda: (MirrorActor(),),
}
"""By the name under which a cluster switches it on."""


# Those that look again for ever, whatever happens: a run until idle does not wait for them.
RECURRING = frozenset({"arrivals", "cronjob", "descheduler", "horizontal-pod-autoscaler", "resource-claim"})

# Those that act for nodes, not for what makes pods: a lane of their own on the page.
NODE_ACTORS = frozenset({"cluster-autoscaler", "kubelet", "node-lifecycle", "pod-gc", "taint-eviction"})


def in_order(names: Sequence[str]) -> tuple[str, ...]:
    """These names as the table has them, each once."""
    return tuple(name for name in ACTORS if name in names)


def make(names: Sequence[str]) -> list[Actor]:
    """The actors of these names, in the order of the table. KeyError for a name that is none."""
    for name in names:
        ACTORS[name]
    return [actor for name, made in ACTORS.items() if name in names for actor in made()]
