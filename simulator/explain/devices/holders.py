"""Who has which device, and what is left of what devices share."""

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
class Held:
    """One claim's part of a device."""

    claim: ResourceClaim
    device: AllocatedDevice

    def as_dict(self) -> ExplainedHolder:
        return {
            "claim": self.claim.key,
            "request": self.device.request,
            "pods": [f"{self.claim.namespace}/{one.name}" for one in self.claim.reserved_for if one.resource == "pods"],
            "admin": bool(self.device.admin_access),
            "consumed": {name: str(amount) for name, amount in self.device.consumed.items()},
        }


def allocated_claims(lister: Lister, in_flight: Mapping[str, ResourceClaim]) -> Iterable[ResourceClaim]:
    """Those that have devices, claims in flight as they will be."""
    stored = (claim for claim in lister.list("ResourceClaim") if claim.uid not in in_flight)
    return [claim for claim in (*stored, *in_flight.values()) if claim.allocation is not None]


def holders(lister: Lister, in_flight: Mapping[str, ResourceClaim]) -> dict[DeviceId, list[Held]]:
    """By device, in the order of the claims' creation."""
    found: dict[DeviceId, list[Held]] = {}
    for claim in allocated_claims(lister, in_flight):
        assert claim.allocation is not None
        for device in claim.allocation.devices:
            found.setdefault(device.id, []).append(Held(claim, device))
    return found
