"""DynamicResources: allocate devices for the pod's ResourceClaims."""

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np

from kube_objects.devices import DELETE_PROTECTION, Allocation, Consumer, ResourceClaim
from kube_objects.pod import Pod
from kube_objects.text.go import SECOND
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.dra.allocator import Allocator
from scheduler_core.dra.errors import AllocationError, NodeAllocationError
from scheduler_core.dra.inventory import Answers, Inventory
from scheduler_core.dra.rules import V1_34, AllocatorRules
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    ReservePlugin,
)
from scheduler_core.framework.status import SKIP, SUCCESS, Code, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.dynamic_resources import args as args_of
from scheduler_core.plugins.dynamic_resources.binding import (
    LATE,
    OUT_OF_TIME,
    WAITING,
    BindingError,
    awaits_conditions,
    is_late,
    is_ready,
)
from scheduler_core.plugins.dynamic_resources.claims import NOT_FOUND, NOT_OWNER, ClaimError, list_pod_claims
from scheduler_core.plugins.dynamic_resources.hints import after_claim_change, after_pod_change
from scheduler_core.plugins.dynamic_resources.state import STATE_KEY, State

CANNOT_ALLOCATE = "cannot allocate all claims"
NOT_AVAILABLE = "resourceclaim not available on the node"
NO_CLAIMS = "no new claims to deallocate"
DEALLOCATED = "deallocation of ResourceClaim completed"
STILL_NOT = "still not schedulable"
_BINDING_TIMEOUT = 600 * SECOND

_NO_DEVICES = Status.unresolvable(CANNOT_ALLOCATE)


