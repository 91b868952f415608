"""Repairs for PodTopologySpread: raise maxSkew, make a constraint soft, or label the node."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kube_objects.pod import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY, Pod, TopologySpreadConstraint
from kube_objects.sentences import Template
from kube_objects.serialize import manifest_of
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.edits.edit import Edit, combine_changes, set_value, value_at
from scheduler_core.edits.object_edits import (
    FEW_PODS,
    disable_plugin,
    find_minimal_sets,
    label_node,
    remove_pods,
    require_node,
    running_pods,
)
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.profile_edits import change_plugin_args
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.pod_topology_spread.args import PodTopologySpreadArgs
from scheduler_core.plugins.pod_topology_spread.filtering import Domains, HardSpread
from scheduler_core.plugins.pod_topology_spread.plugin import PRE_FILTER
from scheduler_core.plugins.topology import domain_of

RAISE = Template("Raise maxSkew for {key} from {limit} to {skew}")
ANYWAY = Template("Spread by {key} only where that is possible")
DEFAULT_RAISE = Template(
    "Raise maxSkew of the default constraint of profile {profile} for {key} from {limit} to {skew}"
)
DEFAULT_ANYWAY = Template("Let the profile {profile} spread by {key} only where that is possible")
LIST = ("spec", "topologySpreadConstraints")
# How many domains are offered to a node without the label, the emptiest first.
_MOST_DOMAINS = 3
# How many pods of a domain are considered.
_MOST_PODS = 30


def needs(question: Question) -> list[Need]:
    spread: HardSpread | None = question.state.find(PRE_FILTER)
    assert question.node is not None
    all_needs = []
    for number, domains in enumerate(spread.domains if spread is not None else ()):
        code = domain_of(question.node, domains.constraint.topology_key)
        if code < 0:
            all_needs.append(_missing_label_need(question, number, domains))
            continue
        own = int(domains.constraint.selects(question.pod.labels))
        skew = int(domains.counts[code]) + own - domains.lowest
        if skew > domains.constraint.max_skew:
            all_needs.append(_skew_need(question, number, domains, skew))
    return all_needs


def _skew_need(question: Question, number: int, domains: Domains, skew: int) -> Need:
    options: list[Iterable[Edit | None] | Edit | None] = [
        _soften_constraint(question, number),
        _raise_max_skew(question, number, skew),
    ]
    over = skew - domains.constraint.max_skew
    if over <= FEW_PODS:
        there = _in_domain(question, domains)
        counted = _counted_pods(question, domains, there)
        options += remove_pods(question, find_minimal_sets(question, counted, lambda pods: len(pods) >= over), there)
    return question.need(*options, disable_plugin(question))


def _in_domain(question: Question, domains: Domains) -> BoolColumn:
    assert question.node is not None
    key = domains.constraint.topology_key
    return np.asarray(question.nodes.label(key) == domain_of(question.node, key))


def _counted_pods(question: Question, domains: Domains, there: BoolColumn) -> list[Pod]:
    """Return the first pods that count in the node's domain, those on the node first."""
    view, constraint = question.node, domains.constraint
    assert view is not None
    pods: list[Pod] = []
    for node in (view, *(other for other in question.nodes.take(np.flatnonzero(there)) if other.name != view.name)):
        for pod in running_pods(node):
            if pod.namespace == question.pod.namespace and constraint.selects(pod.labels):
                pods.append(pod)
        if len(pods) >= _MOST_PODS:
            break
    return pods


def _missing_label_need(question: Question, number: int, domains: Domains) -> Need:
    node, key = require_node(question), domains.constraint.topology_key
    values = question.nodes.label_values(key)
    emptiest = sorted((int(count), values[i]) for i, count in enumerate(domains.counts[:-1]) if domains.present[i])
    labels = [label_node(question, node, key, value) for _, value in emptiest[:_MOST_DOMAINS]]
    return question.need(_soften_constraint(question, number), *labels, disable_plugin(question))


def _raise_max_skew(question: Question, number: int, skew: int) -> Edit | None:
    position_and_item = _hard_constraint(question.pod, number)
    if position_and_item is None:
        return _change_default_constraint(question, number, skew)
    i, item = position_and_item
    sentence = RAISE(key=item["topologyKey"], skew=skew, limit=int(item["maxSkew"]))
    return make_pod_edit(
        question,
        "raise_skew",
        _constraint_path(i),
        sentence,
        set_value(*LIST, i, "maxSkew", value=skew),
        before=item["maxSkew"],
        after=skew,
        shape=f"raise_skew {i}",
        tie=float(skew),
    )


def _soften_constraint(question: Question, number: int) -> Edit | None:
    position_and_item = _hard_constraint(question.pod, number)
    if position_and_item is None:
        return _change_default_constraint(question, number, None)
    i, item = position_and_item
    sentence = ANYWAY(key=item["topologyKey"])
    # minDomains is valid in hard constraints only.
    anyway = set_value(*LIST, i, "whenUnsatisfiable", value=SCHEDULE_ANYWAY)
    change = combine_changes(anyway, set_value(*LIST, i, "minDomains", value=None))
    return make_pod_edit(
        question, "soften", _constraint_path(i), sentence, change, before=DO_NOT_SCHEDULE, after=SCHEDULE_ANYWAY
    )


def _change_default_constraint(question: Question, number: int, skew: int | None) -> Edit | None:
    """Change a default constraint of the profile: raise its maxSkew, or make it soft if `skew` is None."""
    args = question.args(PodTopologySpreadArgs)
    if question.pod.spread_constraints or not isinstance(args, PodTopologySpreadArgs):
        return None
    hard = [i for i, default in enumerate(args.default_constraints) if default.when_unsatisfiable == DO_NOT_SCHEDULE]
    if number >= len(hard):
        return None
    i, profile = hard[number], question.profile.scheduler_name
    constraint = args.default_constraints[i]
    if skew is None:
        sentence = DEFAULT_ANYWAY(key=constraint.topology_key, profile=profile)
        anyway = set_value("defaultConstraints", i, "whenUnsatisfiable", value=SCHEDULE_ANYWAY)
        change = combine_changes(anyway, set_value("defaultConstraints", i, "minDomains", value=None))
        path = f"defaultConstraints[{i}].whenUnsatisfiable"
        return change_plugin_args(question, path, sentence, change, before=DO_NOT_SCHEDULE, after=SCHEDULE_ANYWAY)
    sentence = DEFAULT_RAISE(key=constraint.topology_key, skew=skew, limit=constraint.max_skew, profile=profile)
    change = set_value("defaultConstraints", i, "maxSkew", value=skew)
    path = f"defaultConstraints[{i}].maxSkew"
    return change_plugin_args(question, path, sentence, change, before=constraint.max_skew, after=skew, tie=float(skew))


def _constraint_path(i: int) -> str:
    return f"spec.topologySpreadConstraints.{i}"


def _hard_constraint(pod: Pod, number: int) -> tuple[int, Mapping[str, Any]] | None:
    """Return the position and manifest of the pod's hard constraint with this number; None for a default constraint."""
    hard = [i for i, constraint in enumerate(pod.spread_constraints) if _is_hard(constraint)]
    if number >= len(hard):
        return None
    item = value_at(manifest_of(pod), (*LIST, hard[number]))
    return None if item is None else (hard[number], item)


def _is_hard(constraint: TopologySpreadConstraint) -> bool:
    return constraint.when_unsatisfiable == DO_NOT_SCHEDULE
