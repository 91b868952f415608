"""AllocatedState: the allocated devices of the cluster.

Source: dynamicresources/allocateddevices.go, structured/internal/allocatedstate.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from kube_objects.devices import Allocation, DeviceId


@dataclass(slots=True)
class AllocatedState:
    """Allocated devices: `devices` maps whole devices to the number of their claims, `shared` maps shared devices to
    the consumed amounts by capacity, in units of 10⁻⁹. Admin access allocates nothing.
    """

    devices: dict[DeviceId, int] = field(default_factory=dict)
    shared: dict[DeviceId, dict[str, int]] = field(default_factory=dict)
    _shares: dict[DeviceId, int] = field(default_factory=dict)

    @classmethod
    def from_allocations(cls, allocations: Iterable[Allocation]) -> "AllocatedState":
        state = cls()
        for allocation in allocations:
            state.add(allocation)
        return state

    def add(self, allocation: Allocation) -> None:
        for device in allocation.devices:
            if device.admin_access:
                continue
            if not device.share:
                self.devices[device.id] = self.devices.get(device.id, 0) + 1
                continue
            self._shares[device.id] = self._shares.get(device.id, 0) + 1
            in_use = self.shared.setdefault(device.id, {})
            for name, amount in device.consumed.items():
                in_use[name] = in_use.get(name, 0) + amount.nano

    def remove(self, allocation: Allocation) -> None:
        """Undo `add`."""
        for device in allocation.devices:
            if device.admin_access:
                continue
            holders = self._shares if device.share else self.devices
            holders[device.id] -= 1
            if device.share:
                in_use = self.shared[device.id]
                for name, amount in device.consumed.items():
                    in_use[name] -= amount.nano
            if not holders[device.id]:
                del holders[device.id]
                if device.share:
                    del self.shared[device.id]

    def __contains__(self, device: DeviceId) -> bool:
        """Return True if the device, or a part of it, is allocated."""
        return device in self.devices or device in self.shared
