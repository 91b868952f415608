"""Validation of a Job's Pod failure policy, success policy and Pod replacement policy.

Source: pkg/apis/batch/validation.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values
from kube_apiserver.validation.metadata import report_broken_rules
from kube_apiserver.validation.workloads.workloads import validate_not_negative
from kube_objects import names

Object = Mapping[str, Any]

_MOST_RULES = 20
_MOST_CODES = 255
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_GO: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "podFailurePolicy": (("Rules", "rules", "[]rule"),),
    "rule": (
        ("Action", "action", ""),
        ("OnExitCodes", "onExitCodes", "codes"),
        ("OnPodConditions", "onPodConditions", "[]condition"),
    ),
    "codes": (("ContainerName", "containerName", ""), ("Operator", "operator", ""), ("Values", "values", "")),
    "condition": (("Type", "type", ""), ("Status", "status", "")),
    "successPolicy": (("Rules", "rules", "[]success"),),
    "success": (("SucceededIndexes", "succeededIndexes", ""), ("SucceededCount", "succeededCount", "")),
}


def to_go_policy(kind: str, policy: Any) -> Any:
    """Return a value as Go prints the internal type `kind`. Values of other types are returned unchanged."""
    if policy is None or kind not in _GO:
        return policy
    result = go_values.Ordered()
    for go, name, field_type in _GO[kind]:
        item = policy.get(name)
        if field_type.startswith("[]"):
            result[go] = None if item is None else [to_go_policy(field_type[2:], each) for each in item]
        else:
            result[go] = to_go_policy(field_type, item) if field_type else item
    return result


def validate_failure_policy(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validatePodFailurePolicy."""
    policy = spec.get("podFailurePolicy")
    if policy is None:
        return
    rules, inner = policy.get("rules") or [], (spec.get("template") or {}).get("spec") or {}
    if len(rules) > _MOST_RULES:
        yield causes.too_many(f"{path}.rules", len(rules), _MOST_RULES)
    known = {each.get("name") for part in ("containers", "initContainers") for each in inner.get(part) or ()}
    for number, rule in enumerate(rules):
        rule_path, action = f"{path}.rules[{number}]", rule.get("action") or ""
        if not action:
            yield causes.required(f"{rule_path}.action", _list_valid_values(_ACTIONS))
        elif action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            yield causes.invalid(f"{rule_path}.action", action, "requires the backoffLimitPerIndex to be set")
        elif action not in _ACTIONS:
            yield causes.unsupported(f"{rule_path}.action", action, _ACTIONS)
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
        if codes is not None:
            yield from _validate_exit_codes(codes, known, f"{rule_path}.onExitCodes")
        yield from _validate_pod_conditions(conditions, f"{rule_path}.onPodConditions")
        if (codes is not None) == bool(conditions):
            both_set = "both OnExitCodes and OnPodConditions is not supported"
            message = both_set if conditions else "one of OnExitCodes and OnPodConditions is required"
            yield causes.invalid_without_value(rule_path, f"specifying {message}")


def _list_valid_values(values: Sequence[str]) -> str:
    """Return the detail that lists valid values, formatted as Go's `%q` prints a slice."""
    quoted = " ".join(f'"{each}"' for each in values)
    return f"valid values: [{quoted}]"


def _validate_exit_codes(exit_codes: Object, known: set[Any], path: str) -> Iterator[Cause]:
    operator, values, name = (
        exit_codes.get("operator") or "",
        exit_codes.get("values") or [],
        exit_codes.get("containerName"),
    )
    if not operator:
        yield causes.required(f"{path}.operator", _list_valid_values(_OPERATORS))
    elif operator not in _OPERATORS:
        yield causes.unsupported(f"{path}.operator", operator, _OPERATORS)
    if name is not None and name not in known:
        detail = "must be one of the container or initContainer names in the pod template"
        yield causes.invalid(f"{path}.containerName", name, detail)
    if not values:
        yield causes.invalid(f"{path}.values", exit_codes.get("values"), "at least one value is required")
    elif len(values) > _MOST_CODES:
        yield causes.too_many(f"{path}.values", len(values), _MOST_CODES)
    for number, value in enumerate(values):
        if operator == "In" and value == 0:
            yield causes.invalid(f"{path}.values[{number}]", value, "must not be 0 for the In operator")
        if value in values[:number]:
            yield causes.duplicate(f"{path}.values[{number}]", value)
    if values != sorted(values):
        yield causes.invalid(f"{path}.values", values, "must be ordered")


