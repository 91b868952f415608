"""Validation of LimitRanges and ResourceQuotas.

Source: pkg/apis/core/validation ValidateLimitRange, ValidateResourceQuotaSpec.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, resources
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_WHOLE = 10**9
_LIMITED = ("Container", "PersistentVolumeClaim", "Pod")
_AMOUNTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
# Field of the path, field whose value is reported, lower field, higher field, and message; in upstream's order.
_ORDERED = (
    ("min", "min", "min", "max", "min value {} is greater than max value {}"),
    (
        "defaultRequest",
        "defaultRequest",
        "min",
        "defaultRequest",
        "min value {} is greater than default request value {}",
    ),
    (
        "defaultRequest",
        "defaultRequest",
        "defaultRequest",
        "max",
        "default request value {} is greater than max value {}",
    ),
    (
        "defaultRequest",
        "defaultRequest",
        "defaultRequest",
        "default",
        "default request value {} is greater than default limit value {}",
    ),
    ("default", "min", "min", "default", "min value {} is greater than default value {}"),
    ("default", "max", "default", "max", "default value {} is greater than max value {}"),
)

_COMPUTE = ("cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory")
_STORED = ("persistentvolumeclaims", "requests.storage")
_EXISTING = ("BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "Terminating")
_SCOPES = (*_EXISTING, "PriorityClass", "VolumeAttributesClass")
_EXISTS_ONLY = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)
_COUNTED = frozenset(
    {
        *_COMPUTE,
        *_STORED,
        "ephemeral-storage",
        "requests.ephemeral-storage",
        "limits.ephemeral-storage",
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "services.nodeports",
        "services.loadbalancers",
    }
)


def validate_limit_range(value: Object) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, item in enumerate((value.get("spec") or {}).get("limits") or ()):
        path, kind = f"spec.limits[{number}]", str(item.get("type") or "")
        rules = names.qualified_name(kind)
        yield from report_broken_rules(f"{path}.type", kind, rules)
        if not rules and "/" not in kind and kind not in _LIMITED:
            yield causes.invalid(f"{path}.type", kind, "must be a standard limit type or fully qualified")
        if kind in seen:
            yield causes.duplicate(f"{path}.type", kind)
        seen.add(kind)
        yield from _validate_limit_item(item, kind, path)


def _validate_limit_item(item: Object, kind: str, path: str) -> Iterator[Cause]:
    amounts = {key: dict(item.get(key) or {}) for key in _AMOUNTS}
    for key in _AMOUNTS:
        if kind == "Pod" and key in ("default", "defaultRequest"):
            if amounts[key]:
                yield causes.forbidden(f"{path}.{key}", "may not be specified when `type` is 'Pod'")
            amounts[key] = {}
        is_last = key == "maxLimitRequestRatio"
        if is_last and kind == "PersistentVolumeClaim" and not {"storage"} & {*amounts["min"], *amounts["max"]}:
            detail = "either minimum or maximum storage value is required, but neither was provided"
            yield causes.required(f"{path}.limits", detail)
        for name in sorted(amounts[key]):
            yield from _validate_limit_resource_name(kind, name, f"{path}.{key}[{name}]")
    for name in sorted({name for each in amounts.values() for name in each}):
        yield from _validate_limit_order({key: each[name] for key, each in amounts.items() if name in each}, name, path)


def _validate_limit_resource_name(kind: str, name: str, path: str) -> Iterator[Cause]:
    yield from (
        resources.validate_container_resource_name(name, path)
        if kind in ("Container", "Pod")
        else resources.validate_resource_name(name, path)
    )


def _validate_limit_order(amounts: Mapping[str, Any], name: str, path: str) -> Iterator[Cause]:
    for path_field, value_field, low, high, message in _ORDERED:
        if low in amounts and high in amounts and nano(amounts[low]) > nano(amounts[high]):
            field_path = f"{path}.{path_field}[{name}]"
            yield causes.invalid(field_path, str(amounts[value_field]), message.format(amounts[low], amounts[high]))
    yield from _validate_limit_ratio(amounts, f"{path}.maxLimitRequestRatio[{name}]")
    default, request = amounts.get("default"), amounts.get("defaultRequest")
    if default is None or request is None or names.is_overcommit_allowed(name):
        return
    if nano(default) != nano(request):
        detail = f"default value {default} must equal to defaultRequest value {request} in {name}"
        yield causes.invalid(f"{path}.defaultRequest[{name}]", str(request), detail)


def _validate_limit_ratio(amounts: Mapping[str, Any], path: str) -> Iterator[Cause]:
    ratio = amounts.get("maxLimitRequestRatio")
    if ratio is None:
        return
    if nano(ratio) < _WHOLE:
        yield causes.invalid(path, str(ratio), f"ratio {ratio} is less than 1")
    if "min" in amounts and "max" in amounts and nano(amounts["min"]):
        most = nano(amounts["max"]) / nano(amounts["min"])
        if nano(ratio) / _WHOLE > most:
            yield causes.invalid(path, str(ratio), f"ratio {ratio} is greater than max/min = {most:f}")


def validate_quota(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    hard = spec.get("hard") or {}
    yield from _validate_quota_amounts(hard, "spec.hard")
    scopes = spec.get("scopes") or []
    for scope in scopes:
        if scope not in _SCOPES:
            yield causes.invalid("spec.scopes", scopes, "unsupported scope")
        for name in sorted(hard):
            if _is_standard_quota_resource(name) and not _is_scope_valid_for_resource(scope, name):
                yield causes.invalid("spec.scopes", scopes, "unsupported scope applied to resource")
    yield from _validate_scope_conflicts(scopes, scopes)
    selector = spec.get("scopeSelector")
    if selector is not None:
        yield from _validate_scope_selector(selector, hard, scopes)


def _validate_quota_amounts(amounts: Object, path: str) -> Iterator[Cause]:
    for name, amount in sorted(amounts.items()):
        amount_path = f"{path}[{name}]"
        yield from resources.validate_resource_name(name, amount_path)
        if "/" not in name and not _is_standard_quota_resource(name):
            yield causes.invalid(amount_path, name, "must be a standard resource for quota")
        yield from resources.validate_resource_quantity(name, amount, amount_path)


def validate_quota_status_update(live: Object, value: Object) -> Iterator[Cause]:
    """Source: ValidateResourceQuotaStatusUpdate."""
    status = value.get("status") or {}
    for name in ("hard", "used"):
        yield from _validate_quota_amounts(status.get(name) or {}, f"status.{name}")


def validate_quota_update(live: Object, value: Object, sent: Object) -> Iterator[Cause]:
    yield from validate_quota(value)
    old_scopes, new_scopes = ((each.get("spec") or {}).get("scopes") or [] for each in (live, value))
    if set(old_scopes) != set(new_scopes):
        yield causes.invalid("spec.scopes", (sent.get("spec") or {}).get("scopes"), causes.IMMUTABLE)


def _is_standard_quota_resource(name: str) -> bool:
    """Source: helper.IsStandardQuotaResourceName."""
    return name in _COUNTED or name.startswith((names.HUGE_PAGES_PREFIX, f"requests.{names.HUGE_PAGES_PREFIX}"))


def _is_scope_valid_for_resource(scope: str, name: str) -> bool:
    """Source: helper.IsResourceQuotaScopeValidForResource."""
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return name in _STORED
    return name == "pods" or name in _COMPUTE if scope in _SCOPES else True


def _validate_scope_conflicts(scopes: Any, shown: Any) -> Iterator[Cause]:
    for pair in (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")):
        if set(pair) <= set(scopes):
            yield causes.invalid("spec.scopes", shown, "conflicting scopes")


def _validate_scope_selector(selector: Object, hard: Object, scopes: Any) -> Iterator[Cause]:
    """Validate scope selectors. Upstream reports each problem at the path of the whole list."""
    path, expressions = "spec.scopeSelector.matchExpressions", selector.get("matchExpressions") or ()
    for requirement in expressions:
        scope, operator = str(requirement.get("scopeName") or ""), str(requirement.get("operator") or "")
        if scope not in _SCOPES:
            yield causes.invalid(f"{path}.scopeName", scope, "unsupported scope")
        for name in sorted(hard):
            if _is_standard_quota_resource(name) and not _is_scope_valid_for_resource(scope, name):
                yield causes.invalid(path, _to_go_selector(selector), "unsupported scope applied to resource")
        if scope in _EXISTING and operator != "Exists":
            yield causes.invalid(f"{path}.operator", operator, _EXISTS_ONLY)
        values = requirement.get("values") or []
        if operator in ("In", "NotIn"):
            if not values:
                detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
                yield causes.required(f"{path}.values", detail)
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                yield causes.invalid(f"{path}.values", values, detail)
        else:
            yield causes.invalid(f"{path}.operator", operator, "not a valid selector operator")
    yield from _validate_scope_conflicts([requirement.get("scopeName") for requirement in expressions], scopes or None)


def _to_go_selector(selector: Object) -> Object:
    fields = ("ScopeName", "Operator", "Values")
    expressions = [
        go_values.Ordered({name: each.get(name[:1].lower() + name[1:]) for name in fields})
        for each in selector.get("matchExpressions") or ()
    ]
    return go_values.Ordered({"MatchExpressions": expressions})
