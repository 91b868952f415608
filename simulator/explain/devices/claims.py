"""Explanation of a pod's claims in an attempt: their requests, and each node's devices or reasons for refusal.

`WatchedSearch` repeats the search on a node, with the same result as Filter had there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict

from kube_objects.devices import (
    AllocatedDevice,
    Allocation,
    DeviceConstraint,
    DeviceRequest,
    ResourceClaim,
)
from kube_objects.sentences import Data, Template, plural
from scheduler_core.cache.nodes import NodeView
from scheduler_core.dra.errors import AllocationError, NodeAllocationError
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.status import Status
from scheduler_core.plugins.dynamic_resources.claims import ClaimError, list_pod_claims
from scheduler_core.plugins.dynamic_resources.plugin import CANNOT_ALLOCATE, NOT_AVAILABLE, DynamicResources
from scheduler_core.plugins.dynamic_resources.state import STATE_KEY, State
from simulator.explain.devices.holders import DeviceHolder, holders_by_device
from simulator.explain.devices.watched_search import Did, ExplainedSearchStep, LookedAt, WatchedSearch

PLUGIN = "DynamicResources"
# Limits: nodes of a claim, and devices of one request.
MAX_NODES, MAX_DEVICES = 50, 100

NO_PLUGIN = Template("the profile does not run DynamicResources: nothing allocates devices")
NO_CLAIMS = Template("the pod uses no claims")
NOT_SEARCHED = Template("every claim of the pod has its devices already")
FITS = plural("{count} device can be allocated here", "{count} devices can be allocated here")
CANNOT = Template("not all of the claims can have their devices here")
ELSEWHERE = Template("a claim has its devices already, and they are not for this node")
BY_ITSELF = Template("the node has the resources by itself: no device is needed")

Given = Sequence[Allocation]
Outcome = Literal["fits", "refused", "error", "elsewhere", "nothing"]
OUTCOMES: tuple[Outcome, ...] = ("fits", "refused", "error", "elsewhere", "nothing")


class GivenAnswer(TypedDict):
    request: str
    device: str
    admin: bool
    consumed: dict[str, str]


# `class` is a Python keyword, so this TypedDict uses the functional syntax.
AlternativeAnswer = TypedDict(
    "AlternativeAnswer",
    {
        "name": str,
        "mode": str,
        "count": int,
        "selectors": list[str],
        "admin": bool,
        "capacity": dict[str, str],
        "class": str,
    },
)


class RequestAnswer(AlternativeAnswer):
    alternatives: list[AlternativeAnswer]


class ExplainedClaimConstraint(TypedDict):
    requests: list[str]
    match: str
    distinct: str


class ExplainedClaim(TypedDict):
    claim: str
    entry: str
    template: str
    allocated: bool
    inFlight: bool
    devices: list[GivenAnswer]
    reservedFor: list[str]
    requests: list[RequestAnswer]
    constraints: list[ExplainedClaimConstraint]


class ExplainedClaimsOnNode(TypedDict):
    """A node's result for all claims; `refused` counts devices by kind of reason, each device once."""

    node: str
    outcome: Outcome
    text: Data
    message: str
    refused: dict[str, int]


class ExplainedClaims(TypedDict):
    why: Data | None
    problem: str
    claims: list[ExplainedClaim]
    nodes: list[ExplainedClaimsOnNode]
    omitted: int


class ExplainedSearchedDevice(LookedAt):
    """A device in the search, in the state of its last step."""

    state: Did


class ExplainedSearchedRequest(TypedDict):
    request: str
    devices: list[ExplainedSearchedDevice]
    omitted: int


class ExplainedSearchedClaim(TypedDict):
    claim: str
    requests: list[ExplainedSearchedRequest]
    given: list[GivenAnswer]


class ExplainedAllocation(TypedDict):
    node: str
    outcome: Outcome
    text: Data
    message: str
    claims: list[ExplainedSearchedClaim]
    steps: list[ExplainedSearchStep]
    omitted: int


