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
    "CSIDriver": csi.driver,
    "CertificateSigningRequest": certificates.request,
    "CSINode": csi.node,
    "CSIStorageCapacity": csi.capacity,
    "ClusterRole": rbac.cluster_role,
    "ClusterRoleBinding": rbac.cluster_role_binding,
    "DeviceClass": devices.device_class,
    "EndpointSlice": endpoints.endpoint_slice,
    "Endpoints": endpoints.endpoints,
    "FlowSchema": flow_control.schema,
    "HorizontalPodAutoscaler": autoscaling.autoscaler,
    "IPAddress": network_policies.ip_address,
    "Ingress": ingresses.ingress,
    "IngressClass": ingresses.ingress_class,
    "Lease": leases.lease,
    "MutatingAdmissionPolicy": policies.mutating_policy,
    "MutatingAdmissionPolicyBinding": policies.mutating_binding,
    "MutatingWebhookConfiguration": webhooks.configuration,
    "NetworkPolicy": network_policies.network_policy,
    "PriorityLevelConfiguration": flow_control.level,
    "ResourceClaim": devices.claim,
    "ResourceClaimTemplate": devices.claim_template,
    "ResourceSlice": slices.slice_,
    "Role": rbac.role,
    "RoleBinding": rbac.role_binding,
    "RuntimeClass": leases.runtime_class,
    "ServiceCIDR": network_policies.service_cidr,
    "ValidatingAdmissionPolicy": policies.policy,
    "ValidatingAdmissionPolicyBinding": policies.binding,
    "ValidatingWebhookConfiguration": webhooks.configuration,
    "VolumeAttachment": attachments.attachment,
    "VolumeAttributesClass": csi.attributes_class,
}
CHANGED: Mapping[str, Change] = {
    "CSIDriver": csi.driver_changed,
    "CSINode": csi.node_changed,
    "CSIStorageCapacity": csi.capacity_changed,
    "ClusterRoleBinding": rbac.cluster_role_binding_changed,
    "EndpointSlice": endpoints.endpoint_slice_changed,
    "Endpoints": endpoints.endpoints_changed,
    "HorizontalPodAutoscaler": autoscaling.autoscaler_changed,
    "IPAddress": network_policies.ip_address_changed,
    "Ingress": ingresses.ingress_changed,
    "IngressClass": ingresses.ingress_class_changed,
    "NetworkPolicy": network_policies.network_policy_changed,
    "ResourceSlice": slices.slice_changed,
    "RoleBinding": rbac.role_binding_changed,
    "RuntimeClass": leases.runtime_class_changed,
    "ServiceCIDR": network_policies.service_cidr_changed,
    "VolumeAttachment": attachments.attachment_changed,
    "VolumeAttributesClass": csi.attributes_class_changed,
}
CHANGED_AS_SENT: Mapping[str, Callable[[Object, Object, Object], Iterator[Cause]]] = {
    "ResourceClaim": devices.claim_changed,
    "ResourceClaimTemplate": devices.claim_template_changed,
}
OF_STATUS: Mapping[str, New] = {
    "FlowSchema": flow_control.status,
    "HorizontalPodAutoscaler": autoscaling.autoscaler_status,
    "Ingress": ingresses.ingress_status,
    "PriorityLevelConfiguration": flow_control.status,
    "VolumeAttachment": attachments.attachment_status,
}
STATUS_CHANGED: Mapping[str, Change] = {
    "CertificateSigningRequest": certificates.status_changed,
    "ResourceClaim": devices.status_changed,
}
