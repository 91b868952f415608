"""DynamicResources in v1.36: extended resources, binding conditions, and a score for earlier alternatives.

Source (v1.36.3): pkg/scheduler/framework/plugins/dynamicresources.
"""

import copy
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from kube_objects.devices import (
    EXTENDED_RESOURCE_CLAIM,
    MAX_ALTERNATIVES,
    Allocation,
    DeviceClass,
    ResourceClaim,
)
from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.dra.extended import (
    Mappings,
    any_may_be_devices,
    build_requests,
    classes_by_resource,
    may_be_devices,
)
from scheduler_core.dra.rules import V1_36, AllocatorRules
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.interface import PostFilterResult, ScorePlugin
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.dynamic_resources import plugin
from scheduler_core.plugins.dynamic_resources.args import RULES_1_36
from scheduler_core.plugins.dynamic_resources.plugin import consumer_of
from scheduler_core.plugins.dynamic_resources.state import STATE_KEY, State
from scheduler_core.plugins.helper import default_normalize

# Upstream's name for the claim for extended resources before it is created.
IMAGINED = "<extended-resources>"


class DynamicResources(plugin.DynamicResources, ScorePlugin):
    """The plugin in v1.36. It scores the alternatives that a node's devices satisfy; pods without claims get 0."""

    args_rules = RULES_1_36
    rules: ClassVar[AllocatorRules] = V1_36
    not_owner: ClassVar[str] = "ResourceClaim {claim} was not created for Pod {pod} (Pod is not owner)"
    normalizes = True
    zero_if_skipped = True

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return super().pre_filter_is_reusable(pod) and not any_may_be_devices(pod.requests)

    def _claims(self, pod: Pod, data: State) -> list[ResourceClaim]:
        claims = super()._claims(pod, data)
        # Cheap checks first, because few pods request an extended resource.
        if not self.rules.extended_resources or not any_may_be_devices(pod.requests):
            return claims
        wanted = {name: amount for name, amount in pod.requests.items() if amount and may_be_devices(name)}
        if not wanted or wanted.keys().isdisjoint(self._classes()):
            return claims
        data.wanted = wanted
        data.extended = self._find_existing(pod) or _claim_without_requests(pod)
        return [*claims, data.extended]

    def _classes(self) -> dict[str, DeviceClass]:
        return classes_by_resource(self._handle.lister.list("DeviceClass"))

    def _find_existing(self, pod: Pod) -> ResourceClaim | None:
        """Return the claim of an earlier attempt. Source: findExtendedResourceClaim."""
        for claim in self._handle.lister.list("ResourceClaim", pod.namespace):
            if claim.annotations.get(EXTENDED_RESOURCE_CLAIM) == "true":
                owner = claim.controller
                if owner is not None and (owner.name, owner.uid) == (pod.name, pod.uid):
                    existing: ResourceClaim = claim
                    return existing
        return None

    def claims_to_allocate(self, data: State, node: NodeView) -> Sequence[ResourceClaim] | Status:
        extended = data.extended
        if extended is None:
            return data.to_allocate
        if extended.requests:
            return Status.unresolvable("cannot schedule extended resource claim")
        classes = self._classes()
        resources = []
        for name in data.wanted:
            if name in classes and node.allocatable(name) == 0:
                resources.append(name)
            elif name not in node.node.allocatable:
                return Status.unresolvable("cannot fit resource")
        is_alone = len(data.claims) == 1
        if is_alone and (not resources or extended.allocation is not None):
            return SUCCESS
        if extended.allocation is not None:
            return data.to_allocate
        requests, mappings = build_requests(data.pod, resources, classes)
        requested = copy.copy(extended)
        requested.requests = tuple(requests)
        data.on_node[node.name] = (requested, mappings)
        return [requested if claim is extended else claim for claim in data.to_allocate]

    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        answer = super().post_filter(state, pod, statuses)
        data: State = state.read(STATE_KEY)
        existing = data.extended
        if existing is None or existing.name == IMAGINED or data.deallocated:
            return answer
        self._handle.writer.delete(existing)
        data.deleted = existing.key
        return PostFilterResult(Status.unschedulable("deletion of ResourceClaim completed"))

    def reserve(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        data: State = state.read(STATE_KEY)
        if data.allocator is not None and node_name not in data.found and list(data.to_allocate) == [data.extended]:
            return SUCCESS  # the node has the resources by itself
        return super().reserve(state, pod, node_name)

    def unreserve(self, state: CycleState, pod: Pod, node_name: str) -> None:
        super().unreserve(state, pod, node_name)
        data: State | None = state.find(STATE_KEY)
        if data is not None and data.created is not None:
            stored = self._handle.lister.get("ResourceClaim", data.created.key)
            if stored is not None:
                self._handle.writer.delete(stored)

    def _bind(self, data: State, claim: ResourceClaim, pod: Pod, node_name: str) -> Status:
        if claim is not data.extended or claim.name != IMAGINED:
            return super()._bind(data, claim, pod, node_name)
        reserved = data.reserved.get(claim.uid)
        if reserved is None:
            return SUCCESS
        requested, mappings = data.on_node[node_name]
        created = _new_claim(pod, requested, self._handle.writer.name_for(f"{pod.name}-extended-resources-"))
        created.allocation, created.finalizers = reserved.allocation, reserved.finalizers
        created.reserved_for = (consumer_of(pod),)
        data.created = created
        self._write(created)
        self._landed(claim.uid)
        if not mappings:
            return Status.error(
                f"nil or empty request mappings, no update of pod {pod.key} ExtendedResourceClaimStatus"
            )
        self._write_pod_status(pod, created.name, mappings)
        return SUCCESS

    def _write_pod_status(self, pod: Pod, claim: str, mappings: Mappings) -> None:
        """Write the extended resource claim into the pod's status. Source: patchPodExtendedResourceClaimStatus."""
        stored: Pod | None = self._handle.lister.get("Pod", pod.key)
        if stored is not None:
            named = {"container": "containerName", "resource": "resourceName", "request": "requestName"}
            requests = [{named[part]: value for part, value in mapping.items()} for mapping in mappings]
            status = {"requestMappings": requests, "resourceClaimName": claim}
            self._handle.writer.update(stored.with_extended_claim(status))

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        data: State = state.read(STATE_KEY)
        if not data.found or not any(request.alternatives for claim in data.claims for request in claim.requests):
            return np.zeros(len(nodes), np.int64)
        return np.fromiter(
            (score_allocations(data, data.found.get(name)) for name in nodes.names), np.int64, len(nodes)
        )

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return default_normalize(scores) if pod.resource_claims else scores


def _claim_without_requests(pod: Pod) -> ResourceClaim:
    """Return a claim without requests for the pod's extended resources; its requests depend on the node."""
    return ResourceClaim(kind="ResourceClaim", name=IMAGINED, namespace=pod.namespace, uid=f"{pod.uid}{IMAGINED}")


def _new_claim(pod: Pod, wanted: ResourceClaim, name: str) -> ResourceClaim:
    requests = [
        {
            "name": request.name,
            "exactly": {
                "deviceClassName": request.class_name,
                "allocationMode": request.mode,
                "count": request.count,
            },
        }
        for request in wanted.requests
    ]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
    manifest = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": name,
            "namespace": pod.namespace,
            "uid": f"{pod.uid}-{name}",
            "annotations": {EXTENDED_RESOURCE_CLAIM: "true"},
            "ownerReferences": [owner],
        },
        "spec": {"devices": {"requests": requests}},
    }
    created = parse_object(manifest)
    assert isinstance(created, ResourceClaim)
    return created


def score_allocations(data: State, allocations: Sequence[Allocation] | None) -> int:
    """Return the score of all claims: more for earlier alternatives. Source: computeScore."""
    if allocations is None:
        return 0
    new = iter(allocations)
    return sum(score_claim(claim, data.allocation_of(claim) or next(new)) for claim in data.claims)


def score_claim(claim: ResourceClaim, allocation: Allocation) -> int:
    """Return the score of one claim."""
    chosen = {device.request for device in allocation.devices}
    return sum(
        MAX_ALTERNATIVES - position
        for request in claim.requests
        for position, alternative in enumerate(request.alternatives)
        if f"{request.name}/{alternative.name}" in chosen
    )