def _validate_pod_conditions(conditions: Sequence[Object], path: str) -> Iterator[Cause]:
    if len(conditions) > _MOST_RULES:
        yield causes.too_many(path, len(conditions), _MOST_RULES)
    for number, condition in enumerate(conditions):
        kind, status = str(condition.get("type") or ""), condition.get("status") or ""
        yield from report_broken_rules(f"{path}[{number}].type", kind, names.qualified_name(kind))
        if not status:
            yield causes.required(f"{path}[{number}].status", _list_valid_values(_STATUSES))
        elif status not in _STATUSES:
            yield causes.unsupported(f"{path}[{number}].status", status, _STATUSES)


def validate_success_policy(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validateSuccessPolicy."""
    policy, count = spec.get("successPolicy"), spec.get("completions") or 0
    if policy is None:
        return
    if spec.get("completionMode") != "Indexed":
        yield causes.invalid(path, to_go_policy("successPolicy", policy), "requires indexed completion mode")
        return
    rules = policy.get("rules") or []
    if not rules:
        message = "at least one rules must be specified when the successPolicy is specified"
        yield causes.required(f"{path}.rules", message)
    if len(rules) > _MOST_RULES:
        yield causes.too_many(f"{path}.rules", len(rules), _MOST_RULES)
    for number, rule in enumerate(rules):
        yield from _validate_success_rule(rule, count, f"{path}.rules[{number}]")


def _validate_success_rule(rule: Object, count: int, path: str) -> Iterator[Cause]:
    succeeded_count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if succeeded_count is None and indexes is None:
        yield causes.required(path, "at least one of succeededCount or succeededIndexes must be specified")
    total = 0
    if indexes is not None:
        try:
            total = count_indexes(str(indexes), count)
        except ValueError as wrong:
            message = f"error parsing succeededIndexes: {wrong}"
            yield causes.invalid(f"{path}.succeededIndexes", indexes, message)
    if succeeded_count is None:
        return
    yield from validate_not_negative(rule, "succeededCount", path=path)
    count_path, bound = f"{path}.succeededCount", "must be less than or equal to"
    if succeeded_count > count:
        yield causes.invalid(count_path, succeeded_count, f"{bound} {count} (the number of specified completions)")
    if indexes is not None and succeeded_count > total:
        message = f"{bound} {total} (the number of indexes in the specified succeededIndexes field)"
        yield causes.invalid(count_path, succeeded_count, message)


def count_indexes(text: str, count: int) -> int:
    """Return the number of indexes in text like `1,3-5`.

    Raise ValueError with upstream's message. Source: validateIndexesFormat.
    """
    total, last = 0, -1
    for interval in text.split(",") if text else ():
        ends = interval.split("-")
        if len(ends) > 2:
            rule = "violates the requirement that an index interval can have at most two parts separated by '-'"
            raise ValueError(f'the fragment "{interval}" {rule}')
        numbers = [_parse_index(each, count) for each in ends]
        if len(numbers) == 2 and numbers[0] >= numbers[1]:
            raise ValueError(f"non-increasing order, previous: {numbers[0]}, current: {numbers[1]}")
        if last >= numbers[0]:
            raise ValueError(f"non-increasing order, previous: {last}, current: {numbers[0]}")
        total += numbers[-1] - numbers[0] + 1
        last = numbers[-1]
    return total


def _parse_index(text: str, count: int) -> int:
    if not re.fullmatch(r"[+]?[0-9]{1,18}", text):
        raise ValueError(f'cannot convert string to integer for index: "{text}"')
    if int(text) >= count:
        raise ValueError(f'too large index: "{text}"')
    return int(text)


def validate_replacement_policy(spec: Object, path: str) -> Iterator[Cause]:
    policy = spec.get("podReplacementPolicy")
    known = ("Failed",) if spec.get("podFailurePolicy") is not None else ("Failed", "TerminatingOrFailed")
    if policy is not None and policy not in known:
        yield causes.unsupported(path, policy, known)
