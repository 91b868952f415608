"""DynamicResources of v1.36: more features of devices, and a score for earlier alternatives.

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
from scheduler_core.dra.extended import Mappings, any_may_be_devices, classes_by_resource, may_be_devices, requests_of
from scheduler_core.dra.rules import V1_36, AllocatorRules
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeStatuses
from scheduler_core.framework.interface import PostFilterResult, ScorePlugin
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.dynamic_resources import plugin
from scheduler_core.plugins.dynamic_resources.args import RULES_1_36
from scheduler_core.plugins.dynamic_resources.plugin import consumer_of
from scheduler_core.plugins.dynamic_resources.state import STATE_KEY, State
from scheduler_core.plugins.helper import default_normalize

# Upstream's name for the claim before it is created.
IMAGINED = "<extended-resources>"


class DynamicResources(plugin.DynamicResources, ScorePlugin):
    """It scores which of the alternatives of its claims a node would serve; pods without claims get 0 everywhere."""

    args_rules = RULES_1_36
    rules: ClassVar[AllocatorRules] = V1_36
    not_owner: ClassVar[str] = "ResourceClaim {claim} was not created for Pod {pod} (Pod is not owner)"
    normalizes = True
    zero_if_skipped = True

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return super().pre_filter_is_reusable(pod) and not any_may_be_devices(pod.requests)

    def _claims(self, pod: Pod, data: State) -> list[ResourceClaim]:
        claims = super()._claims(pod, data)
        # Almost no pod asks for one: this is all that it costs.
        if not self.rules.extended_resources or not any_may_be_devices(pod.requests):
            return claims
        wanted = {name: amount for name, amount in pod.requests.items() if amount and may_be_devices(name)}
        if not wanted or wanted.keys().isdisjoint(self._classes()):
            return claims
        data.wanted = wanted
        data.extended = self._existing(pod) or _imagined(pod)
        return [*claims, data.extended]

    def _classes(self) -> dict[str, DeviceClass]:
        return classes_by_resource(self._handle.lister.list("DeviceClass"))

    def _existing(self, pod: Pod) -> ResourceClaim | None:
        """The claim of an earlier attempt. Source: findExtendedResourceClaim."""
        for claim in self._handle.lister.list("ResourceClaim", pod.namespace):
            if claim.annotations.get(EXTENDED_RESOURCE_CLAIM) == "true":
                owner = claim.controller
                if owner is not None and (owner.name, owner.uid) == (pod.name, pod.uid):
                    found: ResourceClaim = claim
                    return found
        return None

    def claims_to_allocate(self, data: State, node: NodeView) -> Sequence[ResourceClaim] | Status:
        extended = data.extended
        if extended is None:
            return data.to_allocate
        if extended.requests:
            return Status.unresolvable("cannot schedule extended resource claim")
        classes = self._classes()
        wanted = []
        for name in data.wanted:
            if name in classes and node.allocatable(name) == 0:
                wanted.append(name)
            elif name not in node.node.allocatable:
                return Status.unresolvable("cannot fit resource")
        is_alone = len(data.claims) == 1
        if is_alone and (not wanted or extended.allocation is not None):
            return SUCCESS
        if extended.allocation is not None:
            return data.to_allocate
        requests, mappings = requests_of(data.pod, wanted, classes)
        requested = copy.copy(extended)
        requested.requests = tuple(requests)
        data.on_node[node.name] = (requested, mappings)
        return [requested if claim is extended else claim for claim in data.to_allocate]

    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeStatuses) -> PostFilterResult:
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
        given = data.reserved.get(claim.uid)
        if given is None:
            return SUCCESS
        wanted, mappings = data.on_node[node_name]
        created = _created(pod, wanted, self._handle.writer.name_for(f"{pod.name}-extended-resources-"))
        created.allocation, created.finalizers = given.allocation, given.finalizers
        created.reserved_for = (consumer_of(pod),)
        data.created = created
        self._write(created)
        self._landed(claim.uid)
        if not mappings:
            return Status.error(
                f"nil or empty request mappings, no update of pod {pod.key} ExtendedResourceClaimStatus"
            )
        self._tell_pod(pod, created.name, mappings)
        return SUCCESS

    def _tell_pod(self, pod: Pod, claim: str, mappings: Mappings) -> None:
        """Source: patchPodExtendedResourceClaimStatus."""
        stored: Pod | None = self._handle.lister.get("Pod", pod.key)
        if stored is not None:
            named = {"container": "containerName", "resource": "resourceName", "request": "requestName"}
            requests = [{named[part]: value for part, value in each.items()} for each in mappings]
            status = {"requestMappings": requests, "resourceClaimName": claim}
            self._handle.writer.update(stored.with_extended_claim(status))

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        data: State = state.read(STATE_KEY)
        if not data.found or not any(request.alternatives for claim in data.claims for request in claim.requests):
            return np.zeros(len(nodes), np.int64)
        return np.fromiter((points(data, data.found.get(name)) for name in nodes.names), np.int64, len(nodes))

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return default_normalize(scores) if pod.resource_claims else scores


def _imagined(pod: Pod) -> ResourceClaim:
    """The claim for the pod's extended resources before there is one; what it asks for depends on the node."""
    return ResourceClaim(kind="ResourceClaim", name=IMAGINED, namespace=pod.namespace, uid=f"{pod.uid}{IMAGINED}")


def _created(pod: Pod, wanted: ResourceClaim, name: str) -> ResourceClaim:
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


def points(data: State, found: Sequence[Allocation] | None) -> int:
    """Over all claims, more for each alternative that stands earlier in its list. Source: computeScore."""
    if found is None:
        return 0
    new = iter(found)
    return sum(points_of(claim, data.allocation_of(claim) or next(new)) for claim in data.claims)


def points_of(claim: ResourceClaim, allocation: Allocation) -> int:
    """What one claim is worth with its alternatives."""
    chosen = {device.request for device in allocation.devices}
    return sum(
        MAX_ALTERNATIVES - position
        for request in claim.requests
        for position, alternative in enumerate(request.alternatives)
        if f"{request.name}/{alternative.name}" in chosen
    )
