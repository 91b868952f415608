"""Inventory: the cluster's devices, their allocations, and cached results per node, across attempts.

Changed slices or classes rebuild everything; claims are tracked one by one. A cached result is valid for equal claims
until a device in the node's pools is allocated or freed.
"""

from collections.abc import Mapping, Sequence

from kube_objects.devices import Allocation, DeviceClass, ResourceClaim
from kube_objects.node import Node
from scheduler_core.dra.allocator import Allocator
from scheduler_core.dra.pools import PoolIndex
from scheduler_core.dra.rules import AllocatorRules
from scheduler_core.dra.state import AllocatedState
from scheduler_core.framework.handle import Lister

_CLAIM, _SLICE, _CLASS = "ResourceClaim", "ResourceSlice", "DeviceClass"
# Cached sets of equal claims; one more drops all of them.
_MAX_CLAIM_SETS = 64


# Node name → (the node, its allocations or None).
Answers = dict[str, tuple[Node, Sequence[Allocation] | None]]


class Inventory:
    """The devices for one plugin. `in_flight`: claims by uid, as they will be when their pods are bound."""

    def __init__(self, rules: AllocatorRules, lister: Lister, in_flight: Mapping[str, ResourceClaim]) -> None:
        self._rules = rules
        self._lister = lister
        self._in_flight = in_flight
        self._state = AllocatedState()
        self._stored: dict[str, Allocation] = {}  # claim uid → stored allocation
        self._uids: dict[str, str] = {}  # claim key → uid
        self._flying: dict[str, Allocation | None] = {}
        self._counted: dict[str, Allocation] = {}
        self._seen = {_CLAIM: -1, _SLICE: -1, _CLASS: -1}
        self._index = PoolIndex(rules, ())
        self._classes: Mapping[str, DeviceClass] = {}
        self._answers: dict[object, Answers] = {}

    def allocator(self) -> Allocator:
        """Return an allocator for an attempt that starts now."""
        self._follow_claims()
        if self._is_new(_SLICE):
            self._index = PoolIndex(self._rules, self._lister.list(_SLICE))
            self._answers.clear()
        if self._is_new(_CLASS):
            self._classes = {device_class.name: device_class for device_class in self._lister.list(_CLASS)}
            self._answers.clear()
        return Allocator(self._rules, self._state, self._classes, self._index)

    def _is_new(self, kind: str) -> bool:
        before, self._seen[kind] = self._seen[kind], self._lister.revision(kind)
        return before != self._seen[kind]

    # Allocated devices

    def _follow_claims(self) -> None:
        changed = {*self._flying, *self._in_flight}
        for key in self._lister.changed_since(_CLAIM, self._seen[_CLAIM]):
            claim: ResourceClaim | None = self._lister.get(_CLAIM, key)
            before = self._uids.get(key)
            if before is not None and (claim is None or claim.uid != before):
                del self._uids[key]
                self._stored.pop(before, None)
                changed.add(before)
            if claim is not None:
                self._uids[key] = claim.uid
                changed.add(claim.uid)
                if claim.allocation is None:
                    self._stored.pop(claim.uid, None)
                else:
                    self._stored[claim.uid] = claim.allocation
        self._seen[_CLAIM] = self._lister.revision(_CLAIM)
        self._flying = {uid: claim.allocation for uid, claim in self._in_flight.items()}
        for uid in changed:
            self._count(uid, self._flying[uid] if uid in self._flying else self._stored.get(uid))

    def _count(self, uid: str, allocation: Allocation | None) -> None:
        before = self._counted.pop(uid, None)
        if allocation is not None:
            self._counted[uid] = allocation
        if before is allocation:
            return
        if before is not None:
            self._state.remove(before)
        if allocation is not None:
            self._state.add(allocation)
        for changed in (before, allocation):
            for device in () if changed is None else changed.devices:
                for node in self._index.users(device.id.driver, device.id.pool):
                    for answers in self._answers.values():
                        answers.pop(node, None)

    # Cached results

    def answers(self, claims: Sequence[ResourceClaim]) -> Answers:
        """Return the cached results for equal claims; `ask` adds to them."""
        kind = tuple(repr((claim.requests, claim.constraints, claim.config)) for claim in claims)
        if len(self._answers) > _MAX_CLAIM_SETS:
            self._answers.clear()
        return self._answers.setdefault(kind, {})

    def ask(
        self, answers: Answers, allocator: Allocator, node: Node, claims: Sequence[ResourceClaim]
    ) -> Sequence[Allocation] | None:
        """Allocate as `allocator.allocate` does, and cache the result, but no exception."""
        allocations = allocator.allocate(node, claims)
        if not self._index.pools_of(node).share_counters:  # with shared counters it depends on other nodes, too
            answers[node.name] = (node, allocations)
        return allocations
