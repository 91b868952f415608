"""What DynamicResources remembers of a pod from PreFilter to its binding."""

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
    """Shared by all copies of the CycleState: no pod that comes or goes changes which devices are free.

    `found`: the allocations of the claims to be allocated, by node. `unavailable`: positions of claims that are
    allocated, and not for a node that was looked at. `deallocated`: the claim that PostFilter let go of.
    """

    pod: Pod
    claims: list[ResourceClaim] = field(default_factory=list)
    to_allocate: Sequence[ResourceClaim] = ()
    allocator: Allocator | None = None
    answers: Answers | None = None
    found: dict[str, Sequence[Allocation]] = field(default_factory=dict)
    shared: dict[str, ResourceClaim] = field(default_factory=dict)
    """By uid, claims that another member of the pod's group has been given devices for in this cycle of the group."""
    stuck: frozenset[int] = frozenset()
    """Positions of claims whose devices will not get ready: they are available nowhere."""
    unavailable: set[int] = field(default_factory=set)
    reserved: dict[str, ResourceClaim] = field(default_factory=dict)
    """By uid, the claims with what they will be given."""
    deallocated: str = ""
    # For extended resources that devices stand behind (v1.36). Until it is created the claim is not in the store.
    wanted: dict[str, int] = field(default_factory=dict)
    extended: ResourceClaim | None = None
    on_node: dict[str, tuple[ResourceClaim, Mappings]] = field(default_factory=dict)
    created: ResourceClaim | None = None
    deleted: str = ""

    def clone(self) -> Self:
        return self

    def allocation_of(self, claim: ResourceClaim) -> Allocation | None:
        """What a claim has been given before, by another member of the pod's group perhaps."""
        shared = self.shared.get(claim.uid)
        return claim.allocation if shared is None else shared.allocation
