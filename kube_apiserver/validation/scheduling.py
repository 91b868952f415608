"""Validation of scheduling fields: tolerations, affinity, topology spread constraints, gates, taints.

Source: pkg/apis/core/validation/validation.go.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules, validate_label_selector, validate_labels
from kube_objects import names

Object = Mapping[str, Any]

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED, _PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)
_EMPTY = "can not be empty"
_WEIGHT = "must be in the range 1-100"
_POLICIES = ("Honor", "Ignore")


def validate_tolerations(tolerations: Any, path: str) -> Iterator[Cause]:
    for number, toleration in enumerate(tolerations or ()):
        toleration_path, key, operator = (
            f"{path}[{number}]",
            str(toleration.get("key") or ""),
            toleration.get("operator") or "",
        )
        effect, value = toleration.get("effect") or "", str(toleration.get("value") or "")
        if key:
            yield from report_broken_rules(f"{toleration_path}.key", key, names.qualified_name(key))
        if not key and operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield causes.invalid(f"{toleration_path}.operator", operator, detail)
        if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
            yield causes.invalid(
                f"{toleration_path}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"
            )
        if operator in ("Equal", ""):
            yield from (
                causes.invalid(f"{toleration_path}.operator", value, rule)
                for rule in filter(None, [names.label_value(value)])
            )
        elif operator == "Exists":
            if value:
                yield causes.invalid(
                    f"{toleration_path}.operator", value, "value must be empty when `operator` is 'Exists'"
                )
        else:
            known = ("Equal", "Exists", "Lt", "Gt") if operator in ("Lt", "Gt") else ("Equal", "Exists")
            yield causes.unsupported(f"{toleration_path}.operator", operator, known)
        if effect and effect not in EFFECTS:
            yield causes.unsupported(f"{toleration_path}.effect", effect, EFFECTS)


def validate_affinity(affinity: Any, path: str) -> Iterator[Cause]:
    affinity = affinity or {}
    yield from _validate_node_affinity(affinity.get("nodeAffinity") or {}, f"{path}.nodeAffinity")
    for name in ("podAffinity", "podAntiAffinity"):
        part = affinity.get(name) or {}
        for number, term in enumerate(part.get(_REQUIRED) or ()):
            yield from _validate_pod_affinity_term(term, f"{path}.{name}.{_REQUIRED}[{number}]")
        for number, preferred in enumerate(part.get(_PREFERRED) or ()):
            term_path = f"{path}.{name}.{_PREFERRED}[{number}]"
            if not 1 <= int(preferred.get("weight") or 0) <= 100:
                yield causes.invalid(f"{term_path}.weight", preferred.get("weight") or 0, _WEIGHT)
            yield from _validate_pod_affinity_term(
                preferred.get("podAffinityTerm") or {}, f"{term_path}.podAffinityTerm"
            )


def _validate_node_affinity(affinity: Object, path: str) -> Iterator[Cause]:
    required = affinity.get(_REQUIRED)
    if required is not None:
        yield from validate_node_selector(required, f"{path}.{_REQUIRED}")
    for number, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        term_path = f"{path}.{_PREFERRED}[{number}]"
        if not 1 <= int(preferred.get("weight") or 0) <= 100:
            yield causes.invalid(f"{term_path}.weight", preferred.get("weight") or 0, _WEIGHT)
        yield from _validate_node_selector_term(
            preferred.get("preference") or {}, f"{term_path}.preference", is_required=False
        )


def validate_node_selector(selector: Object, path: str) -> Iterator[Cause]:
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        yield causes.required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")
    for number, term in enumerate(terms):
        yield from _validate_node_selector_term(term, f"{path}.nodeSelectorTerms[{number}]")


def _validate_node_selector_term(term: Object, path: str, *, is_required: bool = True) -> Iterator[Cause]:
    """Validate a node selector term. Values of a preferred term are not checked."""
    for number, requirement in enumerate(term.get("matchExpressions") or ()):
        requirement_path = f"{path}.matchExpressions[{number}]"
        yield from _validate_node_requirement(requirement, requirement_path)
        for place, value in enumerate((requirement.get("values") or ()) if is_required else ()):
            yield from report_broken_rules(f"{requirement_path}.values[{place}]", value, names.label_value(str(value)))
    for number, requirement in enumerate(term.get("matchFields") or ()):
        yield from _validate_field_requirement(requirement, f"{path}.matchFields[{number}]")


def _validate_node_requirement(requirement: Object, path: str) -> Iterator[Cause]:
    operator, values = requirement.get("operator") or "", requirement.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            yield causes.required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield causes.forbidden(
                f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            )
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            yield causes.required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield causes.invalid(f"{path}.operator", operator, "not a valid selector operator")
    yield from report_broken_rules(
        f"{path}.key", str(requirement.get("key") or ""), names.qualified_name(str(requirement.get("key") or ""))
    )


def _validate_field_requirement(requirement: Object, path: str) -> Iterator[Cause]:
    operator, values = requirement.get("operator") or "", requirement.get("values") or []
    if operator in ("In", "NotIn"):
        if len(values) != 1:
            yield causes.required(
                f"{path}.values", "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
            )
    else:
        yield causes.invalid(f"{path}.operator", operator, "not a valid selector operator")
    if requirement.get("key") != "metadata.name":
        yield causes.invalid(f"{path}.key", requirement.get("key") or "", "not a valid field selector key")
        return
    for number, value in enumerate(values):
        yield from report_broken_rules(f"{path}.values[{number}]", value, names.dns_subdomain(str(value)))


def _validate_pod_affinity_term(term: Object, path: str) -> Iterator[Cause]:
    yield from validate_label_selector(term.get("labelSelector"), f"{path}.labelSelector")
    yield from validate_label_selector(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces") or ():
        yield from report_broken_rules(f"{path}.namespace", name, names.dns_label(name))
    yield from _validate_label_keys(term, path)
    key = str(term.get("topologyKey") or "")
    if not key:
        yield causes.required(f"{path}.topologyKey", _EMPTY)
    yield from report_broken_rules(f"{path}.topologyKey", key, names.qualified_name(key))


def _validate_label_keys(holder: Object, path: str) -> Iterator[Cause]:
    """Source: ValidateMatchLabelKeysAndMismatchLabelKeys."""
    selector = holder.get("labelSelector")
    same, other = (holder.get(name) or [] for name in ("matchLabelKeys", "mismatchLabelKeys"))
    for name, keys in (("matchLabelKeys", same), ("mismatchLabelKeys", other)):
        if keys and selector is None:
            yield causes.forbidden(f"{path}.{name}", "must not be specified when labelSelector is not set")
            continue
        for number, key in enumerate(keys):
            yield from report_broken_rules(f"{path}.{name}[{number}]", key, names.qualified_name(str(key)))
    seen = set((selector or {}).get("matchLabels") or {})
    for requirement in (selector or {}).get("matchExpressions") or ():
        key = requirement.get("key")
        if key in same and key in seen:
            # Upstream omits the list's name from the path.
            number = len(same) - 1 - same[::-1].index(key)
            yield causes.invalid(f"{path}[{number}]", key, "exists in both matchLabelKeys and labelSelector")
        seen.add(key)
    for number, key in enumerate(same):
        if key in other:
            detail = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield causes.invalid(f"{path}.matchLabelKeys[{number}]", key, detail)


def validate_spread_constraints(constraints: Any, path: str) -> Iterator[Cause]:
    """Source: validateTopologySpreadConstraints."""
    pairs = [(constraint.get("topologyKey"), constraint.get("whenUnsatisfiable")) for constraint in constraints or ()]
    for number, constraint in enumerate(constraints or ()):
        constraint_path, skew, min_domains = (
            f"{path}[{number}]",
            constraint.get("maxSkew") or 0,
            constraint.get("minDomains"),
        )
        action = constraint.get("whenUnsatisfiable") or ""
        if skew <= 0:
            yield causes.invalid(f"{constraint_path}.maxSkew", skew, "must be greater than zero")
        if not constraint.get("topologyKey"):
            yield causes.required(f"{constraint_path}.topologyKey", _EMPTY)
        if action not in ("DoNotSchedule", "ScheduleAnyway"):
            yield causes.unsupported(
                f"{constraint_path}.whenUnsatisfiable", action, ("DoNotSchedule", "ScheduleAnyway")
            )
        if pairs[number] in pairs[number + 1 :]:
            shown = f"{{{constraint.get('topologyKey') or ''}, {action}}}"
            yield causes.duplicate(f"{constraint_path}.{{topologyKey, whenUnsatisfiable}}", shown)
        if min_domains is not None and min_domains <= 0:
            yield causes.invalid(f"{constraint_path}.minDomains", min_domains, "must be greater than zero")
        if min_domains is not None and action != "DoNotSchedule":
            detail = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
            yield causes.invalid(f"{constraint_path}.minDomains", min_domains, detail)
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if constraint.get(name) not in (None, *_POLICIES):
                yield causes.unsupported(f"{constraint_path}.{name}", constraint[name], _POLICIES)
        yield from _validate_label_keys({**constraint, "mismatchLabelKeys": None}, constraint_path)
        yield from validate_label_selector(constraint.get("labelSelector"), f"{constraint_path}.labelSelector")


def validate_scheduling_gates(gates: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, gate in enumerate(gates or ()):
        name = str(gate.get("name") or "")
        yield from report_broken_rules(f"{path}[{number}]", name, names.qualified_name(name))
        if name in seen:
            yield causes.duplicate(f"{path}[{number}]", name)
        seen.add(name)


def validate_node_selector_labels(node_selector: Any, path: str) -> Iterator[Cause]:
    """Validate a Pod's nodeSelector."""
    yield from validate_labels(node_selector, path)


def validate_taints(taints: Any, path: str) -> Iterator[Cause]:
    """Validate a Node's taints. Source: validateNodeTaints."""
    seen: set[tuple[str, str]] = set()
    for number, taint in enumerate(taints or ()):
        taint_path, key, effect = f"{path}[{number}]", str(taint.get("key") or ""), str(taint.get("effect") or "")
        yield from report_broken_rules(f"{taint_path}.key", key, names.qualified_name(key))
        value = str(taint.get("value") or "")
        yield from report_broken_rules(f"{taint_path}.value", value, names.label_value(value))
        if not effect:
            yield causes.required(f"{taint_path}.effect")
        elif effect not in EFFECTS:
            yield causes.unsupported(f"{taint_path}.effect", effect, EFFECTS)
        if (key, effect) in seen:
            written = f'{{"Key":"{key}","Value":"{value}","Effect":"{effect}","TimeAdded":null}}'
            yield {
                "reason": "FieldValueDuplicate",
                "message": f"Duplicate value: {written}: taints must be unique by key and effect pair",
                "field": taint_path,
            }
        seen.add((key, effect))
