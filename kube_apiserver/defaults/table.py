"""Defaults by kind."""

from collections.abc import Callable, Mapping

from kube_apiserver import errors
from kube_apiserver.custom import definitions, schemas
from kube_apiserver.defaults import networks, others, pods, workloads
from kube_apiserver.defaults.fields import Object, clone
from kube_apiserver.resources import Resource

_FILLERS: Mapping[str, Callable[[Object], None]] = {
    "APIService": networks.set_api_service_defaults,
    "CSIDriver": others.set_csi_driver_defaults,
    "ClusterRoleBinding": others.set_role_binding_defaults,
    definitions.KIND: definitions.fill_in,
    "CronJob": workloads.set_cron_job_defaults,
    "DaemonSet": workloads.set_daemon_set_defaults,
    "Deployment": workloads.set_deployment_defaults,
    "DeviceClass": others.set_device_class_defaults,
    "EndpointSlice": others.set_endpoint_slice_defaults,
    "Endpoints": others.set_endpoints_defaults,
    "FlowSchema": networks.set_flow_schema_defaults,
    "HorizontalPodAutoscaler": workloads.set_autoscaler_defaults,
    "IngressClass": networks.set_ingress_class_defaults,
    "Job": workloads.set_job_defaults,
    "LimitRange": others.set_limit_range_defaults,
    "Namespace": others.set_namespace_defaults,
    "MutatingAdmissionPolicy": networks.set_admission_policy_defaults,
    "MutatingAdmissionPolicyBinding": networks.set_admission_binding_defaults,
    "MutatingWebhookConfiguration": networks.set_mutating_webhooks_defaults,
    "NetworkPolicy": networks.set_network_policy_defaults,
    "Node": others.set_node_defaults,
    "PersistentVolume": others.set_volume_defaults,
    "PersistentVolumeClaim": others.set_claim_defaults,
    "Pod": pods.set_pod_defaults,
    "PodTemplate": workloads.set_pod_template_defaults,
    "PriorityClass": others.set_priority_class_defaults,
    "PriorityLevelConfiguration": networks.set_priority_level_defaults,
    "ReplicaSet": workloads.set_replica_set_defaults,
    "ReplicationController": workloads.set_replication_controller_defaults,
    "ResourceClaim": others.set_resource_claim_defaults,
    "ResourceClaimTemplate": others.set_resource_claim_template_defaults,
    "RoleBinding": others.set_role_binding_defaults,
    "Secret": others.set_secret_defaults,
    "Service": others.set_service_defaults,
    "StatefulSet": workloads.set_stateful_set_defaults,
    "StorageClass": others.set_storage_class_defaults,
    "ValidatingAdmissionPolicy": networks.set_admission_policy_defaults,
    "ValidatingAdmissionPolicyBinding": networks.set_admission_binding_defaults,
    "ValidatingWebhookConfiguration": networks.set_validating_webhooks_defaults,
}


def copy_with_defaults(resource: Resource, value: Object) -> Object:
    """Return a copy of the object with the defaults of its kind. Raise ApiError if they are too large."""
    copied: Object = clone(value)
    set_defaults(resource, copied)
    return copied


def set_defaults(resource: Resource, value: Object) -> None:
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
