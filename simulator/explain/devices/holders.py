"""Holders of devices: the claims that each device is allocated to, and the capacity that each consumes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from kube_objects.devices import AllocatedDevice, DeviceId, ResourceClaim
from scheduler_core.framework.handle import Lister


class ExplainedHolder(TypedDict):
    claim: str
    request: str
    pods: list[str]
    admin: bool
    consumed: dict[str, str]


@dataclass(slots=True, frozen=True)
class DeviceHolder:
    """One claim's allocation of a device."""

    claim: ResourceClaim
    device: AllocatedDevice

    def as_dict(self) -> ExplainedHolder:
        return {
            "claim": self.claim.key,
            "request": self.device.request,
            "pods": [
                f"{self.claim.namespace}/{consumer.name}"
                for consumer in self.claim.reserved_for
                if consumer.resource == "pods"
            ],
            "admin": bool(self.device.admin_access),
            "consumed": {name: str(amount) for name, amount in self.device.consumed.items()},
        }


def allocated_claims(lister: Lister, in_flight: Mapping[str, ResourceClaim]) -> Iterable[ResourceClaim]:
    """Return the claims that have devices; claims in flight come in their future form."""
    stored = (claim for claim in lister.list("ResourceClaim") if claim.uid not in in_flight)
    return [claim for claim in (*stored, *in_flight.values()) if claim.allocation is not None]


def holders_by_device(lister: Lister, in_flight: Mapping[str, ResourceClaim]) -> dict[DeviceId, list[DeviceHolder]]:
    """Return the holders of each device in the order in which their claims were created."""
    by_device: dict[DeviceId, list[DeviceHolder]] = {}
    for claim in allocated_claims(lister, in_flight):
        assert claim.allocation is not None
        for device in claim.allocation.devices:
            by_device.setdefault(device.id, []).append(DeviceHolder(claim, device))
    return by_device
