"""AllocatorRules: differences between the allocators of kube-scheduler's versions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AllocatorRules:
    """Features that are enabled by default, and changed behavior.

    `skips_bad_pools`: incomplete or invalid pools are skipped, and reported only if nothing else is found; before, an
    invalid pool was an error, and an incomplete one was used. `names_class_requests`: a class' configuration is written
    once, with the requests it is for. `loses_alternative`: a search for All devices of an alternative continues with
    the first alternative (a bug in v1.34).
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
