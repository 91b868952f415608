"""Validation of Leases and RuntimeClasses. Source: pkg/apis/coordination/validation, pkg/apis/node/validation."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, resources, scheduling
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field, validate_labels
from kube_objects import names

Object = Mapping[str, Any]

_STRATEGIES = ("OldestEmulationVersion",)
_TOLERATION = {
    "Key": "key",
    "Operator": "operator",
    "Value": "value",
    "Effect": "effect",
    "TolerationSeconds": "tolerationSeconds",
}


def validate_lease(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    seconds, transitions, strategy = (
        spec.get(name) for name in ("leaseDurationSeconds", "leaseTransitions", "strategy")
    )
    if seconds is not None and seconds <= 0:
        yield causes.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")
    if transitions is not None and transitions < 0:
        yield causes.invalid("spec.leaseTransitions", transitions, causes.NOT_NEGATIVE)
    if strategy is not None:
        # Upstream's path repeats the field's name.
        strategy_path = "spec.strategy.strategy"
        if "/" in str(strategy):
            yield from report_broken_rules(strategy_path, strategy, names.qualified_name(str(strategy)))
        elif strategy not in _STRATEGIES:
            yield causes.unsupported(strategy_path, strategy, _STRATEGIES)
    if spec.get("preferredHolder") and not strategy:
        yield causes.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined")


def validate_runtime_class(value: Object) -> Iterator[Cause]:
    handler = str(value.get("handler") or "")
    if not handler:
        yield causes.required("handler")
    else:
        yield from report_broken_rules("handler", handler, names.dns_label(handler))
    overhead, rules = value.get("overhead"), value.get("scheduling")
    if overhead is not None:
        yield from resources.validate_requirements({"limits": overhead.get("podFixed")}, "overhead")
    if rules is None:
        return
    yield from validate_labels(rules.get("nodeSelector"), "scheduling.nodeSelector")
    tolerations, path = rules.get("tolerations") or (), "scheduling.tolerations"
    yield from scheduling.validate_tolerations(tolerations, path)
    seen = set[tuple[Any, ...]]()
    for number, toleration in enumerate(tolerations):
        key = tuple(toleration.get(name) or "" for name in ("key", "operator", "value", "effect"))
        if key in seen:
            shown = {
                go: toleration.get(name, None if go == "TolerationSeconds" else "") for go, name in _TOLERATION.items()
            }
            yield causes.duplicate(f"{path}[{number}]", go_values.Ordered(shown))
        seen.add(key)


def validate_runtime_class_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_runtime_class(value)
    yield from validate_immutable_field("handler", live.get("handler") or "", value.get("handler") or "")
