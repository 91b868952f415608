"""The structured allocator: devices on one node for all claims of a pod, or none.

It searches depth-first, claim by claim, request by request, device by device, and goes back if no device is left.
Source: dynamic-resource-allocation/structured/internal/stable/allocator_stable.go (v1.34),
incubating/allocator_incubating.go (v1.36).
"""

from collections.abc import Mapping, Sequence

from kube_objects.devices import (
    ALL,
    MAX_RESULTS,
    NO_EXECUTE,
    NO_SCHEDULE,
    Allocation,
    Device,
    DeviceClass,
    DeviceId,
    DeviceRequest,
    ResourceClaim,
)
from kube_objects.node import Node
from kube_objects.quantity import Quantity
from kube_objects.taints import tolerates
from kube_objects.text.errors import SelectorError
from scheduler_core.dra import capacity, selectors
from scheduler_core.dra.constraints import ClaimConstraint
from scheduler_core.dra.errors import AllocationError, NodeAllocationError
from scheduler_core.dra.pools import Pool, PoolIndex, is_on
from scheduler_core.dra.request_data import Candidate, Key, RequestData, Taken, check_requests
from scheduler_core.dra.results import build_allocation
from scheduler_core.dra.rules import AllocatorRules
from scheduler_core.dra.state import AllocatedState

BAD_POOLS = "invalid resource pools were encountered"


class _TooManyError(Exception):
    """Raised if a claim would get too many devices; another alternative may request fewer."""


class Allocator:
    """An allocator for one pod; `state` and the pools of `index` are those of the cluster at its creation."""

    def __init__(
        self, rules: AllocatorRules, state: AllocatedState, classes: Mapping[str, DeviceClass], index: PoolIndex
    ) -> None:
        self.rules = rules
        self.state = state
        self.classes = classes
        self.index = index
        # By the pool's name alone, as upstream has it, so pools of one name share their counters.
        self._available: dict[str, dict[tuple[str, str], int]] = {}

    def allocate(self, node: Node, claims: Sequence[ResourceClaim]) -> list[Allocation] | None:
        """Return an allocation for each claim, or None. Raises AllocationError, NodeAllocationError."""
        return self.conclude(Search(self, node, claims, self.pools_of(node)))

    def conclude(self, search: "Search") -> list[Allocation] | None:
        """Run a search and return its allocations, or None."""
        if search.run():
            return [
                build_allocation(claim, search.taken[i], search.chosen_of(i), search.node.name, self.rules)
                for i, claim in enumerate(search.claims)
            ]
        if self.rules.skips_bad_pools and any(pool.invalid for pool in search.pools):
            raise NodeAllocationError(BAD_POOLS)
        return None

    def pools_of(self, node: Node) -> Sequence[Pool]:
        """Return the pools with devices for a node."""
        return self.index.pools_of(node).pools

    def available(self, pool: Pool) -> Mapping[tuple[str, str], int]:
        """Return what is left of a pool's counters, by counter set and name, in units of 10⁻⁹."""
        known = self._available.get(pool.name)
        if known is not None:
            return known
        left = {(group, name): amount.nano for group, all_ in pool.counters.items() for name, amount in all_.items()}
        for resource_slice in (*pool.slices, *pool.elsewhere):
            for device in resource_slice.devices:
                if pool.id_of(device) in self.state:
                    for consumed in device.consumes_counters:
                        for name, amount in consumed.counters.items():
                            if (consumed.counter_set, name) in left:
                                left[consumed.counter_set, name] -= amount.nano
        self._available[pool.name] = left
        return left