class _ClaimSearch:
    """The plugin and its PreFilter result for the attempt's pod; nothing is written."""

    def __init__(self, context: AttemptContext) -> None:
        self.context = context
        plugin = context.framework.plugins.get(PLUGIN)
        self.plugin = plugin if isinstance(plugin, DynamicResources) else None
        self.data = State(pod=context.pod)
        self.problem = ""
        handle = context.framework.handle
        self.held: Mapping[Any, Sequence[DeviceHolder]] = holders_by_device(handle.lister, handle.in_flight)
        if self.plugin is None:
            return
        state = CycleState()
        answer = self.plugin.pre_filter(state, context.pod, context.nodes)
        self.data = state.read(STATE_KEY)
        if answer.status.is_rejected:
            self.problem = answer.status.message

    @property
    def why_nothing(self) -> Data | None:
        """Return the reason why there is nothing to search for, or None."""
        if self.plugin is None:
            return NO_PLUGIN()
        if not self.data.claims and not self.problem:
            return NO_CLAIMS()
        return None

    def claims(self) -> list[ResourceClaim]:
        """Return the attempt's claims; after a rejection, the claims that exist."""
        if self.data.claims:
            return self.data.claims
        try:
            return list_pod_claims(self.context.pod, self.context.lister)
        except ClaimError:
            existing = []
            for entry in self.context.pod.resource_claims:
                name = entry.claim or self.context.pod.claim_names.get(entry.name) or ""
                claim = self.context.lister.get("ResourceClaim", f"{self.context.pod.namespace}/{name}")
                if isinstance(claim, ResourceClaim):
                    existing.append(claim)
            return existing


def explain_claims(context: AttemptContext) -> ExplainedClaims:
    """Return the pod's claims, and their results on the nodes that were visited first.

    `why` is the reason why nothing is to be allocated, or null; `problem` is PreFilter's rejection. The nodes are in
    visiting order, at most MAX_NODES.
    """
    search = _ClaimSearch(context)
    searched = search.why_nothing is None and not search.problem
    nodes = [_summary(_search_node(search, node)) for node in _visited(context)] if searched else []
    return {
        "why": search.why_nothing,
        "problem": search.problem,
        "claims": [_claim(context, claim) for claim in search.claims()],
        "nodes": nodes,
        "omitted": max(len(context.nodes) - MAX_NODES, 0) if searched else 0,
    }


def explain_allocation(context: AttemptContext, name: str) -> ExplainedAllocation:
    """Return the search on one node, step by step. Raises UnknownNodeError."""
    search, node = _ClaimSearch(context), context.node(name)
    if search.why_nothing is not None or search.problem:
        text = search.why_nothing or CANNOT()
        return _answer(name, "nothing", text, search.problem, [], [], 0)
    return _search_node(search, node)


def _visited(context: AttemptContext) -> Iterator[NodeView]:
    nodes = context.framework.handle.visited
    for i in range(min(len(nodes), MAX_NODES)):
        yield nodes[i]


def _search_node(claim_search: _ClaimSearch, node: NodeView) -> ExplainedAllocation:
    assert claim_search.plugin is not None
    data = claim_search.data
    wanted = claim_search.plugin.claims_to_allocate(data, node)
    if isinstance(wanted, Status):
        if wanted.is_success:
            return _answer(node.name, "fits", BY_ITSELF(), wanted.message, [], [], 0)
        return _answer(node.name, "refused", CANNOT(), wanted.message, [], [], 0)
    allocations: Given | None = ()
    message = ""
    outcome: Outcome = "fits"
    search = None
    if data.allocator is not None:
        by_device = {device: [holder.claim.key for holder in held] for device, held in claim_search.held.items()}
        pools = data.allocator.pools_of(node.node)
        search = WatchedSearch(data.allocator, node.node, wanted, pools, by_device)
        allocations, message, outcome = _run_search(data, search, node)
    if outcome == "fits" and any(_is_elsewhere(claim, node) for claim in data.claims):
        outcome, message = "elsewhere", NOT_AVAILABLE
    texts = {"refused": CANNOT(), "error": CANNOT(), "elsewhere": ELSEWHERE()}
    count = sum(len(allocation.devices) for allocation in allocations or ())
    text = texts.get(outcome) or (FITS(count) if search is not None else NOT_SEARCHED())
    steps = [] if search is None else search.steps
    claims = [_search_result(claim, steps, _allocated_devices(allocations, i)) for i, claim in enumerate(wanted)]
    return _answer(node.name, outcome, text, message, claims, steps, 0 if search is None else search.omitted)


def _run_search(data: State, search: WatchedSearch, node: NodeView) -> tuple[Given | None, str, Outcome]:
    """Return the allocations, upstream's message and the outcome, as `Allocator.allocate` computes them."""
    assert data.allocator is not None
    try:
        allocations = data.allocator.conclude(search)
    except NodeAllocationError as error:
        return None, str(error), "refused"
    except AllocationError as error:
        return None, str(error), "error"
    return (None, CANNOT_ALLOCATE, "refused") if allocations is None else (allocations, "", "fits")


