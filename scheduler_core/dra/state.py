"""What is allocated in the cluster.

Source: dynamicresources/allocateddevices.go, structured/internal/allocatedstate.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from kube_objects.devices import Allocation, DeviceId


@dataclass(slots=True)
class AllocatedState:
    """`devices` are taken as a whole, by so many claims; of `shared` ones so much is consumed, by capacity, in units
    of 10⁻⁹. Access for administrators takes nothing.
    """

    devices: dict[DeviceId, int] = field(default_factory=dict)
    shared: dict[DeviceId, dict[str, int]] = field(default_factory=dict)
    _shares: dict[DeviceId, int] = field(default_factory=dict)

    @classmethod
    def of(cls, allocations: Iterable[Allocation]) -> "AllocatedState":
        state = cls()
        for allocation in allocations:
            state.add(allocation)
        return state

    def add(self, allocation: Allocation) -> None:
        for each in allocation.devices:
            if each.admin_access:
                continue
            if not each.share:
                self.devices[each.id] = self.devices.get(each.id, 0) + 1
                continue
            self._shares[each.id] = self._shares.get(each.id, 0) + 1
            in_use = self.shared.setdefault(each.id, {})
            for name, amount in each.consumed.items():
                in_use[name] = in_use.get(name, 0) + amount.nano

    def remove(self, allocation: Allocation) -> None:
        """Undo `add`."""
        for each in allocation.devices:
            if each.admin_access:
                continue
            holders = self._shares if each.share else self.devices
            holders[each.id] -= 1
            if each.share:
                in_use = self.shared[each.id]
                for name, amount in each.consumed.items():
                    in_use[name] -= amount.nano
            if not holders[each.id]:
                del holders[each.id]
                if each.share:
                    del self.shared[each.id]

    def __contains__(self, device: DeviceId) -> bool:
        """Whether somebody has it, or a part of it."""
        return device in self.devices or device in self.shared
