"""What differs between the allocators of kube-scheduler's versions, as data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AllocatorRules:
    """Features that are on by default, and the behaviour that changed.

    `skips_bad_pools`: pools that are incomplete or invalid are left alone, and say so only when nothing else is found;
    before, an invalid pool ended the search with an error, and an incomplete one was used.
    `names_class_requests`: configuration of a class is written once, with the requests it is for.
    `loses_alternative`: the search for All devices of an alternative goes on with the first alternative.
    """

    partitionable_devices: bool
    device_taints: bool
    consumable_capacity: bool
    extended_resources: bool
    binding_conditions: bool
    skips_bad_pools: bool
    names_class_requests: bool
    loses_alternative: bool
    prioritized_list: bool = True


V1_34 = AllocatorRules(
    partitionable_devices=False,
    device_taints=False,
    consumable_capacity=False,
    extended_resources=False,
    binding_conditions=False,
    skips_bad_pools=False,
    names_class_requests=False,
    loses_alternative=True,
)
V1_36 = AllocatorRules(
    partitionable_devices=True,
    device_taints=True,
    consumable_capacity=True,
    extended_resources=True,
    binding_conditions=True,
    skips_bad_pools=True,
    names_class_requests=True,
    loses_alternative=False,
)
