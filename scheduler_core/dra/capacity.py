"""Consumable capacity: how much of a device a request consumes.

Source: structured/internal/incubating/consumable_capacity.go. Amounts are in units of 10⁻⁹, as `Quantity.nano`.
"""

from collections.abc import Mapping

from kube_objects.devices import CapacityRange, Device, DeviceCapacity
from kube_objects.quantity import BINARY_SI, Quantity

_NANO = 10**9


def consumed_capacity(device: Device, wanted: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Return the amount of each capacity that a request consumes: rounded up by its policy, or all of it by default."""
    return {name: _amount(wanted.get(name), capacity) for name, capacity in device.capacity.items()}


def has_enough_capacity(device: Device, wanted: Mapping[str, Quantity], in_use: Mapping[str, int]) -> bool:
    """Return True if the device has enough capacity left; `in_use` by capacity, in units of 10⁻⁹."""
    if any(name not in device.capacity for name in wanted):
        return False
    for name, amount in consumed_capacity(device, wanted).items():
        capacity = device.capacity[name]
        if violates_policy(amount, capacity) or in_use.get(name, 0) + amount.nano > capacity.value.nano:
            return False
    return True


def _amount(wanted: Quantity | None, capacity: DeviceCapacity) -> Quantity:
    policy = capacity.policy
    if wanted is None:
        return policy.default if policy is not None and policy.default is not None else capacity.value
    if policy is None:
        return wanted
    if policy.valid_range is not None and policy.valid_range.min is not None:
        return _rounded_up(wanted, policy.valid_range, policy.valid_range.min)
    return next((value for value in policy.valid_values if wanted.nano <= value.nano), wanted)


def _rounded_up(wanted: Quantity, limits: CapacityRange, least: Quantity) -> Quantity:
    if wanted.nano < least.nano:
        return least
    if limits.step is None:
        return wanted
    steps = -(-(wanted.value - least.value) // limits.step.value)
    return Quantity((least.value + limits.step.value * steps) * _NANO, BINARY_SI)


def violates_policy(amount: Quantity, capacity: DeviceCapacity) -> bool:
    """Return True if the capacity's policy doesn't allow the amount."""
    policy = capacity.policy
    if policy is None or amount == policy.default:
        return False
    limits = policy.valid_range
    if limits is not None:
        least = 0 if limits.min is None else limits.min.value
        return (limits.max is not None and amount.nano > limits.max.nano) or (
            limits.step is not None and (amount.value - least) % limits.step.value != 0
        )
    return bool(policy.valid_values) and all(amount.nano != value.nano for value in policy.valid_values)
