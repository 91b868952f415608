"""What is allocated in the cluster.

Source: dynamicresources/allocateddevices.go, structured/internal/allocatedstate.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from scheduler_core.objects.devices import Allocation, DeviceId


@dataclass(slots=True)
class AllocatedState:
    """`devices` are taken as a whole; of `shared` ones so much is consumed, by capacity, in units of 10⁻⁹.

    Access for administrators takes nothing.
    """

    devices: set[DeviceId] = field(default_factory=set)
    shared: dict[DeviceId, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, allocations: Iterable[Allocation]) -> "AllocatedState":
        state = cls()
        for allocation in allocations:
            for each in allocation.devices:
                if each.admin_access:
                    continue
                if not each.share:
                    state.devices.add(each.id)
                    continue
                in_use = state.shared.setdefault(each.id, {})
                for name, amount in each.consumed.items():
                    in_use[name] = in_use.get(name, 0) + amount.nano
        return state

    def __contains__(self, device: DeviceId) -> bool:
        """Whether somebody has it, or a part of it."""
        return device in self.devices or device in self.shared
