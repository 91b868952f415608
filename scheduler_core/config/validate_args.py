"""Whether the args of a plugin make sense; each check takes the path that its problems are reported under.

Source: pkg/scheduler/apis/config/validation/validation_pluginargs.go.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scheduler_core.config.args import (
    LEAST_ALLOCATED,
    LIST_DEFAULTING,
    MOST_ALLOCATED,
    REQUESTED_TO_CAPACITY_RATIO,
    SYSTEM_DEFAULTING,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from scheduler_core.config.core import TopologySpreadConstraint
from scheduler_core.config.encode import internal_json
from scheduler_core.config.field_errors import (
    Shown,
    as_json,
    child,
    distinct,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from scheduler_core.config.names import qualified_name_errors
from scheduler_core.config.validate_node_affinity import validate_node_affinity
from scheduler_core.text.go import format_duration
from scheduler_core.text.hints import did_you_mean
from scheduler_core.text.problems import Problem

_STRATEGIES = (LEAST_ALLOCATED, MOST_ALLOCATED, REQUESTED_TO_CAPACITY_RATIO)
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_MAX_SHAPE_SCORE = 10


def default_preemption(path: str, args: DefaultPreemptionArgs) -> Iterator[Problem]:
    percentage, absolute = args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute
    percentage_path = child(path, "minCandidateNodesPercentage")
    absolute_path = child(path, "minCandidateNodesAbsolute")
    if not 0 <= percentage <= 100:
        yield invalid(percentage_path, percentage, "not in valid range [0, 100]")
    if absolute < 0:
        yield invalid(absolute_path, absolute, "not in valid range [0, inf)")
    if percentage == absolute == 0:
        same_time = "cannot be zero at the same time as"
        yield invalid(percentage_path, percentage, f"{same_time} minCandidateNodesAbsolute")
        yield invalid(absolute_path, absolute, f"{same_time} minCandidateNodesPercentage")


def dynamic_resources(path: str, args: DynamicResourcesArgs) -> Iterator[Problem]:
    if args.filter_timeout is not None and args.filter_timeout < 0:
        shown = as_json(format_duration(args.filter_timeout))
        yield invalid(child(path, "filterTimeout"), shown, "must be zero or positive")


def inter_pod_affinity(path: str, args: InterPodAffinityArgs) -> Iterator[Problem]:
    weight = args.hard_pod_affinity_weight
    if not 0 <= weight <= 100:
        yield invalid(child(path, "hardPodAffinityWeight"), weight, "not in valid range [0, 100]")


def node_affinity(path: str, args: NodeAffinityArgs) -> Iterator[Problem]:
    if args.added_affinity is not None:
        yield from validate_node_affinity(child(path, "addedAffinity"), args.added_affinity)


def node_resources_balanced_allocation(path: str, args: NodeResourcesBalancedAllocationArgs) -> Iterator[Problem]:
    seen = set()
    for index, resource in enumerate(args.resources):
        where = child(path, f"resources[{index}]")
        if resource.name in seen:
            yield duplicate(f"{where}.name", resource.name)
        seen.add(resource.name)
        if resource.weight != 1:
            yield invalid(f"{where}.weight", resource.weight, "must be 1")


def ignored_resources(path: str, args: NodeResourcesFitArgs) -> Iterator[Problem]:
    for index, name in enumerate(args.ignored_resources):
        yield from _label_name(child(path, f"ignoredResources[{index}]"), name)
    for index, group in enumerate(args.ignored_resource_groups):
        where = child(path, f"ignoredResourceGroups[{index}]")
        if "/" in group:
            yield invalid(where, group, "resource group name can't contain '/'")
        yield from _label_name(where, group)


def type_and_resources(where: str, strategy: ScoringStrategy) -> Iterator[Problem]:
    if strategy.type not in _STRATEGIES:
        hint = did_you_mean(strategy.type, _STRATEGIES)
        yield not_supported(f"{where}.type", strategy.type, _STRATEGIES, hint)
    yield from _weights(f"{where}.resources", strategy.resources)


def node_resources_fit(path: str, args: NodeResourcesFitArgs) -> Iterator[Problem]:
    yield from ignored_resources(path, args)
    strategy = args.scoring_strategy
    if strategy is None:
        return
    where = child(path, "scoringStrategy")
    yield from type_and_resources(where, strategy)
    if strategy.requested_to_capacity_ratio is not None:
        yield from shape(f"{where}.shape", strategy.requested_to_capacity_ratio.shape or ())


def pod_topology_spread(path: str, args: PodTopologySpreadArgs) -> Iterator[Problem]:
    where = child(path, "defaultingType")
    if args.defaulting_type not in (SYSTEM_DEFAULTING, LIST_DEFAULTING):
        yield not_supported(where, args.defaulting_type, (SYSTEM_DEFAULTING, LIST_DEFAULTING))
    elif args.defaulting_type == SYSTEM_DEFAULTING and args.default_constraints:
        hint = "set defaultingType: List"
        yield invalid(where, as_json(args.defaulting_type), "when .defaultConstraints are not empty", hint)
    seen = set()
    for index, constraint in enumerate(args.default_constraints):
        where = child(path, f"defaultConstraints[{index}]")
        yield from _constraint(where, constraint)
        identity = constraint.topology_key, constraint.when_unsatisfiable
        if identity in seen:
            yield duplicate(where, f"{{{constraint.topology_key}, {constraint.when_unsatisfiable}}}")
        seen.add(identity)


def volume_binding(path: str, args: VolumeBindingArgs) -> Iterator[Problem]:
    timeout = args.bind_timeout_seconds
    if timeout < 0:
        detail = "invalid BindTimeoutSeconds, should not be a negative value"
        yield invalid(child(path, "bindTimeoutSeconds"), timeout, detail)
    if args.shape is not None:
        detail = "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"
        yield invalid(child(path, "shape"), Shown(internal_json(args.shape)), detail)


def _constraint(path: str, constraint: TopologySpreadConstraint) -> Iterator[Problem]:
    if constraint.max_skew <= 0:
        yield invalid(f"{path}.maxSkew", constraint.max_skew, "not in valid range (0, inf)")
    if constraint.topology_key:
        yield from _label_name(f"{path}.topologyKey", constraint.topology_key)
    else:
        yield required(f"{path}.topologyKey", "can not be empty")
    action = constraint.when_unsatisfiable
    if not action:
        yield required(f"{path}.whenUnsatisfiable", "can not be empty")
    elif action not in _ACTIONS:
        yield not_supported(f"{path}.whenUnsatisfiable", action, _ACTIONS, did_you_mean(action, _ACTIONS))
    if constraint.label_selector is not None:
        detail = "constraint must not define a selector, as they deduced for each pod"
        yield forbidden(f"{path}.labelSelector", detail)


def _label_name(path: str, name: str) -> Iterator[Problem]:
    for error in qualified_name_errors(name):
        yield invalid(path, name, error)


def _weights(path: str, resources: tuple[ResourceSpec, ...]) -> Iterator[Problem]:
    for index, resource in enumerate(resources):
        if not 0 < resource.weight <= 100:
            detail = f"resource weight of {resource.name} not in valid range (0, 100]"
            yield invalid(f"{path}[{index}].weight", resource.weight, detail)


def shape(path: str, points: tuple[UtilizationShapePoint, ...]) -> Iterator[Problem]:
    if not points:
        yield required(path, "at least one point must be specified")
        return
    for index in range(1, len(points)):
        utilization = points[index].utilization
        if points[index - 1].utilization >= utilization:
            yield invalid(f"{path}[{index}].utilization", utilization, "values must be sorted in increasing order")
            break
    for index, point in enumerate(points):
        if not 0 <= point.utilization <= 100:
            yield invalid(f"{path}[{index}].utilization", point.utilization, "not in valid range [0, 100]")
        if not 0 <= point.score <= _MAX_SHAPE_SCORE:
            yield invalid(f"{path}[{index}].score", point.score, f"not in valid range [0, {_MAX_SHAPE_SCORE}]")


def checked(check: Callable[[str, Any], Iterator[Problem]]) -> Callable[[str, Any], list[Problem]]:
    """All that a check finds, each thing said once."""
    return lambda path, args: distinct(check(path, args))


# The checks that validation runs, by plugin; NodeResourcesFit's runs when the plugin is built.
VALIDATORS: Mapping[str, Callable[[str, Any], list[Problem]]] = {
    "DefaultPreemption": checked(default_preemption),
    "DynamicResources": checked(dynamic_resources),
    "InterPodAffinity": checked(inter_pod_affinity),
    "NodeAffinity": lambda path, args: list(node_affinity(path, args)),
    "NodeResourcesBalancedAllocation": checked(node_resources_balanced_allocation),
    "PodTopologySpread": checked(pod_topology_spread),
    "VolumeBinding": checked(volume_binding),
}