class Search:
    """A search on one node. `taken` has the devices of each claim so far."""

    def __init__(
        self, allocator: Allocator, node: Node, claims: Sequence[ResourceClaim], pools: Sequence[Pool]
    ) -> None:
        self.allocator, self.rules, self.node, self.claims, self.pools = allocator, allocator.rules, node, claims, pools
        self.taken: list[list[Taken]] = [[] for _ in claims]
        self._matches: dict[tuple[Key, int], bool] = {}
        self._requests: dict[Key, RequestData] = {}
        self._constraints: list[list[ClaimConstraint]] = []
        self._chosen: dict[tuple[int, int], int] = {}
        self._in_claims: dict[DeviceId, list[int]] = {}
        self._capacity: dict[DeviceId, list[Mapping[str, Quantity]]] = {}
        self._counters: dict[str, dict[tuple[str, str], int]] = {}

    def run(self) -> bool:
        """Return True if devices were found for all claims. Raises AllocationError."""
        for index, claim in enumerate(self.claims):
            shifted = self.rules.loses_alternative
            requests = check_requests(index, claim, self.pools, self.allocator.classes, self._may_have_all, shifted)
            self._requests |= requests
            self._constraints.append([ClaimConstraint(rule) for rule in claim.constraints])
            for number, rule in enumerate(claim.constraints):
                if not (rule.match_attribute or (rule.distinct_attribute and self.rules.consumable_capacity)):
                    text = "empty constraint (unsupported constraint type?)"
                    raise AllocationError(f"claim {claim.key}, constraint #{number}: {text}")
        self._matches.clear()
        try:
            return self._claim(0)
        except _TooManyError as error:
            raise AllocationError("allocation max size exceeded") from error

    def chosen_of(self, claim: int) -> list[RequestData]:
        """Return, for each request of a claim, the request itself or the chosen alternative."""
        return [
            self._requests[claim, position, self._chosen.get((claim, position), 0)]
            for position in range(len(self.claims[claim].requests))
        ]

    # The search: each step returns True if it and all later steps succeed

    def _claim(self, claim: int) -> bool:
        if claim >= len(self.claims):
            return True
        return self._request(claim, 0)

    def _request(self, claim: int, request: int) -> bool:
        if request >= len(self.claims[claim].requests):
            try:
                return self._claim(claim + 1)
            except _TooManyError:
                return False
        alternatives = self.claims[claim].requests[request].alternatives
        if not alternatives:
            return self._device((claim, request, 0), 0, (0, 0, 0))
        all_too_many = True
        for number in range(len(alternatives)):
            try:
                succeeded = self._device((claim, request, number), 0, (0, 0, 0))
            except _TooManyError:
                continue
            all_too_many = False
            if succeeded:
                self._chosen[claim, request] = number
                return True
        if all_too_many:
            raise _TooManyError
        return False

    def _device(self, key: Key, number: int, start: tuple[int, int, int]) -> bool:
        """Find device `number` of a request, from position `start` (pool, slice, device) on."""
        claim, request, _ = key
        data = self._requests[key]
        takes_all = data.request.mode == ALL
        if takes_all and not data.every:
            return False
        if number >= data.count:
            return self._request(claim, request + 1)
        if len(self.taken[claim]) + data.count - number > MAX_RESULTS:
            if self.rules.skips_bad_pools:
                raise _TooManyError
            return False
        if takes_all:
            return self._all_devices(key, data, number)
        return self._any_device(key, data, number, start)

    def _all_devices(self, key: Key, data: RequestData, number: int) -> bool:
        taken = self._take(key, data, data.every[number], must=True)
        if taken is None:
            return False
        following = (key[0], key[1], 0) if self.rules.loses_alternative else key
        return self._or_give_back(key, taken, following, number + 1, (0, 0, 0))

    def _any_device(self, key: Key, data: RequestData, number: int, start: tuple[int, int, int]) -> bool:
        for pool_index in range(start[0], len(self.pools)):
            pool = self.pools[pool_index]
            if self.rules.skips_bad_pools and (pool.is_incomplete or pool.invalid):
                continue
            if pool.invalid:
                raise AllocationError(f"pool {pool.name} is invalid: {pool.invalid}")
            same_pool = pool_index == start[0]
            for slice_index in range(start[1] if same_pool else 0, len(pool.slices)):
                own = pool.slices[slice_index]
                first = start[2] if same_pool and slice_index == start[1] else 0
                for device_index in range(first, len(own.devices)):
                    candidate = Candidate(pool, own, own.devices[device_index])
                    if not self._may_have(key, data, candidate):
                        continue
                    taken = self._take(key, data, candidate, must=False)
                    if taken is None:
                        continue
                    if self._or_give_back(key, taken, key, number + 1, (pool_index, slice_index, device_index + 1)):
                        return True
        return False

    def _or_give_back(self, key: Key, taken: Taken, following: Key, number: int, start: tuple[int, int, int]) -> bool:
        """Continue after a device was taken; free it again if the search fails."""
        try:
            succeeded = self._device(following, number, start)
        except _TooManyError:
            self._give_back(key, taken)
            raise
        if not succeeded:
            self._give_back(key, taken)
        return succeeded

    # One device

    def _may_have_all(self, key: Key, data: RequestData, candidate: Candidate) -> bool:
        return self._is_selectable(key, data, candidate) and self._has_capacity(data.request, candidate)

    def _may_have(self, key: Key, data: RequestData, candidate: Candidate) -> bool:
        return (
            not self._in_use(key[0], data.request, candidate.pool.id_of(candidate.device))
            and self._is_selectable(key, data, candidate)
            and self._has_capacity(data.request, candidate)
        )

    def _in_use(self, claim: int, request: DeviceRequest, device: DeviceId) -> bool:
        holders = self._in_claims.get(device, ())
        if request.admin_access:
            return claim in holders
        return device in self.allocator.state.devices or bool(holders)

    def _is_selectable(self, key: Key, data: RequestData, candidate: Candidate) -> bool:
        known = self._matches.get((key, id(candidate.device)))
        if known is None:
            known = self._selects(key[0], data, candidate)
            self._matches[key, id(candidate.device)] = known
        return known

    def _selects(self, claim: int, data: RequestData, candidate: Candidate) -> bool:
        device = candidate.device
        if device.binding_conditions and not self.rules.binding_conditions:
            return False
        about = (
            (f"class {data.device_class.name}", data.device_class.selectors),
            (f"claim {self.claims[claim].key}", data.request.selectors),
        )
        for whose, expressions in about:
            for number, expression in enumerate(expressions):
                try:
                    if not selectors.device_matches(expression, candidate.slice.driver, device):
                        return False
                except SelectorError as error:
                    raise AllocationError(f"{whose}: selector #{number}: {error}") from error
        if not candidate.slice.per_device_node_selection:
            return True
        return is_on(self.node, device.node_name, device.all_nodes, device.node_selector)

    def _has_capacity(self, request: DeviceRequest, candidate: Candidate) -> bool:
        if not self.rules.consumable_capacity:
            return True
        device = candidate.pool.id_of(candidate.device)
        in_use = dict(self.allocator.state.shared.get(device, {}))
        for consumed in self._capacity.get(device, ()):
            for name, amount in consumed.items():
                in_use[name] = in_use.get(name, 0) + amount.nano
        return capacity.has_enough_capacity(candidate.device, request.capacity, in_use)

    def _take(self, key: Key, data: RequestData, candidate: Candidate, must: bool) -> Taken | None:
        """Take a device, or return None if it can't be taken.

        Raises AllocationError if it `must` be and violates a constraint.
        """
        claim, device, request = key[0], candidate.device, data.request
        identity = candidate.pool.id_of(device)
        is_shared = self.rules.consumable_capacity and device.allow_multiple_allocations
        if self._in_use(claim, request, identity) and not (is_shared and request.admin_access):
            return None
        if device.consumes_counters and not self.rules.partitionable_devices:
            return None
        in_parts = is_shared and self._is_in_parts(identity)
        if not in_parts and not self._has_counters(candidate):
            return None
        if self.rules.device_taints and _has_untolerated_taint(device, request):
            return None
        if not self._add_to_constraints(claim, data, candidate):
            if must:
                raise AllocationError(
                    f"claim {self.claims[claim].key}, request {request.name}: cannot add device {identity} because a "
                    "claim constraint would not be satisfied"
                )
            return None
        if not self._has_capacity(request, candidate):
            self._remove_from_constraints(claim, data, len(self._constraints[claim]))
            return None
        consumed = capacity.consumed_capacity(device, request.capacity) if is_shared else {}
        taken = Taken(data, candidate, identity, is_shared, consumed)
        if is_shared:
            self._capacity.setdefault(identity, []).append(consumed)
        else:
            self._in_claims.setdefault(identity, []).append(claim)
        if not in_parts:
            self._count(candidate, 1)
        self.taken[claim].append(taken)
        return taken

    def _is_in_parts(self, device: DeviceId) -> bool:
        """Return True if a part of the device is allocated, which then counts in the counters."""
        return bool(self.allocator.state.shared.get(device)) or device in self._capacity

    def _give_back(self, key: Key, taken: Taken) -> None:
        claim = key[0]
        self.taken[claim].pop()
        if taken.is_shared:
            parts = self._capacity[taken.id]
            parts.pop()
            if not parts:
                del self._capacity[taken.id]
        else:
            self._in_claims[taken.id].remove(claim)
        if not (taken.is_shared and self._is_in_parts(taken.id)):
            self._count(taken.candidate, -1)
        self._remove_from_constraints(claim, taken.data, len(self._constraints[claim]))

    def _add_to_constraints(self, claim: int, data: RequestData, candidate: Candidate) -> bool:
        request, alternative = _names(data)
        for number, constraint in enumerate(self._constraints[claim]):
            if not constraint.add(request, alternative, candidate.device, candidate.pool.driver):
                self._remove_from_constraints(claim, data, number)
                return False
        return True

    def _remove_from_constraints(self, claim: int, data: RequestData, count: int) -> None:
        for constraint in reversed(self._constraints[claim][:count]):
            constraint.remove(*_names(data))

    def _has_counters(self, candidate: Candidate) -> bool:
        """Return True if the shared counters of the pool have room for the device."""
        if not candidate.device.consumes_counters:
            return True
        in_use = self._counters.get(candidate.pool.name, {})
        needed: dict[tuple[str, str], int] = dict(in_use)
        for consumed in candidate.device.consumes_counters:
            for name, amount in consumed.counters.items():
                needed[consumed.counter_set, name] = needed.get((consumed.counter_set, name), 0) + amount.nano
        available = self.allocator.available(candidate.pool)
        return all(remaining >= needed.get(name, 0) for name, remaining in available.items())

    def _count(self, candidate: Candidate, sign: int) -> None:
        in_use = self._counters.setdefault(candidate.pool.name, {})
        for consumed in candidate.device.consumes_counters:
            for name, amount in consumed.counters.items():
                in_use[consumed.counter_set, name] = in_use.get((consumed.counter_set, name), 0) + sign * amount.nano


def _names(data: RequestData) -> tuple[str, str]:
    """Return the names of the request and of its alternative, or ""."""
    return (data.parent.name, data.request.name) if data.parent else (data.request.name, "")


def _has_untolerated_taint(device: Device, request: DeviceRequest) -> bool:
    """Return True if the device has a taint that the request doesn't tolerate."""
    return any(
        taint.effect in (NO_SCHEDULE, NO_EXECUTE) and not any(tolerates(one, taint) for one in request.tolerations)
        for taint in device.taints
    )
