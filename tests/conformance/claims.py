"""The claims of a pod, in the form of recorded test cases (FORMAT section 7)."""

from collections.abc import Mapping
from typing import Any

from kube_objects.devices import (
    EXTENDED_RESOURCE_CLAIM,
    AllocatedDevice,
    Allocation,
    DeviceRequest,
    ResourceClaim,
)
from kube_objects.selectors import node_selector_json
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Lister
from scheduler_core.plugins.dynamic_resources.state import STATE_KEY, State

MANY = 20


def given(lister: Lister, state: CycleState) -> dict[str, Any]:
    """Return the claims of a placed pod, as they are stored afterwards."""
    data = state.find(STATE_KEY)
    if not isinstance(data, State):
        return {}
    stored = [lister.get("ResourceClaim", claim.key) for claim in (*data.claims, data.created) if claim is not None]
    return {claim.key: _claim(claim) for claim in stored if claim is not None and claim.allocation is not None}


def extended(state: CycleState, node: str) -> dict[str, Any]:
    """Return the pod's status of the claim for its extended resources."""
    data = state.find(STATE_KEY)
    if not isinstance(data, State) or data.created is None:
        return {}
    return {"extendedResourceClaim": {"claim": data.created.name, "requestMappings": data.on_node[node][1]}}


def deallocated(state: CycleState) -> dict[str, Any]:
    """Return the claim that PostFilter deallocated."""
    data = state.find(STATE_KEY)
    if not isinstance(data, State):
        return {}
    fields = {"deallocated": [data.deallocated], "deletedClaims": [data.deleted]}
    return {name: value for name, value in fields.items() if value != [""]}


def _claim(claim: ResourceClaim) -> Mapping[str, Any]:
    allocation = claim.allocation or Allocation()
    consumers = [consumer.name for consumer in claim.reserved_for]
    selector = allocation.node_selector
    fields = {
        "requests": [_request(request) for request in claim.requests] if _is_made(claim) else [],
        "devices": [_device(device) for device in allocation.devices],
        "config": list(allocation.config),
        "reservedFor": consumers if len(consumers) <= MANY else [f"{len(consumers)} entries"],
        "finalizers": list(claim.finalizers),
    }
    return {
        "nodeSelector": None if selector is None else node_selector_json(selector),
        **{name: value for name, value in fields.items() if value},
    }


def _is_made(claim: ResourceClaim) -> bool:
    return claim.annotations.get(EXTENDED_RESOURCE_CLAIM) == "true"


def _request(request: DeviceRequest) -> Mapping[str, Any]:
    exactly = {"deviceClassName": request.class_name, "allocationMode": request.mode, "count": request.count}
    return {"name": request.name, "exactly": exactly}


def _device(device: AllocatedDevice) -> Mapping[str, Any]:
    fields = {
        "request": device.request,
        "driver": device.id.driver,
        "pool": device.id.pool,
        "device": device.id.device,
        "adminAccess": device.admin_access,
        "shared": bool(device.share),
        "consumedCapacity": {name: str(amount) for name, amount in device.consumed.items()},
        "tolerations": list(device.tolerations),
    }
    return {name: value for name, value in fields.items() if value}
