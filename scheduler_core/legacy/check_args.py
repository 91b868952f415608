"""Validation of plugin args when v1.20.2 builds its plugins: the first error message, "" if the args are valid.

Source (v1.20): the plugins' New, pkg/scheduler/apis/config/validation/validation_pluginargs.go.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from kube_objects.go_numbers import parse_int64
from kube_objects.text.go import quote
from kube_objects.text.problems import Problem
from scheduler_core.config.args.resources import UtilizationShapePoint, label_name
from scheduler_core.config.core import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PreferredSchedulingTerm
from scheduler_core.config.field_errors import (
    Shown,
    aggregate,
    as_json,
    invalid,
)
from scheduler_core.config.names import label_value_errors, qualified_name_errors
from scheduler_core.legacy.args import (
    InterPodAffinityArgs,
    LegacyResourceSpec,
    NodeLabelArgs,
    NodeResourcesFitArgs,
    NodeResourcesLeastAllocatedArgs,
    NodeResourcesMostAllocatedArgs,
    PodTopologySpreadArgs,
    RequestedToCapacityRatioArgs,
    VolumeBindingArgs,
)
from scheduler_core.plugins.default_preemption.args import DefaultPreemptionArgs
from scheduler_core.plugins.node_affinity.args import NodeAffinityArgs
from scheduler_core.plugins.pod_topology_spread.args import check_constraints

_MAX_SHAPE_SCORE = 10
_SELECTOR_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_SET_OPERATORS = ("In", "NotIn")


def check_default_preemption(args: DefaultPreemptionArgs) -> str:
    percentage, absolute = args.min_candidate_nodes_percentage, args.min_candidate_nodes_absolute
    if not 0 <= percentage <= 100:
        return "minCandidateNodesPercentage is not in the range [0, 100]"
    if absolute < 0:
        return "minCandidateNodesAbsolute is not in the range [0, inf)"
    if percentage == absolute == 0:
        return "both minCandidateNodesPercentage and minCandidateNodesAbsolute cannot be zero"
    return ""


def check_inter_pod_affinity(args: InterPodAffinityArgs) -> str:
    weight = args.hard_pod_affinity_weight
    fits = 0 <= weight <= 100
    return "" if fits else str(invalid("hardPodAffinityWeight", weight, "not in valid range [0-100]"))


def check_node_label(args: NodeLabelArgs) -> str:
    pairs = (
        (args.present_labels, args.absent_labels),
        (args.present_labels_preference, args.absent_labels_preference),
    )
    for present, absent in pairs:
        for label in absent:
            if label in present:
                lists = f"present({_go_list(present)}) and absent({_go_list(absent)})"
                return f"detecting at least one label (e.g., {quote(label)}) that exist in both the {lists} label list"
    return ""


def _go_list(texts: Sequence[str]) -> str:
    return f"[{' '.join(texts)}]"


def check_node_resources_fit(args: NodeResourcesFitArgs) -> str:
    problems: list[Problem] = []
    for index, name in enumerate(args.ignored_resources):
        problems += label_name(f"ignoredResources[{index}]", name)
    for index, group in enumerate(args.ignored_resource_groups):
        path = f"ignoredResourceGroups[{index}]"
        if "/" in group:
            problems.append(invalid(path, group, "resource group name can't contain '/'"))
        problems += label_name(path, group)
    return _join_problems(problems)


def check_allocated(args: NodeResourcesLeastAllocatedArgs | NodeResourcesMostAllocatedArgs) -> str:
    for spec in args.resources:
        if spec.weight <= 0:
            return f"resource Weight of {spec.name} should be a positive value, got {spec.weight}"
        if spec.weight > 100:
            return f"resource Weight of {spec.name} should be less than 100, got {spec.weight}"
    return ""


def check_requested_to_capacity_ratio(args: RequestedToCapacityRatioArgs) -> str:
    return _check_shape(args.shape) or _check_weights(args.resources)


def _check_shape(shape: Sequence[UtilizationShapePoint]) -> str:
    if not shape:
        return "at least one point must be specified"
    for i, (before, point) in enumerate(pairwise(shape)):
        if before.utilization >= point.utilization:
            pair = f"Utilization[{i}]=={before.utilization} >= Utilization[{i + 1}]=={point.utilization}"
            return f"utilization values must be sorted. {pair}"
    for i, point in enumerate(shape):
        for name, value, most in (("utilization", point.utilization, 100), ("score", point.score, _MAX_SHAPE_SCORE)):
            bound = "less than 0" if value < 0 else f"greater than {most}" if value > most else ""
            if bound:
                return f"{name} values must not be {bound}. {name.capitalize()}[{i}]=={value}"
    return ""


def _check_weights(resources: Sequence[LegacyResourceSpec]) -> str:
    for spec in resources:
        if spec.weight < 1:
            return f"resource {spec.name} weight {spec.weight} must not be less than 1"
    return ""


def check_volume_binding(args: VolumeBindingArgs) -> str:
    timeout = args.bind_timeout_seconds
    return "" if timeout > 0 else f"invalid BindTimeoutSeconds: {timeout}, must be positive integer"


def check_pod_topology_spread(args: PodTopologySpreadArgs) -> str:
    problems: list[Problem] = []
    kind = args.defaulting_type
    if kind not in ("System", "List"):
        problems.append(invalid("defaultingType", as_json(kind), 'must be one of {"System", "List"}'))
    elif kind == "System" and args.default_constraints:
        problems.append(invalid("defaultingType", as_json(kind), "when .defaultConstraints are not empty"))
    problems += check_constraints("", args.default_constraints, "must be greater than zero")
    return _join_problems(problems)


def _join_problems(problems: Sequence[Problem]) -> str:
    return aggregate(problems) if problems else ""


def check_node_affinity(args: NodeAffinityArgs) -> str:
    affinity = args.added_affinity
    if affinity is None:
        return ""
    problems = []
    if affinity.required is not None:
        terms = affinity.required.node_selector_terms or ()
        if errors := [error for term in terms if (error := _term_error(term))]:
            path = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution"
            problems.append(invalid(path, Shown(_go_selector(affinity.required)), _join_errors(errors)))
    weighty = [preferred.preference for preferred in affinity.preferred if preferred.weight]
    if errors := [error for term in weighty if (error := _term_error(term))]:
        path = "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution"
        problems.append(invalid(path, Shown(_go_preferred(affinity.preferred)), _join_errors(errors)))
    return _join_problems(problems)


def _join_errors(errors: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"


def _term_error(term: NodeSelectorTerm) -> str:
    """Return the error of a term, or "".

    Source: component-helpers/scheduling/corev1/nodeaffinity, apimachinery/pkg/labels NewRequirement.
    """
    for requirement in term.match_expressions:
        if error := _requirement_error(requirement):
            return error
    for requirement in term.match_fields:
        operator, values = quote(requirement.operator), requirement.values or ()
        if requirement.operator not in _SET_OPERATORS:
            return f"{operator} is not a valid node field selector operator"
        if len(values) != 1:
            return f"unexpected number of value ({len(values)}) for node field selector operator {operator}"
    return ""


def _requirement_error(requirement: NodeSelectorRequirement) -> str:
    operator, key, values = requirement.operator, requirement.key, requirement.values or ()
    if operator not in _SELECTOR_OPERATORS:
        return f"{quote(operator)} is not a valid node selector operator"
    if errors := qualified_name_errors(key):
        return f"invalid label key {quote(key)}: {'; '.join(errors)}"
    if operator in _SET_OPERATORS and not values:
        return "for 'in', 'notin' operators, values set can't be empty"
    if operator in ("Exists", "DoesNotExist") and values:
        return "values set must be empty for exists and does not exist"
    if operator in ("Gt", "Lt"):
        if len(values) != 1:
            return "for 'Gt', 'Lt' operators, exactly one value is required"
        if parse_int64(values[0]) is None:
            return "for 'Gt', 'Lt' operators, the value must be an integer"
    for value in values:
        if errors := label_value_errors(value):
            return f"invalid label value: {quote(value)}: at key: {quote(key)}: {'; '.join(errors)}"
    return ""


# Values as Go's `%#v` prints them.


def _go_selector(selector: NodeSelector) -> str:
    return (
        f"v1.NodeSelector{{NodeSelectorTerms:{_go_slice('NodeSelectorTerm', selector.node_selector_terms, _go_term)}}}"
    )


def _go_preferred(terms: Sequence[PreferredSchedulingTerm]) -> str:
    def one(term: PreferredSchedulingTerm) -> str:
        return f"v1.PreferredSchedulingTerm{{Weight:{term.weight}, Preference:{_go_term(term.preference)}}}"

    return _go_slice("PreferredSchedulingTerm", terms, one)


def _go_term(term: NodeSelectorTerm) -> str:
    expressions, fields = (
        _go_slice("NodeSelectorRequirement", requirements or None, _go_requirement)
        for requirements in (term.match_expressions, term.match_fields)
    )
    return f"v1.NodeSelectorTerm{{MatchExpressions:{expressions}, MatchFields:{fields}}}"


def _go_requirement(requirement: NodeSelectorRequirement) -> str:
    values = "(nil)" if requirement.values is None else "{" + ", ".join(map(quote, requirement.values)) + "}"
    key, operator = quote(requirement.key), quote(requirement.operator)
    return f"v1.NodeSelectorRequirement{{Key:{key}, Operator:{operator}, Values:[]string{values}}}"


def _go_slice(kind: str, items: Sequence[Any] | None, show: Callable[[Any], str]) -> str:
    return f"[]v1.{kind}" + ("(nil)" if items is None else "{" + ", ".join(map(show, items)) + "}")


PLUGIN_CHECKS: Mapping[str, Callable[[Any], str]] = {
    "DefaultPreemption": check_default_preemption,
    "InterPodAffinity": check_inter_pod_affinity,
    "NodeAffinity": check_node_affinity,
    "NodeLabel": check_node_label,
    "NodeResourcesFit": check_node_resources_fit,
    "NodeResourcesLeastAllocated": check_allocated,
    "NodeResourcesMostAllocated": check_allocated,
    "PodTopologySpread": check_pod_topology_spread,
    "RequestedToCapacityRatio": check_requested_to_capacity_ratio,
    "VolumeBinding": check_volume_binding,
}
