"""Repairs for NodeResourcesFit: lower the pod's requests, or move other pods away."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from kube_objects.names import is_extended_resource
from kube_objects.parse import parse_pod
from kube_objects.pod import Pod
from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.edits.costs import ARGUE, EVICT, LEAVE, Prices
from scheduler_core.edits.edit import Change, Edit, Path, set_value, value_at
from scheduler_core.edits.object_edits import (
    FEW_PODS,
    KUBELET_WARNING,
    find_minimal_sets,
    remove_pods,
    require_node,
    running_pods,
)
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.profile_edits import change_plugin_args
from scheduler_core.edits.question import NEVER_ENOUGH, Need, Question
from scheduler_core.facts.quantities import format_amount
from scheduler_core.plugins.node_resources.fit import FIRST_RESOURCES
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs

LOWER = Template("Ask for {to} of {resource} instead of {before}")
IGNORE = Template("Let the profile not look at {resource}")
PLUGIN = "NodeResourcesFit"
# Each step lowers the request of one container.
_MOST_STEPS = 40
# Moving more pods would cost more than any other edit.
_MOST_LEAVING = 20
# Pods of a node whose moving is combined with a lower request.
_MOST_HOLDERS = 8
_BINARY = (("Gi", 30), ("Mi", 20), ("Ki", 10))


def needs(question: Question) -> list[Need]:
    node, view = require_node(question), question.node
    assert view is not None
    all_needs = []
    if view.pod_count >= view.allocatable("pods"):
        over, helps = view.pod_count - view.allocatable("pods") + 1, view.allocatable("pods") > 0
        sets = find_minimal_sets(question, running_pods(view), lambda pods: len(pods) >= over)
        leave = over if helps else NEVER_ENOUGH
        all_needs.append(question.need(*remove_pods(question, sets), leave=leave, about="pods", evictable=helps))
    for resource, requested in _checked_requests(question):
        free = node.allocatable.get(resource, 0) - view.requested(resource)
        if requested > free:
            lowered, room = (
                lower_request(question, resource, requested, free),
                _make_room(question, resource, requested - free),
            )
            both = _make_room_and_lower(question, resource, requested, free)
            held = sorted((pod.requests.get(resource, 0) for pod in view.pods), reverse=True)
            leave, besides = _cheapest_removal(held, requested, requested - free, question.prices)
            ignored, helps = _ignore_resource(question, resource), requested <= node.allocatable.get(resource, 0)
            options = [lowered, *room, *both, ignored]
            all_needs.append(question.need(*options, leave=leave, about=resource, besides=besides, evictable=helps))
    return all_needs


def _ignore_resource(question: Question, resource: str) -> Edit | None:
    """Let the profile ignore the resource, which is possible for extended resources."""
    if not is_extended_resource(resource):
        return None
    known = list(question.args(NodeResourcesFitArgs).ignored_resources)
    after = [*known, resource]
    sentence, change = IGNORE(resource=resource), set_value("ignoredResources", value=after)
    return change_plugin_args(
        question, "ignoredResources", sentence, change, before=known, after=after, note=KUBELET_WARNING()
    )


def _cheapest_removal(held: Iterable[int], requested: int, missing: int, prices: Prices) -> tuple[int, int]:
    """Return the cheapest (number of pods that leave, cost of lowering the request by the rest).

    `held`: the pods' requests, largest first. Returns NEVER_ENOUGH if all of them aren't enough.
    """
    lowering_costs, leaving = prices.cost_of("lower_request"), _least_removal_cost(prices, *LEAVE)
    best = (NEVER_ENOUGH, 0)
    for number, amount_held in enumerate(held, 1):
        missing -= amount_held
        if missing <= 0:
            return min(best, (number, 0), key=lambda way: way[0] * leaving + way[1])
        if lowering_costs is not None:
            way = (number, _cost_of_lower_request(lowering_costs, missing, requested))
            best = min(best, way, key=lambda option: option[0] * leaving + option[1])
    return best


def _cost_of_lower_request(cost: int, missing: int, requested: int) -> int:
    return round(cost * (1 + 4 * missing / requested))


def lower_bounds(pod: Pod, nodes: Nodes, prices: Prices) -> IntColumn:
    """Return a lower bound of the cost on each node that is too full: a lower request, pods that leave, or
    evictions.
    """
    lowering_costs, leaving, evicting = (
        prices.cost_of("lower_request"),
        _least_removal_cost(prices, *LEAVE),
        _least_removal_cost(prices, *EVICT),
    )
    ignoring = _least_removal_cost(prices, ARGUE)
    worst = np.zeros(len(nodes), np.int64)
    numbers = nodes.row_numbers.tolist()
    evictable = nodes.lowest_priority < pod.priority
    for resource, requested in pod.filter_requests.items():
        allocatable = nodes.allocatable(resource)
        # Assume that the pods that the scheduler may evict are gone.
        free = np.where(evictable, allocatable, allocatable - nodes.requested(resource))
        short = np.flatnonzero(free < requested).tolist() if requested > 0 else []
        for row in short:
            missing = requested - int(free[row])
            held = nodes.table.pods[numbers[row]].values()
            largest = max([other.requests.get(resource, 0) for other in held], default=0)
            options = [evicting]
            options += [ignoring] if is_extended_resource(resource) else []
            if lowering_costs is not None and free[row] > 0:
                options.append(_cost_of_lower_request(lowering_costs, missing, requested))
            if largest:
                leave, besides = _cheapest_removal(
                    [largest] * min(len(held), _MOST_LEAVING), requested, missing, prices
                )
                options.append(leaving * leave + besides)
            worst[row] = max(worst[row], min(*options, NEVER_ENOUGH))
    return worst


def _least_removal_cost(prices: Prices, *kinds: str) -> int:
    cost = prices.least(*kinds)
    return NEVER_ENOUGH if cost is None else cost


def _checked_requests(question: Question) -> list[tuple[str, int]]:
    """Return the pod's requests that the profile's args don't ignore."""
    args = question.args(NodeResourcesFitArgs)
    ignored = {*args.ignored_resources}
    groups = {*args.ignored_resource_groups}
    requests = question.pod.filter_requests
    names = [*FIRST_RESOURCES, *sorted(requests.keys() - {*FIRST_RESOURCES})]
    return [
        (name, requests[name])
        for name in names
        if requests.get(name, 0) > 0
        and not (is_extended_resource(name) and (name in ignored or name.partition("/")[0] in groups))
    ]


