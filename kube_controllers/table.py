"""Every actor there is, listed once; the order is that in which they hear of a change."""

from collections.abc import Callable, Mapping, Sequence

from kube_controllers.arrivals.actor import ArrivalsActor
from kube_controllers.cluster_autoscaler.actor import ClusterAutoscalerActor
from kube_controllers.contract import Actor
from kube_controllers.cron_job.actor import CronJobActor
from kube_controllers.daemon_set.actor import DaemonSetActor
from kube_controllers.deployment.actor import DeploymentActor
from kube_controllers.descheduler.actor import DeschedulerActor
from kube_controllers.disruption.actor import DisruptionActor
from kube_controllers.disruption.chosen import ChosenBudgetActor
from kube_controllers.disruption.stale import StaleDisruptionActor
from kube_controllers.endpoints.endpoints_actor import EndpointsActor
from kube_controllers.endpoints.mirror_actor import MirrorActor
from kube_controllers.endpoints.slice_actor import EndpointSliceActor
from kube_controllers.garbage_collector.actor import OF_OTHERS, CollectorOfOthers, GarbageCollector
from kube_controllers.horizontal_pod_autoscaler.actor import HorizontalPodAutoscalerActor
from kube_controllers.job.actor import JobActor, OrphanPodActor
from kube_controllers.kubelet import KubeletActor
from kube_controllers.namespaces import NamespaceActor
from kube_controllers.node_lifecycle.actor import NodeLifecycleActor
from kube_controllers.node_lifecycle.kubelet import NodeKubeletActor
from kube_controllers.persistent_volume.actor import ClaimActor, VolumeActor
from kube_controllers.persistent_volume.protection import (
    AttributesClassProtectionActor,
    ClaimProtectionActor,
    VolumeProtectionActor,
)
from kube_controllers.pod_gc import PodGcActor
from kube_controllers.replica_set.actor import ReplicaSetActor
from kube_controllers.replication_controller.actor import ReplicationControllerActor
from kube_controllers.resource_claims import ResourceClaimActor
from kube_controllers.stateful_set.actor import StatefulSetActor
from kube_controllers.taint_eviction import TaintEvictionActor
from kube_controllers.ttl_after_finished import TtlAfterFinishedActor

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
