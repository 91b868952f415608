"""The factories of all controllers."""

from collections.abc import Callable, Mapping, Sequence

from kube_controllers.arrivals.arrivals_controller import ArrivalsController
from kube_controllers.cluster_autoscaler.static_autoscaler import ClusterAutoscalerController
from kube_controllers.contract import Controller
from kube_controllers.cron_job.cron_job_controller import CronJobController
from kube_controllers.daemon_set.daemon_set_controller import DaemonSetController
from kube_controllers.deployment.deployment_controller import DeploymentController
from kube_controllers.descheduler.descheduler_controller import DeschedulerController
from kube_controllers.disruption.chosen import ChosenBudgetController
from kube_controllers.disruption.disruption_controller import DisruptionController
from kube_controllers.disruption.stale import StaleDisruptionController
from kube_controllers.endpoints.endpoint_slice_controller import EndpointSliceController
from kube_controllers.endpoints.endpoints_controller import EndpointsController
from kube_controllers.endpoints.mirroring_controller import EndpointSliceMirroringController
from kube_controllers.garbage_collector.garbage_collector_controller import (
    OTHER_KINDS,
    GarbageCollector,
    OtherKindsCollector,
)
from kube_controllers.horizontal_pod_autoscaler.horizontal_controller import HorizontalController
from kube_controllers.job.job_controller import JobController, OrphanPodController
from kube_controllers.kubelet import KubeletController
from kube_controllers.names import in_table_order
from kube_controllers.namespaces import NamespaceController
from kube_controllers.node_lifecycle.node_kubelet import NodeKubeletController
from kube_controllers.node_lifecycle.node_lifecycle_controller import NodeLifecycleController
from kube_controllers.persistent_volume.persistent_volume_controller import (
    VolumeBindingController,
    VolumeReclaimController,
)
from kube_controllers.persistent_volume.protection import (
    AttributesClassProtectionController,
    ClaimProtectionController,
    VolumeProtectionController,
)
from kube_controllers.pod_gc import PodGcController
from kube_controllers.replica_set.replica_set_controller import ReplicaSetController
from kube_controllers.replication_controller.replication_controller import ReplicationControllerController
from kube_controllers.resource_claims import ResourceClaimController
from kube_controllers.stateful_set.stateful_set_controller import StatefulSetController
from kube_controllers.taint_eviction import TaintEvictionController
from kube_controllers.ttl_after_finished import TtlAfterFinishedController

# Kinds whose objects often have owners or own other objects.
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


def _collectors() -> tuple[Controller, ...]:
    first, *others = COLLECTED
    return (GarbageCollector(first, COLLECTED), *(GarbageCollector(kind) for kind in others))


_FACTORIES: Mapping[str, Callable[[], Sequence[Controller]]] = {
    "deployment": lambda: (DeploymentController(),),
    "replicaset": lambda: (ReplicaSetController(),),
    "replicationcontroller": lambda: (ReplicationControllerController(),),
    "statefulset": lambda: (StatefulSetController(),),
    "daemonset": lambda: (DaemonSetController(),),
    "cronjob": lambda: (CronJobController(),),
    "job": lambda: (JobController(), OrphanPodController()),
    "horizontal-pod-autoscaler": lambda: (HorizontalController(),),
    "cluster-autoscaler": lambda: (ClusterAutoscalerController(),),
    "descheduler": lambda: (DeschedulerController(),),
    "arrivals": lambda: (ArrivalsController(),),
    "disruption": lambda: (DisruptionController(), StaleDisruptionController(), ChosenBudgetController()),
    "taint-eviction": lambda: (TaintEvictionController(),),
    "garbage-collector": _collectors,
    OTHER_KINDS: lambda: (OtherKindsCollector(COLLECTED),),
    "ttl-after-finished": lambda: (TtlAfterFinishedController(),),
    "namespace": lambda: (NamespaceController(),),
    "kubelet": lambda: (KubeletController(),),
    "persistent-volume": lambda: (
        VolumeBindingController(),
        VolumeReclaimController(),
        ClaimProtectionController(),
        VolumeProtectionController(),
        AttributesClassProtectionController(),
    ),
    "resource-claim": lambda: (ResourceClaimController(),),
    "pod-gc": lambda: (PodGcController(),),
    "node-lifecycle": lambda: (NodeKubeletController(), NodeLifecycleController()),
    "endpoints": lambda: (EndpointsController(),),
    "endpointslice": lambda: (EndpointSliceController(),),
    "endpointslice-mirroring": lambda: (EndpointSliceMirroringController(),),
}
"""Factories by the name under which a cluster enables the controllers: those of `names.CONTROLLERS`."""


def make_controllers(names: Sequence[str]) -> list[Controller]:
    """Return the controllers of these names, in the order of CONTROLLERS. Raise KeyError for an unknown name."""
    for name in names:
        _FACTORIES[name]
    return [controller for name in in_table_order(names) for controller in _FACTORIES[name]()]