def _make_room(question: Question, resource: str, short: int) -> list[frozenset[Edit]]:
    assert question.node is not None
    holders = [pod for pod in running_pods(question.node) if pod.requests.get(resource, 0) > 0]

    def enough(pods: Sequence[Pod]) -> bool:
        return sum(pod.requests.get(resource, 0) for pod in pods) >= short

    if not enough(holders):
        return []
    return remove_pods(question, find_minimal_sets(question, holders, enough))


def _make_room_and_lower(question: Question, resource: str, requested: int, free: int) -> list[list[Edit | None]]:
    """Return combinations of a few pods that leave with a request lowered to what is free then."""
    if not question.others or question.node is None:
        return []
    holders = [pod for pod in running_pods(question.node) if pod.requests.get(resource, 0) > 0]
    holders = sorted(holders, key=lambda pod: (pod.priority, pod.key))[:_MOST_HOLDERS]
    options: list[list[Edit | None]] = []
    for count in range(1, len(holders) + 1) if len(holders) <= FEW_PODS else (1, 2):
        for pods in combinations(holders, count):
            left = free + sum(pod.requests[resource] for pod in pods)
            if left < requested and (lowered := lower_request(question, resource, requested, left)) is not None:
                options += [[*edits, lowered] for edits in remove_pods(question, [pods])]
    return options


def lower_request(question: Question, resource: str, requested: int, free: int) -> Edit | None:
    """Lower the request to exactly what is free; return None if nothing is."""
    if free <= 0:
        return None
    sentence = LOWER(to=format_amount(resource, free), before=format_amount(resource, requested), resource=resource)
    part_less = (requested - free) / requested
    return make_pod_edit(
        question,
        "lower_request",
        f"spec.resources.requests.{resource}",
        sentence,
        lower_largest_requests(resource, free),
        before=format_quantity(resource, requested),
        after=format_quantity(resource, free),
        shape=f"lower {resource}",
        tie=part_less,
        times=1 + 4 * part_less,
    )


def lower_largest_requests(resource: str, free: int) -> Change:
    """Return a change that lowers the pod's effective request to at most `free`, by its largest requests first.

    Requests that a pod can't lower, such as a runtime's overhead, stay.
    """

    def change(manifest: dict[str, Any]) -> None:
        for _ in range(_MOST_STEPS):
            parsed = parse_pod(manifest)
            excess = parsed.filter_requests.get(resource, 0) - free
            largest = _largest_request(manifest, parsed, resource) if excess > 0 else None
            if largest is None:
                return
            place, value = largest
            _lower_container(place, resource, max(value - excess, 0))(manifest)

    return change


def _lower_container(place: Path, resource: str, value: int) -> Change:
    """Lower the request, and the limit of a resource that can't be overcommitted."""
    text = format_quantity(resource, value)

    def change(manifest: dict[str, Any]) -> None:
        set_value(*place, "requests", resource, value=text)(manifest)
        if is_extended_resource(resource) or resource.startswith("hugepages-"):
            set_value(*place, "limits", resource, value=text)(manifest)

    return change


def _largest_request(manifest: dict[str, Any], parsed: Pod, resource: str) -> tuple[Path, int] | None:
    """Return the path and amount of the largest request: the pod's own, or a container's."""
    pod_request = value_at(manifest, ("spec", "resources", "requests", resource))
    if pod_request is not None:
        return ("spec", "resources"), parsed.filter_requests[resource]
    lists = (("containers", parsed.containers), ("initContainers", parsed.init_containers))
    requests: list[tuple[int, Path]] = []
    for name, containers in lists:
        for i, container in enumerate(containers):
            requested = container.requests.get(resource, 0)
            if resource in container.limits and resource not in container.requests:
                requested = container.limits[resource]
            if requested > 0:
                requests.append((requested, ("spec", name, i, "resources")))
    # An init container matters only if it requests more than the containers that run together.
    running = sum(value for value, place in requests if place[1] == "containers")
    for value, place in sorted(requests, key=lambda entry: (-entry[0], str(entry[1]))):
        if place[1] == "containers" or value >= running or _is_sidecar(parsed, place):
            return place, value
    return None


def _is_sidecar(pod: Pod, place: Path) -> bool:
    return place[1] == "initContainers" and pod.init_containers[int(place[2])].restart_policy == "Always"


def format_quantity(resource: str, value: int) -> str:
    """Return an amount of a resource's base unit as a quantity, exactly."""
    if resource == "cpu":
        return str(value // 1000) if value % 1000 == 0 else f"{value}m"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for suffix, bits in _BINARY:
            if value and value % (1 << bits) == 0:
                return f"{value >> bits}{suffix}"
    return str(value)
