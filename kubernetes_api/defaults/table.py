"""Which kind has which defaults."""

from collections.abc import Callable, Mapping

from kubernetes_api.custom import definitions, schemas
from kubernetes_api.defaults import others, pods, workloads
from kubernetes_api.defaults.fields import Object
from kubernetes_api.resources import Resource

_FILLERS: Mapping[str, Callable[[Object], None]] = {
    "CSIDriver": others.csi_driver,
    "ClusterRoleBinding": others.role_binding,
    definitions.KIND: definitions.fill_in,
    "CronJob": workloads.cron_job,
    "DaemonSet": workloads.daemon_set,
    "Deployment": workloads.deployment,
    "DeviceClass": others.device_class,
    "EndpointSlice": others.endpoint_slice,
    "Endpoints": others.endpoints,
    "Event": others.event,
    "HorizontalPodAutoscaler": workloads.autoscaler,
    "Job": workloads.job,
    "LimitRange": others.limit_range,
    "Namespace": others.namespace,
    "NetworkPolicy": others.network_policy,
    "Node": others.node,
    "PersistentVolume": others.volume,
    "PersistentVolumeClaim": others.claim,
    "Pod": pods.pod,
    "PodTemplate": workloads.pod_template,
    "PriorityClass": others.priority_class,
    "ReplicaSet": workloads.replica_set,
    "ReplicationController": workloads.replication_controller,
    "ResourceClaim": others.resource_claim,
    "ResourceClaimTemplate": others.resource_claim_template,
    "RoleBinding": others.role_binding,
    "Secret": others.secret,
    "Service": others.service,
    "StatefulSet": workloads.stateful_set,
    "StorageClass": others.storage_class,
}


def fill_in(resource: Resource, value: Object) -> None:
    """Changes an object that was sent."""
    if resource.custom is not None:
        return schemas.fill_in(value, resource.custom.schema)
    filler = _FILLERS.get(resource.kind)
    if filler is not None:
        filler(value)
    return None
