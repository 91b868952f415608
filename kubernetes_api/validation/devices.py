"""Claims of devices and what drivers offer. Source: pkg/apis/resource/validation."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import go_values
from kubernetes_api.validation.metadata import annotations, broken, labels, named_once
from scheduler_core.objects import names

Object = Mapping[str, Any]

_LONGEST_EXPRESSION = 10 * 1024
_MODES = ("All", "ExactCount")
_ONE_OF = "exactly one of `exactly` or `firstAvailable` is required"
_WHERE = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"


def claim(value: Object) -> Iterator[Cause]:
    yield from _claim(_inside(value, "spec"), "spec")


def claim_template(value: Object) -> Iterator[Cause]:
    of_claims = _inside(value, "spec", "metadata")
    yield from labels(of_claims.get("labels"), "spec.metadata.labels")
    yield from annotations(of_claims.get("annotations"), "spec.metadata.annotations")
    yield from _claim(_inside(value, "spec", "spec"), "spec.spec")


def _claim(spec: Object, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(_requests(spec)):
        at, name = f"{path}.devices.requests[{number}]", str(each.get("name") or "")
        ways = [key for key in ("exactly", "firstAvailable") if each.get(key)]
        yield from named_once(f"{at}.name", name, seen)
        if not ways:
            yield causes.required(at, _ONE_OF)
        elif len(ways) > 1:
            yield causes.invalid(at, "", f"{_ONE_OF}, but multiple fields are set")
        if each.get("exactly"):
            yield from _request(each["exactly"], f"{at}.exactly")
        subs: set[str] = set()
        for place, sub in enumerate(each.get("firstAvailable") or ()):
            yield from named_once(f"{at}.firstAvailable[{place}].name", str(sub.get("name") or ""), subs)
            yield from _request(sub, f"{at}.firstAvailable[{place}]")


def _request(given: Object, path: str) -> Iterator[Cause]:
    name = str(given.get("deviceClassName") or "")
    if not name:
        yield causes.required(f"{path}.deviceClassName")
    else:
        yield from broken(f"{path}.deviceClassName", name, names.dns_subdomain(name))
    mode, count = given.get("allocationMode"), given.get("count") or 0
    if mode == "All":
        if count:
            detail = "must not be specified when allocationMode is 'All'"
            yield causes.invalid(f"{path}.count", count, detail)
    elif mode == "ExactCount":
        if count <= 0:
            yield causes.invalid(f"{path}.count", count, "must be greater than zero")
    else:
        yield causes.unsupported(f"{path}.allocationMode", mode or "", _MODES)
    yield from _selectors(given.get("selectors"), f"{path}.selectors")


def device_class(value: Object) -> Iterator[Cause]:
    yield from _selectors(_inside(value, "spec").get("selectors"), "spec.selectors")


def _selectors(given: Any, path: str) -> Iterator[Cause]:
    """Source: validateSelectorSlice."""
    for number, each in enumerate(given or ()):
        at = f"{path}[{number}].cel"
        if not each.get("cel"):
            yield causes.required(at)
            continue
        expression = str(each["cel"].get("expression") or "")
        if not expression:
            yield causes.required(f"{at}.expression")
        elif len(expression) > _LONGEST_EXPRESSION:
            yield causes.too_long(f"{at}.expression", _LONGEST_EXPRESSION)
        elif detail := _why_not_compiled(expression):
            yield causes.invalid(f"{at}.expression", expression, detail)


def _why_not_compiled(expression: str) -> str:
    from scheduler_core.objects.expressions import why_not_compiled  # its library takes 0.2 s, and few need it

    return why_not_compiled(expression)


def claim_changed(live: Object, value: Object) -> Iterator[Cause]:
    if _inside(live, "spec") != _inside(value, "spec"):
        shown = go_values.value("ResourceClaimSpec", _inside(value, "spec"))
        yield causes.invalid("spec", shown, causes.IMMUTABLE)
    yield from claim(value)


def claim_template_changed(live: Object, value: Object) -> Iterator[Cause]:
    if _inside(live, "spec") != _inside(value, "spec"):
        shown = go_values.Ordered(_inside(value, "spec", "metadata"))
        shown["Spec"] = go_values.value("ResourceClaimSpec", _inside(value, "spec", "spec"))
        yield causes.invalid("spec", shown, causes.IMMUTABLE)


def status_changed(live: Object, value: Object) -> Iterator[Cause]:
    known = set()
    for each in _requests(_inside(value, "spec")):
        known.add(str(each.get("name")))
        known |= {f"{each.get('name')}/{sub.get('name')}" for sub in each.get("firstAvailable") or ()}
    allocation = (value.get("status") or {}).get("allocation") or {}
    for number, result in enumerate((allocation.get("devices") or {}).get("results") or ()):
        at = f"status.allocation.devices.results[{number}]"
        if str(result.get("request") or "") not in known:
            yield causes.invalid(f"{at}.request", result.get("request") or "", _REQUEST)
        for key, rule in (("driver", names.dns_subdomain), ("device", names.dns_label)):
            if not result.get(key):
                yield causes.required(f"{at}.{key}")
            else:
                yield from broken(f"{at}.{key}", result[key], rule(str(result[key])))


def slice_(value: Object) -> Iterator[Cause]:
    spec = _inside(value, "spec")
    where = [key for key in _WHERE if spec.get(key)]
    several = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
    if not where:
        yield causes.required("spec", several)
    elif len(where) > 1:
        shown = "{" + ", ".join(f"`{key}`" for key in where) + "}"
        yield causes.invalid("spec", shown, f"{several}, but multiple fields are set")
    driver = str(spec.get("driver") or "")
    if not driver:
        yield causes.required("spec.driver")
    else:
        yield from broken("spec.driver", driver, names.dns_subdomain(driver))
    seen: set[str] = set()
    for number, each in enumerate(spec.get("devices") or ()):
        at, name = f"spec.devices[{number}]", str(each.get("name") or "")
        yield from broken(f"{at}.name", name, names.dns_label(name))
        if name in seen:
            yield causes.duplicate(at, name)
        seen.add(name)


def _requests(spec: Object) -> list[Any]:
    return _inside(spec, "devices").get("requests") or []


def _inside(value: Object, *path: str) -> Object:
    for key in path:
        value = value.get(key) or {}
    return value
