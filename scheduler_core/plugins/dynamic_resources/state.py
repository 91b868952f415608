"""DynamicResources' state for one pod, from PreFilter to its binding."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from kube_objects.devices import Allocation, ResourceClaim
from kube_objects.pod import Pod
from scheduler_core.dra.allocator import Allocator
from scheduler_core.dra.extended import Mappings
from scheduler_core.dra.inventory import Answers

STATE_KEY = "DynamicResources"


@dataclass(slots=True)
class State:
    """The data for one pod, shared by all clones of the CycleState, because other pods don't change the free
    devices.

    `found`: the allocations of `to_allocate`, by node. `unavailable`: positions of allocated claims that an evaluated
    node can't use. `deallocated`: the key of the claim that PostFilter deallocated.
    """

    pod: Pod
    claims: list[ResourceClaim] = field(default_factory=list)
    to_allocate: Sequence[ResourceClaim] = ()
    allocator: Allocator | None = None
    answers: Answers | None = None
    found: dict[str, Sequence[Allocation]] = field(default_factory=dict)
    shared: dict[str, ResourceClaim] = field(default_factory=dict)
    """By uid, claims that were allocated for another member in this cycle of the pod's group."""
    stuck: frozenset[int] = frozenset()
    """Positions of claims whose devices can't become ready; no node can use them."""
    unavailable: set[int] = field(default_factory=set)
    reserved: dict[str, ResourceClaim] = field(default_factory=dict)
    """By uid, the claims with the allocations that PreBind will write."""
    deallocated: str = ""
    # For extended resources that DeviceClasses provide (v1.36). `extended` is not stored before it is `created`.
    wanted: dict[str, int] = field(default_factory=dict)
    extended: ResourceClaim | None = None
    on_node: dict[str, tuple[ResourceClaim, Mappings]] = field(default_factory=dict)
    created: ResourceClaim | None = None
    deleted: str = ""

    def clone(self) -> Self:
        return self

    def allocation_of(self, claim: ResourceClaim) -> Allocation | None:
        """Return the claim's allocation, or the one that another member of the pod's group got."""
        shared = self.shared.get(claim.uid)
        return claim.allocation if shared is None else shared.allocation
