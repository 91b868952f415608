"""What containers ask for. Source: pkg/apis/core/validation ValidateResourceRequirements."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation.metadata import broken
from scheduler_core.admission.amounts import nano
from scheduler_core.objects import names

Object = Mapping[str, Any]

_WHOLE = 10**9
_LIMIT = "Limit must be set for non overcommitable resources"


def requirements(given: Any, path: str, claims: Sequence[str] | None = None) -> Iterator[Cause]:
    """Of a container: `claims` are the names that the pod knows."""
    given = given or {}
    limits, requests = given.get("limits") or {}, given.get("requests") or {}
    for name, amount in sorted(limits.items()):
        at = f"{path}.limits[{name}]"
        yield from resource_name(name, at)
        yield from quantity(name, amount, at)
    for name, amount in sorted(requests.items()):
        at = f"{path}.requests[{name}]"
        yield from resource_name(name, at)
        yield from quantity(name, amount, at)
        if name in limits:
            is_free = names.is_overcommit_allowed(name)
            if not is_free and nano(amount) != nano(limits[name]):
                yield causes.invalid(f"{path}.requests", amount, f"must be equal to {name} limit of {limits[name]}")
            elif is_free and nano(amount) > nano(limits[name]):
                detail = f"must be less than or equal to {name} limit of {limits[name]}"
                yield causes.invalid(f"{path}.requests", amount, detail)
        elif not names.is_overcommit_allowed(name):
            yield causes.required(f"{path}.limits", _LIMIT)
    everything = {**limits, **requests}
    if any(name.startswith(names.HUGE_PAGES_PREFIX) for name in everything) and not everything.keys() & {
        "cpu",
        "memory",
    }:
        yield causes.forbidden(path, "HugePages require cpu or memory")
    yield from _claims(given.get("claims"), f"{path}.claims", claims)


def resource_name(name: str, path: str) -> Iterator[Cause]:
    """Source: validateContainerResourceName, through validateResourceName."""
    rules = names.qualified_name(name)
    yield from broken(path, name, rules)
    if rules:
        return
    is_standard = name in names.STANDARD_CONTAINER_RESOURCES or name.startswith(names.HUGE_PAGES_PREFIX)
    if "/" not in name and not is_standard:
        if not is_any_standard(name):
            yield causes.invalid(path, name, "must be a standard resource type or fully qualified")
        yield causes.invalid(path, name, "must be a standard resource for containers")
    elif "/" in name and names.container_resource(name):
        yield causes.invalid(path, name, "doesn't follow extended resource name standard")


def is_any_standard(name: str) -> bool:
    """Source: helper.IsStandardResourceName."""
    core = ("cpu", "memory", "ephemeral-storage", "pods", "services", "replicationcontrollers", "secrets", "storage")
    also = ("configmaps", "resourcequotas", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers")
    return name in core or name in also or name.startswith(("requests.", "limits.", names.HUGE_PAGES_PREFIX))


def quantity(name: str, amount: Any, path: str) -> Iterator[Cause]:
    """Source: ValidateResourceQuantityValue."""
    value = nano(amount)
    if value < 0:
        yield causes.invalid(path, str(amount), causes.NOT_NEGATIVE)
    if (names.is_extended_resource(name) or name in _COUNTED) and value % _WHOLE:
        yield causes.invalid(path, str(amount), "must be an integer")


_COUNTED = ("pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps")


def _claims(given: Any, path: str, known: Sequence[str] | None) -> Iterator[Cause]:
    seen: set[tuple[str, str]] = set()
    for number, each in enumerate(given or ()):
        name, request = str(each.get("name") or ""), str(each.get("request") or "")
        at = f"{path}[{number}]"
        if not name:
            yield causes.required(f"{at}.name")
        elif (name, request) in seen:
            yield causes.duplicate(f"{at}.name", name)
        else:
            seen.add((name, request))
            if known is not None and name not in known:
                detail = "must be one of the names in pod.spec.resourceClaims"
                yield causes.not_found(
                    at, name, f"{detail}: {', '.join(known)}" if known else detail + " which is empty"
                )


def warnings(spec: Any, path: str) -> Iterator[str]:
    """What an API server takes, and warns of. Source: pkg/api/pod/warnings.go."""
    for part in ("initContainers", "containers"):
        for number, container in enumerate((spec or {}).get(part) or ()):
            for which in ("requests", "limits"):
                amounts = (container.get("resources") or {}).get(which) or {}
                for name in ("ephemeral-storage", "memory"):
                    if name in amounts and nano(amounts[name]) % _WHOLE:
                        at = f"{path}.{part}[{number}].resources.{which}[{name}]"
                        yield f'{at}: fractional byte value "{amounts[name]}" is invalid, must be an integer'
