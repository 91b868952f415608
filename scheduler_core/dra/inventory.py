"""Inventory: the cluster's devices, what of them is taken, and what was found out about nodes, from attempt to attempt.

A change of slices or classes makes all of it anew; claims are followed one by one. An answer for a node holds for
claims that ask for the same, as long as nothing of the node's pools was taken or given back.
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
# Kinds of claims whose answers are remembered; with one more all of them are forgotten.
_MOST_KINDS = 64


# By the names of nodes: the node that was asked about, and its allocations or None.
Answers = dict[str, tuple[Node, Sequence[Allocation] | None]]


class Inventory:
    """One for each plugin. `in_flight`: claims, by uid, as they will be when their pods are bound."""

    def __init__(self, rules: AllocatorRules, lister: Lister, in_flight: Mapping[str, ResourceClaim]) -> None:
        self._rules = rules
        self._lister = lister
        self._in_flight = in_flight
        self._state = AllocatedState()
        self._stored: dict[str, Allocation] = {}  # by uid
        self._uids: dict[str, str] = {}  # by key
        self._flying: dict[str, Allocation | None] = {}
        self._counted: dict[str, Allocation] = {}
        self._seen = {_CLAIM: -1, _SLICE: -1, _CLASS: -1}
        self._index = PoolIndex(rules, ())
        self._classes: Mapping[str, DeviceClass] = {}
        self._answers: dict[object, Answers] = {}

    def allocator(self) -> Allocator:
        """For an attempt that begins."""
        self._follow_claims()
        if self._is_new(_SLICE):
            self._index = PoolIndex(self._rules, self._lister.list(_SLICE))
            self._answers.clear()
        if self._is_new(_CLASS):
            self._classes = {each.name: each for each in self._lister.list(_CLASS)}
            self._answers.clear()
        return Allocator(self._rules, self._state, self._classes, self._index)

    def _is_new(self, kind: str) -> bool:
        before, self._seen[kind] = self._seen[kind], self._lister.revision(kind)
        return before != self._seen[kind]

    # What is taken

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
        for each in (before, allocation):
            for device in () if each is None else each.devices:
                for node in self._index.users(device.id.driver, device.id.pool):
                    for answers in self._answers.values():
                        answers.pop(node, None)

    # What was found out

    def answers(self, claims: Sequence[ResourceClaim]) -> Answers:
        """Those for claims that ask for the same; `ask` adds to them."""
        kind = tuple(repr((claim.requests, claim.constraints, claim.config)) for claim in claims)
        if len(self._answers) > _MOST_KINDS:
            self._answers.clear()
        return self._answers.setdefault(kind, {})

    def ask(
        self, answers: Answers, allocator: Allocator, node: Node, claims: Sequence[ResourceClaim]
    ) -> Sequence[Allocation] | None:
        """As `allocator.allocate`; what it raises is not remembered."""
        found = allocator.allocate(node, claims)
        if not self._index.of(node).share_counters:  # else it depends on the nodes that were asked before
            answers[node.name] = (node, found)
        return found