def _is_elsewhere(claim: ResourceClaim, node: NodeView) -> bool:
    allocation = claim.allocation
    selector = None if allocation is None else allocation.node_selector
    return selector is not None and not selector.matches(node.labels, node.name)


def _allocated_devices(allocations: Given | None, position: int) -> list[GivenAnswer]:
    if not allocations or position >= len(allocations):
        return []
    return [_device(device) for device in allocations[position].devices]


def _answer(
    node: str,
    outcome: Outcome,
    text: Data,
    message: str,
    claims: list[ExplainedSearchedClaim],
    steps: list[ExplainedSearchStep],
    omitted: int,
) -> ExplainedAllocation:
    return {
        "node": node,
        "outcome": outcome,
        "text": text,
        "message": message,
        "claims": claims,
        "steps": steps,
        "omitted": omitted,
    }


def _search_result(
    claim: ResourceClaim, steps: Sequence[ExplainedSearchStep], given: list[GivenAnswer]
) -> ExplainedSearchedClaim:
    """Return the last step of every device in the search, request by request."""
    last: dict[str, dict[str, ExplainedSearchedDevice]] = {}
    for step in steps:
        if step["claim"] == claim.key:
            entry: ExplainedSearchedDevice = {
                "device": step["device"],
                "state": step["did"],
                "kind": step["kind"],
                "why": step["why"],
            }
            last.setdefault(step["request"], {})[step["device"]] = entry
    requests: list[ExplainedSearchedRequest] = [
        {
            "request": name,
            "devices": list(devices.values())[:MAX_DEVICES],
            "omitted": max(len(devices) - MAX_DEVICES, 0),
        }
        for name, devices in last.items()
    ]
    return {"claim": claim.key, "requests": requests, "given": given}


def _summary(entry: ExplainedAllocation) -> ExplainedClaimsOnNode:
    kinds: dict[str, str] = {}
    for claim in entry["claims"]:
        for request in claim["requests"]:
            for device in request["devices"]:
                if device["state"] == "refused":
                    kinds.setdefault(device["device"], device["kind"] or "")
    counted: dict[str, int] = {}
    for kind in kinds.values():
        counted[kind] = counted.get(kind, 0) + 1
    return {
        "node": entry["node"],
        "outcome": entry["outcome"],
        "text": entry["text"],
        "message": entry["message"],
        "refused": counted,
    }


def _claim(context: AttemptContext, claim: ResourceClaim) -> ExplainedClaim:
    entry = next(
        (
            ref
            for ref in context.pod.resource_claims
            if claim.name == (ref.claim or context.pod.claim_names.get(ref.name))
        ),
        None,
    )
    in_flight = context.framework.handle.in_flight.get(claim.uid)
    allocation = claim.allocation or (None if in_flight is None else in_flight.allocation)
    return {
        "claim": claim.key,
        "entry": "" if entry is None else entry.name,
        "template": "" if entry is None else entry.template,
        "allocated": allocation is not None,
        "inFlight": in_flight is not None,
        "devices": [] if allocation is None else [_device(device) for device in allocation.devices],
        "reservedFor": [f"{claim.namespace}/{consumer.name}" for consumer in claim.reserved_for],
        "requests": [_request(request) for request in claim.requests],
        "constraints": [_constraint(rule) for rule in claim.constraints],
    }


def _request(request: DeviceRequest) -> RequestAnswer:
    return {
        **_alternative(request),
        "alternatives": [_alternative(alternative) for alternative in request.alternatives],
    }


def _alternative(request: DeviceRequest) -> AlternativeAnswer:
    return {
        "name": request.name,
        "class": request.class_name,
        "mode": request.mode,
        "count": request.count,
        "selectors": list(request.selectors),
        "admin": bool(request.admin_access),
        "capacity": {name: str(amount) for name, amount in request.capacity.items()},
    }


def _constraint(rule: DeviceConstraint) -> ExplainedClaimConstraint:
    return {
        "requests": list(rule.requests),
        "match": rule.match_attribute,
        "distinct": rule.distinct_attribute,
    }


def _device(device: AllocatedDevice) -> GivenAnswer:
    return {
        "request": device.request,
        "device": str(device.id),
        "admin": bool(device.admin_access),
        "consumed": {name: str(amount) for name, amount in device.consumed.items()},
    }
