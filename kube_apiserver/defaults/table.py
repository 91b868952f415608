"""Defaults by kind."""

from collections.abc import Callable, Mapping

from kube_apiserver import errors
from kube_apiserver.custom import definitions, schemas
from kube_apiserver.defaults import networks, others, pods, workloads
from kube_apiserver.defaults.fields import Object, clone
from kube_apiserver.resources import Resource

_FILLERS: Mapping[str, Callable[[Object], None]] = {
    "APIService": networks.api_service,
    "CSIDriver": others.csi_driver,
    "ClusterRoleBinding": others.role_binding,
    definitions.KIND: definitions.fill_in,
    "CronJob": workloads.cron_job,
    "DaemonSet": workloads.daemon_set,
    "Deployment": workloads.deployment,
    "DeviceClass": others.device_class,
    "EndpointSlice": others.endpoint_slice,
    "Endpoints": others.endpoints,
    "FlowSchema": networks.flow_schema,
    "HorizontalPodAutoscaler": workloads.autoscaler,
    "IngressClass": networks.ingress_class,
    "Job": workloads.job,
    "LimitRange": others.limit_range,
    "Namespace": others.namespace,
    "MutatingAdmissionPolicy": networks.admission_policy,
    "MutatingAdmissionPolicyBinding": networks.admission_binding,
    "MutatingWebhookConfiguration": networks.mutating_webhooks,
    "NetworkPolicy": networks.network_policy,
    "Node": others.node,
    "PersistentVolume": others.volume,
    "PersistentVolumeClaim": others.claim,
    "Pod": pods.pod,
    "PodTemplate": workloads.pod_template,
    "PriorityClass": others.priority_class,
    "PriorityLevelConfiguration": networks.priority_level,
    "ReplicaSet": workloads.replica_set,
    "ReplicationController": workloads.replication_controller,
    "ResourceClaim": others.resource_claim,
    "ResourceClaimTemplate": others.resource_claim_template,
    "RoleBinding": others.role_binding,
    "Secret": others.secret,
    "Service": others.service,
    "StatefulSet": workloads.stateful_set,
    "StorageClass": others.storage_class,
    "ValidatingAdmissionPolicy": networks.admission_policy,
    "ValidatingAdmissionPolicyBinding": networks.admission_binding,
    "ValidatingWebhookConfiguration": networks.validating_webhooks,
}


def defaulted(resource: Resource, value: Object) -> Object:
    """Return a copy of the object with the defaults of its kind. Raise ApiError if they are too large."""
    copied: Object = clone(value)
    fill_in(resource, copied)
    return copied


def fill_in(resource: Resource, value: Object) -> None:
    """Add the defaults of its kind to an object in place. Raise ApiError if they are too large."""
    if resource.custom is not None:
        try:
            return schemas.fill_in(value, resource.custom.schema)
        except schemas.LargeDefaultsError as large:
            raise errors.too_large(str(large)) from large
    filler = _FILLERS.get(resource.kind)
    if filler is not None:
        filler(value)
    return None
