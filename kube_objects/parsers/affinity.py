"""Affinity to nodes and to pods, and topology spread constraints.

Source: pkg/apis/core/validation validateAffinity, validateTopologySpreadConstraints;
pkg/registry/core/pod/strategy.go applyMatchLabelKeysAndMismatchLabelKeys.
"""

from collections.abc import Mapping

from kube_objects import field_errors, names, read
from kube_objects.affinity import AffinityTerm, NodeAffinity, PodAffinity, WeightedAffinityTerm
from kube_objects.parsers.selectors import (
    label_selector,
    node_selector,
    preferred_terms,
    term_weight,
    with_requirements,
)
from kube_objects.pod import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY, TopologySpreadConstraint
from kube_objects.read import Manifest, Problems
from kube_objects.selectors import IN, NOT_IN, LabelSelector, Requirement
from kube_objects.sentences import quoted
from kube_objects.text.problems import Problem

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_POLICIES = ("Honor", "Ignore")


def node_affinity(affinity: Manifest, path: str, problems: Problems) -> NodeAffinity | None:
    part = read.mapping(affinity, "nodeAffinity", path, problems)
    if part is None:
        return None
    path = f"{path}.nodeAffinity"
    return NodeAffinity(
        required=node_selector(part, REQUIRED, path, problems),
        preferred=preferred_terms(part, PREFERRED, path, problems),
    )


def pod_affinity(
    affinity: Manifest, key: str, path: str, problems: Problems, namespace: str, labels: Mapping[str, str]
) -> PodAffinity | None:
    """Parse an affinity. `key` is podAffinity or podAntiAffinity; `namespace` and `labels` are the pod's own."""
    part = read.mapping(affinity, key, path, problems)
    if part is None:
        return None
    path = f"{path}.{key}"
    required = [
        _term(item, item_path, problems, namespace, labels)
        for item_path, item in read.mappings(part, REQUIRED, path, problems)
    ]
    preferred = []
    for item_path, item in read.mappings(part, PREFERRED, path, problems):
        term = read.mapping(item, "podAffinityTerm", item_path, problems) or {}
        term_path = f"{item_path}.podAffinityTerm"
        weight = term_weight(item, item_path, problems)
        preferred.append(WeightedAffinityTerm(weight, _term(term, term_path, problems, namespace, labels)))
    return PodAffinity(tuple(required), tuple(preferred))


def _term(item: Manifest, path: str, problems: Problems, namespace: str, labels: Mapping[str, str]) -> AffinityTerm:
    topology_key = read.required_text(item, "topologyKey", path, problems, "can not be empty")
    if topology_key and (rule := names.qualified_name(topology_key)):
        problems.append(Problem(f"{path}.topologyKey", topology_key, rule))
    namespaces = read.texts(item, "namespaces", path, problems)
    for index, name in enumerate(namespaces):
        if rule := names.dns_label(name):
            problems.append(Problem(f"{path}.namespaces[{index}]", name, rule))
    selector = label_selector(item, "labelSelector", path, problems)
    namespace_selector = label_selector(item, "namespaceSelector", path, problems)
    match_keys = _label_keys(item, "matchLabelKeys", path, problems, selector)
    mismatch_keys = _label_keys(item, "mismatchLabelKeys", path, problems, selector)
    for index, key in enumerate(match_keys):
        if key in mismatch_keys:
            rule = quoted("exists in both matchLabelKeys and mismatchLabelKeys")
            problems.append(Problem(f"{path}.matchLabelKeys[{index}]", key, rule))
    if selector is not None and (match_keys or mismatch_keys):
        _check_selected_twice(item, path, problems, match_keys)
        selector = _merged(selector, match_keys, mismatch_keys, labels)
    if not namespaces and namespace_selector is None:
        namespaces = (namespace,)
    return AffinityTerm(topology_key, selector, frozenset(namespaces), namespace_selector)


def _merged(
    selector: LabelSelector, match_keys: tuple[str, ...], mismatch_keys: tuple[str, ...], labels: Mapping[str, str]
) -> LabelSelector:
    """Return the selector with the pod's own values of the keys, unless the API server has added them."""
    selected_in = {requirement.key for requirement in selector.requirements if requirement.operator == IN}
    more = [Requirement(key, IN, (labels[key],)) for key in match_keys if key in labels and key not in selected_in]
    more += [Requirement(key, NOT_IN, (labels[key],)) for key in mismatch_keys if key in labels]
    return with_requirements(selector, more)


