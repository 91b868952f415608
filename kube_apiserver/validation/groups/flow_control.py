"""Validation of FlowSchemas and PriorityLevelConfigurations. Source: pkg/apis/flowcontrol/validation/validation.go."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes, flow_control
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_METHODS, _SUBJECTS = ("ByNamespace", "ByUser"), ("Group", "ServiceAccount", "User")
_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_LEVELS, _RESPONSES = ("Exempt", "Limited"), ("Queue", "Reject")
_MOST_PRECEDENCE, _MOST_QUEUES, _MOST_BITS = 10_000, 10_000_000, 60
_PRESERVES_ZERO = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"
_NOT_NEGATIVE, _PERCENT = "must be a non-negative integer", "must be between 0 and 100, inclusive"
_NAMESPACES = "each member of this list must be '*' or a DNS-1123 label; "


def validate_flow_schema(value: Object) -> Iterator[Cause]:
    spec, name = value.get("spec") or {}, str(value["metadata"].get("name") or "")
    yield from _validate_precedence(spec.get("matchingPrecedence") or 0, name)
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in _METHODS:
        shown = go_values.to_go_value("FlowDistinguisherMethod", method)
        yield causes.unsupported("spec.distinguisherMethod.type", shown, _METHODS)
    level, level_path = (
        str((spec.get("priorityLevelConfiguration") or {}).get("name") or ""),
        "priorityLevelConfiguration.name",
    )
    if level:
        yield from report_broken_rules(f"spec.{level_path}", level, names.dns_subdomain(level))
    else:
        yield causes.required(f"spec.{level_path}", "must reference a priority level")
    for number, rule in enumerate(spec.get("rules") or ()):
        yield from _validate_policy_rule(rule, f"spec.rules[{number}]")
    yield from _validate_mandatory_spec(flow_control.SCHEMA, name, spec)
    yield from validate_status(value)


def validate_status(value: Object) -> Iterator[Cause]:
    seen = set[str]()
    for number, condition in enumerate((value.get("status") or {}).get("conditions") or ()):
        type_path, kind = f"status.conditions[{number}].type", str(condition.get("type") or "")
        if kind in seen:
            yield causes.duplicate(type_path, kind)
        seen.add(kind)
        if not kind:
            yield causes.required(type_path)


def validate_priority_level(value: Object) -> Iterator[Cause]:
    spec, metadata = value.get("spec") or {}, value["metadata"]
    name, kind = str(metadata.get("name") or ""), str(spec.get("type") or "")
    if _PRESERVES_ZERO in (metadata.get("annotations") or {}):
        yield causes.forbidden("metadata.annotations", f"annotation '{_PRESERVES_ZERO}' is forbidden")
    if (name == flow_control.EXEMPT) != (kind == "Exempt"):
        yield causes.invalid("spec.type", kind, "must be 'Exempt' if and only if `name` is 'exempt'")
    yield from _validate_level_type(kind, spec.get("exempt"), spec.get("limited"))
    yield from _validate_mandatory_spec(flow_control.LEVEL, name, spec)
    yield from validate_status(value)


def _validate_level_type(kind: str, exempt: Object | None, limited: Object | None) -> Iterator[Cause]:
    if kind == "Exempt":
        if limited is not None:
            yield causes.forbidden("spec.limited", "must be nil if the type is not Limited")
        if exempt is not None:
            yield from _validate_concurrency_shares(exempt, "spec.exempt")
            yield from _validate_lendable_percent(exempt, "spec.exempt")
    elif kind == "Limited":
        if exempt is not None:
            yield causes.forbidden("spec.exempt", "must be nil if the type is Limited")
        if limited is None:
            yield causes.required("spec.limited", "must not be empty when type is Limited")
        else:
            yield from _validate_limited_level(limited, "spec.limited")
    else:
        yield causes.unsupported("spec.type", kind, _LEVELS)


def _validate_mandatory_spec(kind: str, name: str, spec: Object) -> Iterator[Cause]:
    """Yield a cause if the spec of a mandatory object differs from its fixed value, except `exempt` of the exempt
    level.
    """
    if name not in flow_control.MANDATORY:
        return
    wanted, compared = flow_control.bootstrap_objects(kind, "")[name]["spec"], spec
    detail = f"spec of '{name}' must equal the fixed value"
    if (kind, name) == (flow_control.LEVEL, flow_control.EXEMPT):
        compared = {**spec, "exempt": wanted["exempt"]}
        detail = f"spec of '{name}' except the 'spec.exempt' field must equal the fixed value"
    type_name = f"{kind}Spec"
    if go_values.to_go_value(type_name, compared) != go_values.to_go_value(type_name, wanted):
        yield causes.invalid("spec", go_values.to_go_value(type_name, spec), detail)


def _validate_precedence(number: int, name: str) -> Iterator[Cause]:
    path = "spec.matchingPrecedence"
    if number <= 0:
        yield causes.invalid(path, number, "must be a positive value")
    if number > _MOST_PRECEDENCE:
        yield causes.invalid(path, number, f"must not be greater than {_MOST_PRECEDENCE}")
    if number == 1 and name != flow_control.EXEMPT:
        yield causes.invalid(path, number, "only the schema named 'exempt' may have matchingPrecedence 1")


def _validate_policy_rule(rule: Object, path: str) -> Iterator[Cause]:
    subjects, resources, others = (rule.get(key) or () for key in ("subjects", "resourceRules", "nonResourceRules"))
    for number, item in enumerate(subjects):
        yield from _validate_subject(item, f"{path}.subjects[{number}]")
    if not subjects:
        yield causes.required(f"{path}.subjects", "subjects must contain at least one value")
    if not resources and not others:
        yield causes.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")
    for number, item in enumerate(resources):
        yield from _validate_resource_rule(item, f"{path}.resourceRules[{number}]")
    for number, item in enumerate(others):
        yield from _validate_non_resource_rule(item, f"{path}.nonResourceRules[{number}]")


def _validate_subject(subject: Object, path: str) -> Iterator[Cause]:
    kind = str(subject.get("kind") or "")
    if kind not in _SUBJECTS:
        yield causes.unsupported(f"{path}.kind", kind, _SUBJECTS)
        return
    own = _get_subject_field(kind)
    yield from _validate_subject_name(subject.get(own), own, kind, f"{path}.{own}")
    for other in ("ServiceAccount", "User", "Group"):
        key = _get_subject_field(other)
        if other != kind and subject.get(key) is not None:
            yield causes.forbidden(f"{path}.{key}", f"{key} is forbidden when subject kind is not '{other}'")


def _get_subject_field(kind: str) -> str:
    return f"{kind[0].lower()}{kind[1:]}"


def _validate_subject_name(subject: Object | None, key: str, kind: str, path: str) -> Iterator[Cause]:
    if subject is None:
        yield causes.required(path, f"{key} is required when subject kind is '{kind}'")
        return
    name = str(subject.get("name") or "")
    if not name:
        yield causes.required(f"{path}.name")
    if kind != "ServiceAccount":
        return
    if name and name != "*":
        yield from report_broken_rules(f"{path}.name", name, names.dns_subdomain(name))
    if namespace := str(subject.get("namespace") or ""):
        yield from report_broken_rules(f"{path}.namespace", namespace, names.dns_label(namespace))
    else:
        yield causes.required(f"{path}.namespace", "must specify namespace for service account")


def _validate_verbs(verbs: Sequence[str], path: str) -> Iterator[Cause]:
    if not verbs:
        yield causes.required(path, "verbs must contain at least one value")
    elif "*" in verbs:
        yield from _validate_wildcard(verbs, path, "verbs")
    elif not set(verbs) <= set(_VERBS):
        yield causes.unsupported(path, list(verbs), _VERBS)


def _validate_wildcard(values: Sequence[str], path: str, plural: str) -> Iterator[Cause]:
    if len(values) > 1 and "*" in values:
        yield causes.invalid(path, list(values), f"if '*' is present, must not specify other {plural}")


def _validate_resource_rule(rule: Object, path: str) -> Iterator[Cause]:
    yield from _validate_verbs(rule.get("verbs") or (), f"{path}.verbs")
    for key, singular, plural in (("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")):
        names_of_kind = rule.get(key) or ()
        if not names_of_kind:
            yield causes.required(f"{path}.{key}", f"resource rules must supply at least one {singular}")
        yield from _validate_wildcard(names_of_kind, f"{path}.{key}", plural)
    yield from _validate_namespaces(rule, f"{path}.namespaces")


def _validate_namespaces(rule: Object, path: str) -> Iterator[Cause]:
    namespaces = rule.get("namespaces") or ()
    if not namespaces and not rule.get("clusterScope"):
        detail = "resource rules that are not cluster scoped must supply at least one namespace"
        yield causes.required(path, detail)
    elif "*" in namespaces:
        yield from _validate_wildcard(namespaces, path, "namespaces")
    else:
        for number, namespace in enumerate(namespaces):
            if rule_of_names := names.dns_label(str(namespace)):
                for detail in rule_of_names.split("; "):
                    yield causes.invalid(f"{path}[{number}]", namespace, f"{_NAMESPACES}{detail}")


def _validate_non_resource_rule(rule: Object, path: str) -> Iterator[Cause]:
    yield from _validate_verbs(rule.get("verbs") or (), f"{path}.verbs")
    urls, urls_path = rule.get("nonResourceURLs") or (), f"{path}.nonResourceURLs"
    if not urls:
        yield causes.required(urls_path, "nonResourceURLs must contain at least one value")
    elif "*" in urls:
        yield from _validate_wildcard(urls, urls_path, "non-resource URLs")
    else:
        for number, url in enumerate(urls):
            if detail := _find_url_error(str(url)):
                yield causes.invalid(f"{urls_path}[{number}]", url, detail)


def _find_url_error(path: str) -> str:
    if not path:
        return "must not be empty"
    if path == "/":
        return ""
    if not path.startswith("/"):
        return "must start with slash"
    if " " in path:
        return "must not contain white-space"
    if "//" in path:
        return "must not contain double slash"
    is_suffix = path.count("*") == 1 and path.endswith("/*")
    return "" if "*" not in path or is_suffix else "wildcard can only do suffix matching"


def _validate_concurrency_shares(level: Object, path: str) -> Iterator[Cause]:
    if (shares := level.get("nominalConcurrencyShares") or 0) < 0:
        yield causes.invalid(f"{path}.nominalConcurrencyShares", shares, _NOT_NEGATIVE)


def _validate_lendable_percent(level: Object, path: str) -> Iterator[Cause]:
    if not 0 <= (percent := level.get("lendablePercent") or 0) <= 100:
        yield causes.invalid(f"{path}.lendablePercent", percent, _PERCENT)


def _validate_limited_level(limited: Object, path: str) -> Iterator[Cause]:
    yield from _validate_concurrency_shares(limited, path)
    yield from _validate_limit_response(limited.get("limitResponse") or {}, f"{path}.limitResponse")
    yield from _validate_lendable_percent(limited, path)
    if (percent := limited.get("borrowingLimitPercent") or 0) < 0:
        yield causes.invalid(f"{path}.borrowingLimitPercent", percent, f"if specified, {_NOT_NEGATIVE}")


def _validate_limit_response(response: Object, path: str) -> Iterator[Cause]:
    kind, queuing, queuing_path = response.get("type") or "", response.get("queuing"), f"{path}.queuing"
    if kind not in _RESPONSES:
        yield causes.unsupported(f"{path}.type", kind, _RESPONSES)
    elif kind == "Reject":
        if queuing is not None:
            yield causes.forbidden(queuing_path, "must be nil if limited.limitResponse.type is not Limited")
    elif queuing is None:
        yield causes.required(queuing_path, "must not be empty if limited.limitResponse.type is Limited")
    else:
        yield from _validate_queuing(queuing, queuing_path)


def _validate_queuing(queuing: Object, path: str) -> Iterator[Cause]:
    length, queues, hand = (queuing.get(key) or 0 for key in ("queueLengthLimit", "queues", "handSize"))
    if length <= 0:
        yield causes.invalid(f"{path}.queueLengthLimit", length, "must be positive")
    if queues <= 0:
        yield causes.invalid(f"{path}.queues", queues, "must be positive")
    elif queues > _MOST_QUEUES:
        yield causes.invalid(f"{path}.queues", queues, f"must not be greater than {_MOST_QUEUES}")
    if hand <= 0:
        yield causes.invalid(f"{path}.handSize", hand, "must be positive")
    elif hand > queues:
        yield causes.invalid(f"{path}.handSize", hand, f"should not be greater than queues ({queues})")
    # Source: apiserver/pkg/util/shufflesharding RequiredEntropyBits.
    elif math.ceil(math.log2(queues) * hand) > _MOST_BITS:
        detail = f"required entropy bits of deckSize {queues} and handSize {hand} should not be greater than"
        yield causes.invalid(f"{path}.handSize", hand, f"{detail} {_MOST_BITS}")