class DynamicResources(
    PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, PostFilterPlugin, ReservePlugin, PreBindPlugin, EnqueueExtensions
):
    """The DRA plugin.

    Between Reserve and PreBind a claim is in flight: its devices are allocated, but not written to it yet.
    Source: pkg/scheduler/framework/plugins/dynamicresources.
    """

    name = "DynamicResources"
    args_rules = args_of.RULES
    rules: ClassVar[AllocatorRules] = V1_34
    not_owner: ClassVar[str] = NOT_OWNER

    def __init__(self, handle: Handle, poll_timeout: float = _BINDING_TIMEOUT / SECOND) -> None:
        self._handle = handle
        self._poll_timeout = poll_timeout
        self._sharers: dict[str, int] = {}  # by uid, of claims in flight

    @cached_property
    def _inventory(self) -> Inventory:
        return Inventory(self.rules, self._handle.lister, self._handle.in_flight)

    @property
    def _in_flight(self) -> dict[str, ResourceClaim]:
        return self._handle.in_flight

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        """Build the plugin; of its timeouts only that of PreBind has an effect."""
        timeout = getattr(args, "binding_timeout", None)
        return cls(handle, (_BINDING_TIMEOUT if timeout is None else timeout) / SECOND)

    def pre_enqueue(self, pod: Pod) -> Status:
        try:
            list_pod_claims(pod, self._handle.lister, self.not_owner)
        except ClaimError as error:
            return Status.unresolvable(str(error))
        return SUCCESS

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        data = State(pod=pod)
        state.write(STATE_KEY, data)
        try:
            claims = self._claims(pod, data)
        except ClaimError as error:
            return PreFilterResult(Status.unresolvable(str(error)))
        if not claims:
            return PreFilterResult(SKIP)
        data.shared = {claim.uid: self._in_flight[claim.uid] for claim in claims if self._is_shared_in_group(claim)}
        for claim in claims:
            if claim.allocation is not None or claim.uid in data.shared:
                continue
            if message := self._cannot_be_allocated(claim):
                return PreFilterResult(Status.unresolvable(message))
        data.claims = claims
        data.to_allocate = [claim for claim in claims if claim.allocation is None and claim.uid not in data.shared]
        if self.rules.binding_conditions:
            allocated = [position for position, claim in enumerate(claims) if claim.allocation is not None]
            data.stuck = frozenset(position for position in allocated if self._is_stuck(claims[position]))
        if data.to_allocate:
            data.allocator = self._inventory.allocator()
            data.answers = self._inventory.answers(data.to_allocate)
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return not pod.resource_claims

    def _claims(self, pod: Pod, data: State) -> list[ResourceClaim]:
        """Return the pod's claims. Raises ClaimError."""
        return list_pod_claims(pod, self._handle.lister, self.not_owner)

    def _cannot_be_allocated(self, claim: ResourceClaim) -> str:
        if claim.uid in self._in_flight:
            return f"resource claim {claim.key} is in the process of being allocated"
        for request in claim.requests:
            if request.alternatives and not self.rules.prioritized_list:
                off = "has subrequests, but the DRAPrioritizedList feature is disabled"
                return f"resource claim {claim.key}, request {request.name}: {off}"
            for alternative in request.alternatives or (request,):
                if self._handle.lister.get("DeviceClass", alternative.class_name) is None:
                    name = f"{request.name}/{alternative.name}" if request.alternatives else request.name
                    return f"request {name}: device class {alternative.class_name} does not exist"
        return ""

    def allocator(self) -> Allocator:
        """Return an allocator for the cluster as it is now."""
        return self._inventory.allocator()

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        data: State = state.read(STATE_KEY)
        if not data.claims:
            return Verdicts.all_pass(len(nodes))
        if (
            data.answers is None
            or data.extended is not None
            or data.shared
            or len(data.to_allocate) != len(data.claims)
        ):
            return Verdicts.from_statuses([self._filter_node(data, node) for node in nodes])
        return self._filter_known(data, data.answers, nodes)

    def _filter_known(self, data: State, answers: Answers, nodes: Nodes) -> Verdicts:
        """Filter with cached results for the nodes that haven't changed since."""
        codes = np.zeros(len(nodes), np.int32)
        index = {SUCCESS: 0, _NO_DEVICES: 1}
        objects, allocations = nodes.table.nodes, data.found
        for i, row in enumerate(nodes.row_numbers.tolist()):
            node = objects[row]
            known = answers.get(node.name)
            if known is None or known[0] is not node:
                status = self._filter_node(data, NodeView(nodes.table, row))
                codes[i] = index.setdefault(status, len(index))
            elif known[1] is None:
                codes[i] = 1
            else:
                allocations[node.name] = known[1]
        return Verdicts(codes, list(index))

    def claims_to_allocate(self, data: State, node: NodeView) -> Sequence[ResourceClaim] | Status:
        """Return the claims to allocate on a node, or a status if none is."""
        return data.to_allocate

    def _filter_node(self, data: State, node: NodeView) -> Status:
        claims = self.claims_to_allocate(data, node)
        if isinstance(claims, Status):
            return claims
        unavailable = [
            position
            for position, claim in enumerate(data.claims)
            if claim.allocation is not None and (position in data.stuck or not _is_available(claim.allocation, node))
        ]
        allocations: Sequence[Allocation] | None = None
        if data.allocator is not None:
            try:
                if data.answers is not None and claims is data.to_allocate:
                    allocations = self._inventory.ask(data.answers, data.allocator, node.node, claims)
                else:
                    allocations = data.allocator.allocate(node.node, claims)
            except NodeAllocationError as error:
                return Status.unresolvable(str(error))
            except AllocationError as error:
                return Status.error(str(error))
            if allocations is None:
                return _NO_DEVICES
        if unavailable:
            data.unavailable.update(unavailable)
            return Status.unresolvable(NOT_AVAILABLE)
        if allocations is not None:
            data.found[node.name] = allocations
        return SUCCESS

    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        data: State = state.read(STATE_KEY)
        if not data.claims:
            return PostFilterResult(Status.unschedulable(NO_CLAIMS))
        for position in sorted(data.unavailable):
            claim = data.claims[position]
            is_ours = [consumer.uid for consumer in claim.reserved_for] in ([], [pod.uid])
            if is_ours and claim is not data.extended:
                free = copy.copy(claim)
                free.allocation, free.reserved_for, free.device_statuses = None, (), ()
                self._handle.writer.update(free)
                data.deallocated = claim.key
                return PostFilterResult(Status.unschedulable(DEALLOCATED))
        return PostFilterResult(Status.unschedulable(STILL_NOT))

    def reserve(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        data: State = state.read(STATE_KEY)
        for uid, allocated in data.shared.items():
            self._signal(uid, allocated, data)
        if data.allocator is None:
            return SUCCESS
        allocations = data.found.get(node_name)
        if allocations is None:
            return Status.error("claim allocation not found for node")
        for claim, allocation in zip(data.to_allocate, allocations, strict=True):
            allocated = copy.copy(claim)
            allocated.allocation = allocation
            if DELETE_PROTECTION not in allocated.finalizers:
                allocated.finalizers = (*allocated.finalizers, DELETE_PROTECTION)
            self._signal(claim.uid, allocated, data)
        return SUCCESS

    # Claims that the members of a pod group share. Source: dra_manager.go inFlightAllocations, podGroupStateData

    def _is_shared_in_group(self, claim: ResourceClaim) -> bool:
        group = self._handle.group
        is_theirs = group is not None and claim.uid in group.get(STATE_KEY, ())
        return is_theirs and claim.allocation is None and claim.uid in self._in_flight

    def _signal(self, uid: str, allocated: ResourceClaim, data: State) -> None:
        """Mark the claim as in flight with this allocation, until all pods that share it are bound or unreserved."""
        self._sharers[uid] = self._sharers.get(uid, 0) + 1 if uid in data.shared else 1
        if self._sharers[uid] == 1:
            self._in_flight[uid] = allocated
        data.reserved[uid] = self._in_flight[uid]
        if self._handle.group is not None:
            self._handle.group.setdefault(STATE_KEY, set()).add(uid)

    def _release(self, uid: str) -> None:
        self._sharers[uid] = self._sharers.get(uid, 1) - 1
        if self._sharers[uid] <= 0:
            self._landed(uid)
            if self._handle.group is not None:
                self._handle.group.get(STATE_KEY, set()).discard(uid)

    def _landed(self, uid: str) -> None:
        """End the claim's flight: its allocation was written, or dropped."""
        self._in_flight.pop(uid, None)
        self._sharers.pop(uid, None)

    def unreserve(self, state: CycleState, pod: Pod, node_name: str) -> None:
        data: State | None = state.find(STATE_KEY)
        if data is None:
            return
        for uid in data.reserved:
            self._release(uid)
        data.reserved.clear()
        for claim in data.claims:
            stored = self._handle.lister.get("ResourceClaim", claim.key)
            if isinstance(stored, ResourceClaim) and stored.allocation is not None and stored.is_reserved_for(pod.uid):
                freed = copy.copy(stored)
                freed.reserved_for = tuple(consumer for consumer in stored.reserved_for if consumer.uid != pod.uid)
                self._handle.writer.update(freed)

    def pre_bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        data: State = state.read(STATE_KEY)
        for claim in data.claims:
            status = self._bind(data, claim, pod, node_name)
            if not status.is_success:
                return status
        return self._until_ready(state, pod, node_name) if self.rules.binding_conditions else SUCCESS

    # Binding conditions (v1.36)

    def _is_stuck(self, claim: ResourceClaim) -> bool:
        """Return True if the claim's devices failed to become ready, or timed out."""
        try:
            return not is_ready(claim) and is_late(claim, self._poll_timeout, self._handle.writer.time())
        except BindingError:
            return True

    def _until_ready(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        claims = (self._handle.lister.get("ResourceClaim", key) for key in _keys(state.read(STATE_KEY)))
        if not any(awaits_conditions(claim) for claim in claims if claim is not None):
            return SUCCESS
        text = WAITING.format(node=node_name)
        self._handle.writer.record(pod, "Normal", "BindingConditionsPending", text)
        status = self.poll(state, pod, self._handle.now)
        return Status(Code.WAIT, (text,)) if status.is_wait else status

    @property
    def poll_timeout(self) -> float:
        return self._poll_timeout

    def poll(self, state: CycleState, pod: Pod, now: float) -> Status:
        """Return whether the pod's devices are ready. Source: isPodReadyForBinding."""
        time = self._handle.writer.time() + now - self._handle.now
        for key in _keys(state.read(STATE_KEY)):
            claim = self._handle.lister.get("ResourceClaim", key)
            if not isinstance(claim, ResourceClaim):
                return Status.error(NOT_FOUND.format(claim=key))
            try:
                if is_ready(claim):
                    continue
            except BindingError as error:
                return Status.error(str(error))
            late = is_late(claim, self._poll_timeout, time)
            return Status.error(LATE.format(claim=claim.name)) if late else Status(Code.WAIT)
        return SUCCESS

    def timeout_status(self) -> Status:
        return Status.error(OUT_OF_TIME)

    def _bind(self, data: State, claim: ResourceClaim, pod: Pod, node_name: str) -> Status:
        """Write a claim's allocation, and reserve it for the pod."""
        stored = self._handle.lister.get("ResourceClaim", claim.key)
        if not isinstance(stored, ResourceClaim) or stored.deletion_timestamp is not None:
            return Status.error(f"claim {claim.key} got deleted in the meantime")
        if stored.is_reserved_for(pod.uid):
            return SUCCESS
        bound = copy.copy(stored)
        reserved = data.reserved.get(claim.uid)
        if reserved is not None:
            if stored.allocation is not None:
                return Status.error(f"claim {claim.key} got allocated elsewhere in the meantime")
            bound.allocation, bound.finalizers = reserved.allocation, reserved.finalizers
        elif bound.allocation is None and self.rules.binding_conditions:
            return Status.error(f"claim {claim.key} got deallocated elsewhere in the meantime")
        bound.reserved_for = (*stored.reserved_for, consumer_of(pod))
        self._write(bound)
        self._landed(claim.uid)
        return SUCCESS

    def _write(self, claim: ResourceClaim) -> None:
        """Store a claim; with binding conditions its allocation gets a timestamp."""
        allocation = claim.allocation
        if self.rules.binding_conditions and allocation is not None and allocation.timestamp is None:
            claim.allocation = replace(allocation, timestamp=math.floor(self._handle.writer.time()))
        self._handle.writer.update(claim)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        changed = ActionType.ADD | ActionType.UPDATE
        node = ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE
        lister = self._handle.lister
        made = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM)
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.NODE, node)),
            ClusterEventWithHint(
                ClusterEvent(EventResource.RESOURCE_CLAIM, changed), partial(after_claim_change, lister)
            ),
            ClusterEventWithHint(made, partial(after_pod_change, lister)),
            ClusterEventWithHint(ClusterEvent(EventResource.DEVICE_CLASS, changed)),
            ClusterEventWithHint(ClusterEvent(EventResource.RESOURCE_SLICE, changed)),
        ]


def _keys(data: State) -> list[str]:
    """Return the keys of the pod's claims as stored."""
    return [data.created.key if claim is data.extended and data.created else claim.key for claim in data.claims]


def _is_available(allocation: Allocation, node: NodeView) -> bool:
    selector = allocation.node_selector
    return selector is None or selector.matches(node.labels, node.name)


def consumer_of(pod: Pod) -> Consumer:
    return Consumer("pods", pod.name, pod.uid)
