"""Validation of resource requirements. Source: pkg/apis/core/validation ValidateResourceRequirements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_WHOLE = 10**9
_LIMIT = "Limit must be set for non overcommitable resources"


def validate_requirements(
    required: Any,
    path: str,
    claims: Sequence[str] | None = None,
    rule: Callable[[str, str], Iterator[Cause]] | None = None,
) -> Iterator[Cause]:
    """Validate requests, limits and claims.

    `claims` are the Pod's claim names; `rule` replaces the check of resource names.
    """
    check_name = rule or validate_container_resource_name
    required = required or {}
    limits, requests = required.get("limits") or {}, required.get("requests") or {}
    for name, amount in sorted(limits.items()):
        amount_path = f"{path}.limits[{name}]"
        yield from check_name(name, amount_path)
        yield from validate_resource_quantity(name, amount, amount_path)
        yield from _validate_huge_pages(name, amount, amount_path)
    for name, amount in sorted(requests.items()):
        amount_path = f"{path}.requests[{name}]"
        yield from check_name(name, amount_path)
        yield from validate_resource_quantity(name, amount, amount_path)
        if name in limits:
            may_overcommit = names.is_overcommit_allowed(name)
            if not may_overcommit and nano(amount) != nano(limits[name]):
                yield causes.invalid(f"{path}.requests", amount, f"must be equal to {name} limit of {limits[name]}")
            elif may_overcommit and nano(amount) > nano(limits[name]):
                detail = f"must be less than or equal to {name} limit of {limits[name]}"
                yield causes.invalid(f"{path}.requests", amount, detail)
        elif not names.is_overcommit_allowed(name):
            yield causes.required(f"{path}.limits", _LIMIT)
        yield from _validate_huge_pages(name, amount, amount_path)
    everything = {**limits, **requests}
    if any(name.startswith(names.HUGE_PAGES_PREFIX) for name in everything) and not everything.keys() & {
        "cpu",
        "memory",
    }:
        yield causes.forbidden(path, "HugePages require cpu or memory")
    yield from _validate_container_claims(required.get("claims"), f"{path}.claims", claims)


def validate_resource_name(name: str, path: str) -> Iterator[Cause]:
    """Source: validateResourceName."""
    rules = names.qualified_name(name)
    yield from report_broken_rules(path, name, rules)
    if not rules and "/" not in name and not is_standard_resource(name):
        yield causes.invalid(path, name, "must be a standard resource type or fully qualified")


def validate_container_resource_name(name: str, path: str) -> Iterator[Cause]:
    """Source: validateContainerResourceName, through validateResourceName."""
    yield from validate_resource_name(name, path)
    is_standard = name in names.STANDARD_CONTAINER_RESOURCES or name.startswith(names.HUGE_PAGES_PREFIX)
    if "/" not in name and not is_standard:
        yield causes.invalid(path, name, "must be a standard resource for containers")
    elif "/" in name and names.container_resource(name):
        yield causes.invalid(path, name, "doesn't follow extended resource name standard")


def is_standard_resource(name: str) -> bool:
    """Source: helper.IsStandardResourceName."""
    return name in _STANDARD or name.startswith((names.HUGE_PAGES_PREFIX, f"requests.{names.HUGE_PAGES_PREFIX}"))


def validate_resource_quantity(name: str, amount: Any, path: str) -> Iterator[Cause]:
    """Source: ValidateResourceQuantityValue."""
    value = nano(amount)
    if value < 0:
        yield causes.invalid(path, str(amount), causes.NOT_NEGATIVE)
    if (names.is_extended_resource(name) or name in _COUNTED) and value % _WHOLE:
        yield causes.invalid(path, str(amount), "must be an integer")


_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_COUNTED = (
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
)
_STANDARD = frozenset(
    [
        *_COMPUTE,
        *(f"{which}.{name}" for which in ("requests", "limits") for name in _COMPUTE),
        *_COUNTED,
        "storage",
        "requests.storage",
    ]
)


def _validate_container_claims(claims: Any, path: str, known: Sequence[str] | None) -> Iterator[Cause]:
    """Validate the claims of a container.

    It may use a claim either as a whole or by requests. Source: validateResourceClaimNames.
    """
    seen: set[str] = set()
    for number, claim in enumerate(claims or ()):
        name, request = str(claim.get("name") or ""), str(claim.get("request") or "")
        claim_path, key = f"{path}[{number}]", f"{name}/{request}" if request else name
        if not name:
            yield causes.required(claim_path)
            continue
        if name in seen:
            yield causes.duplicate(claim_path, name)
        else:
            if request:
                yield from report_broken_rules(f"{claim_path}.request", request, names.dns_label(request))
            if key in seen or (not request and any(other.startswith(f"{name}/") for other in seen)):
                yield causes.duplicate(claim_path, key)
            seen.add(key)
        if known is not None and name not in known:
            detail = "must be one of the names in pod.spec.resourceClaims"
            message = f"{detail}: {', '.join(sorted(known))}" if known else f"{detail} which is empty"
            yield causes.not_found(claim_path, name, message)


def _validate_huge_pages(name: str, amount: Any, path: str) -> Iterator[Cause]:
    """Source: validateResourceQuantityHugePageValue."""
    if not name.startswith(names.HUGE_PAGES_PREFIX):
        return
    size = nano(name.removeprefix(names.HUGE_PAGES_PREFIX))
    if size <= 0 or size % _WHOLE or nano(amount) % size:
        yield causes.invalid(path, str(amount), f"{amount} is not positive integer multiple of {name}")