def spread_constraint(item: Manifest, path: str, problems: Problems) -> TopologySpreadConstraint:
    max_skew = read.integer(item, "maxSkew", path, problems)
    if max_skew is None and item.get("maxSkew") is None:
        problems.append(field_errors.required(f"{path}.maxSkew", quoted("must be greater than zero")))
    elif max_skew is not None and max_skew <= 0:
        problems.append(Problem(f"{path}.maxSkew", max_skew, quoted("must be greater than zero")))
    topology_key = read.required_text(item, "topologyKey", path, problems, "can not be empty")
    actions = (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY)
    action = read.choice(item, "whenUnsatisfiable", path, problems, actions)
    if not action:
        problems.append(field_errors.required(f"{path}.whenUnsatisfiable", field_errors.one_of(actions)))
    min_domains = read.integer(item, "minDomains", path, problems)
    if min_domains is not None:
        if min_domains <= 0:
            problems.append(Problem(f"{path}.minDomains", min_domains, quoted("must be greater than zero")))
        if action == SCHEDULE_ANYWAY:
            rule = quoted(
                "can only use minDomains if whenUnsatisfiable={wanted}, not {action}",
                wanted=DO_NOT_SCHEDULE,
                action=action,
            )
            problems.append(Problem(f"{path}.minDomains", min_domains, rule))
    selector = label_selector(item, "labelSelector", path, problems)
    match_keys = _label_keys(item, "matchLabelKeys", path, problems, selector)
    _check_selected_twice(item, path, problems, match_keys)
    return TopologySpreadConstraint(
        max_skew=max_skew or 1,
        topology_key=topology_key,
        when_unsatisfiable=action,
        label_selector=selector,
        min_domains=min_domains,
        node_affinity_policy=read.choice(item, "nodeAffinityPolicy", path, problems, _POLICIES, "Honor"),
        node_taints_policy=read.choice(item, "nodeTaintsPolicy", path, problems, _POLICIES, "Ignore"),
        match_label_keys=match_keys,
    )


def spread_constraints(spec: Manifest, path: str, problems: Problems) -> tuple[TopologySpreadConstraint, ...]:
    constraints = []
    seen = set()
    for item_path, item in read.mappings(spec, "topologySpreadConstraints", path, problems):
        constraint = spread_constraint(item, item_path, problems)
        identity = (constraint.topology_key, constraint.when_unsatisfiable)
        if identity in seen:
            shown = f"{{{constraint.topology_key}, {constraint.when_unsatisfiable}}}"
            problems.append(field_errors.duplicate(f"{item_path}.{{topologyKey, whenUnsatisfiable}}", shown))
        seen.add(identity)
        constraints.append(constraint)
    return tuple(constraints)


def _label_keys(
    item: Manifest, key: str, path: str, problems: Problems, selector: LabelSelector | None
) -> tuple[str, ...]:
    label_keys = read.texts(item, key, path, problems)
    if label_keys and selector is None and item.get("labelSelector") is None:
        problems.append(
            Problem(f"{path}.{key}", label_keys, quoted("must not be specified when labelSelector is not set"))
        )
    for index, label_key in enumerate(label_keys):
        if rule := names.qualified_name(label_key):
            problems.append(Problem(f"{path}.{key}[{index}]", label_key, rule))
    return label_keys


def _check_selected_twice(item: Manifest, path: str, problems: Problems, match_keys: tuple[str, ...]) -> None:
    """Check that each key of matchLabelKeys is in the selector once. The API server adds that expression."""
    selector = item.get("labelSelector")
    if not match_keys or not isinstance(selector, Mapping):
        return
    labels, expressions = selector.get("matchLabels"), selector.get("matchExpressions")
    in_labels = list(labels) if isinstance(labels, Mapping) else []
    in_expressions = (
        [e.get("key") for e in expressions if isinstance(e, Mapping)] if isinstance(expressions, list) else []
    )
    for index, key in enumerate(match_keys):
        if key in in_labels or in_expressions.count(key) > 1:
            rule = quoted("exists in both matchLabelKeys and labelSelector")
            problems.append(Problem(f"{path}.matchLabelKeys[{index}]", key, rule))
