"""Checks of the other API groups, by kind."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kube_apiserver.causes import Cause
from kube_apiserver.validation.groups import (
    attachments,
    autoscaling,
    certificates,
    csi,
    devices,
    endpoints,
    flow_control,
    ingresses,
    leases,
    network_policies,
    policies,
    rbac,
    slices,
    webhooks,
)

Object = Mapping[str, Any]
New = Callable[[Object], Iterator[Cause]]
Change = Callable[[Object, Object], Iterator[Cause]]

NEW: Mapping[str, New] = {
    "CSIDriver": csi.validate_csi_driver,
    "CertificateSigningRequest": certificates.validate_signing_request,
    "CSINode": csi.validate_csi_node,
    "CSIStorageCapacity": csi.validate_storage_capacity,
    "ClusterRole": rbac.validate_cluster_role,
    "ClusterRoleBinding": rbac.validate_cluster_role_binding,
    "DeviceClass": devices.validate_device_class,
    "EndpointSlice": endpoints.validate_endpoint_slice,
    "Endpoints": endpoints.validate_endpoints,
    "FlowSchema": flow_control.validate_flow_schema,
    "HorizontalPodAutoscaler": autoscaling.validate_autoscaler,
    "IPAddress": network_policies.validate_ip_address,
    "Ingress": ingresses.validate_ingress,
    "IngressClass": ingresses.validate_ingress_class,
    "Lease": leases.validate_lease,
    "MutatingAdmissionPolicy": policies.validate_mutating_policy,
    "MutatingAdmissionPolicyBinding": policies.validate_mutating_binding,
    "MutatingWebhookConfiguration": webhooks.validate_webhook_configuration,
    "NetworkPolicy": network_policies.validate_network_policy,
    "PriorityLevelConfiguration": flow_control.validate_priority_level,
    "ResourceClaim": devices.validate_claim,
    "ResourceClaimTemplate": devices.validate_claim_template,
    "ResourceSlice": slices.validate_slice,
    "Role": rbac.validate_role,
    "RoleBinding": rbac.validate_role_binding,
    "RuntimeClass": leases.validate_runtime_class,
    "ServiceCIDR": network_policies.validate_service_cidr,
    "ValidatingAdmissionPolicy": policies.validate_validating_policy,
    "ValidatingAdmissionPolicyBinding": policies.validate_validating_binding,
    "ValidatingWebhookConfiguration": webhooks.validate_webhook_configuration,
    "VolumeAttachment": attachments.validate_attachment,
    "VolumeAttributesClass": csi.validate_attributes_class,
}
CHANGED: Mapping[str, Change] = {
    "CSIDriver": csi.validate_csi_driver_update,
    "CSINode": csi.validate_csi_node_update,
    "CSIStorageCapacity": csi.validate_storage_capacity_update,
    "ClusterRoleBinding": rbac.validate_cluster_role_binding_update,
    "EndpointSlice": endpoints.validate_endpoint_slice_update,
    "Endpoints": endpoints.validate_endpoints_update,
    "HorizontalPodAutoscaler": autoscaling.validate_autoscaler_update,
    "IPAddress": network_policies.validate_ip_address_update,
    "Ingress": ingresses.validate_ingress_update,
    "IngressClass": ingresses.validate_ingress_class_update,
    "NetworkPolicy": network_policies.validate_network_policy_update,
    "ResourceSlice": slices.validate_slice_update,
    "RoleBinding": rbac.validate_role_binding_update,
    "RuntimeClass": leases.validate_runtime_class_update,
    "ServiceCIDR": network_policies.validate_service_cidr_update,
    "VolumeAttachment": attachments.validate_attachment_update,
    "VolumeAttributesClass": csi.validate_attributes_class_update,
}
CHANGED_AS_SENT: Mapping[str, Callable[[Object, Object, Object], Iterator[Cause]]] = {
    "ResourceClaim": devices.validate_claim_update,
    "ResourceClaimTemplate": devices.validate_claim_template_update,
}
OF_STATUS: Mapping[str, New] = {
    "FlowSchema": flow_control.validate_status,
    "HorizontalPodAutoscaler": autoscaling.validate_autoscaler_status,
    "Ingress": ingresses.validate_ingress_status,
    "PriorityLevelConfiguration": flow_control.validate_status,
    "VolumeAttachment": attachments.validate_attachment_status,
}
STATUS_CHANGED: Mapping[str, Change] = {
    "CertificateSigningRequest": certificates.validate_signing_request_status_update,
    "ResourceClaim": devices.validate_claim_status_update,
}
