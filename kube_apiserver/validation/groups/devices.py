"""Validation of ResourceClaims, ResourceClaimTemplates and DeviceClasses. Source: pkg/apis/resource/validation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, go_values, scheduling
from kube_apiserver.validation.groups import device_names, device_statuses
from kube_apiserver.validation.metadata import report_broken_rules, validate_annotations, validate_labels
from kube_objects import names

Object = Mapping[str, Any]

_LONGEST_EXPRESSION = 10 * 1024
_MODES = ("All", "ExactCount")
_ONE_OF = "exactly one of `exactly` or `firstAvailable` is required"
_MOST, _MOST_OF_SOME, _MOST_USERS = 32, 8, 256
# Metadata that a claim template may not set (only labels and annotations are copied), in Go's order of fields.
_NOT_OF_TEMPLATES = (
    *("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields"),
)
_REQUEST = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"


def validate_claim(value: Object) -> Iterator[Cause]:
    yield from _validate_claim_spec(_get_nested(value, "spec"), "spec")


def validate_claim_template(value: Object) -> Iterator[Cause]:
    of_claims = _get_nested(value, "spec", "metadata")
    yield from validate_annotations(of_claims.get("annotations"), "spec.metadata.annotations")
    yield from validate_labels(of_claims.get("labels"), "spec.metadata.labels")
    for name in _NOT_OF_TEMPLATES:
        if of_claims.get(name):
            yield causes.forbidden(f"spec.metadata.{name}", "cannot be set")
    yield from _validate_claim_spec(_get_nested(value, "spec", "spec"), "spec.spec")


def _validate_claim_spec(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validateDeviceClaim."""
    devices, devices_path = _get_nested(spec, "devices"), f"{path}.devices"
    known = _list_request_names(spec)
    yield from _validate_set(_list_requests(spec), f"{devices_path}.requests", _MOST, _validate_device_request)
    for key in ("constraints", "config"):
        items = devices.get(key) or []
        if len(items) > _MOST:
            yield causes.too_many(f"{devices_path}.{key}", len(items), _MOST)
            continue
        for number, item in enumerate(items):
            item_path = f"{devices_path}.{key}[{number}]"
            yield from _validate_request_references(item.get("requests") or [], known, f"{item_path}.requests")
            yield from (
                _validate_constraint(item, item_path)
                if key == "constraints"
                else _validate_opaque_config(item, item_path)
            )


def _validate_set(
    items: Sequence[Any], path: str, most: int, check: Callable[[Object, str], Iterator[Cause]]
) -> Iterator[Cause]:
    """Yield what is wrong with named items: their number, each item, and repeated names. Source: validateSet."""
    if len(items) > most:
        yield causes.too_many(path, len(items), most)
        return
    for number, item in enumerate(items):
        yield from check(item, f"{path}[{number}]")
    seen: set[str] = set()
    for number, item in enumerate(items):
        name = str(item.get("name") or "")
        if name in seen:
            yield causes.duplicate(f"{path}[{number}]", name)
        seen.add(name)


def _validate_device_request(request: Object, path: str) -> Iterator[Cause]:
    name, subrequests = str(request.get("name") or ""), request.get("firstAvailable") or []
    yield from report_broken_rules(f"{path}.name", name, names.dns_label(name))
    if request.get("exactly") is None and not subrequests:
        yield causes.required(path, _ONE_OF)
    elif request.get("exactly") is not None and subrequests:
        yield causes.invalid(path, None, f"{_ONE_OF}, but multiple fields are set")
    elif subrequests:
        yield from _validate_set(subrequests, f"{path}.firstAvailable", _MOST_OF_SOME, _validate_subrequest)
    else:
        yield from _validate_exact_request(request["exactly"], f"{path}.exactly")


def _validate_subrequest(subrequest: Object, path: str) -> Iterator[Cause]:
    name = str(subrequest.get("name") or "")
    yield from report_broken_rules(f"{path}.name", name, names.dns_label(name))
    yield from _validate_exact_request(subrequest, path)


def _validate_request_references(references: Sequence[Any], known: set[str], path: str) -> Iterator[Cause]:
    """Yield what is wrong with references to requests, each of which may appear once."""
    if len(references) > _MOST:
        yield causes.too_many(path, len(references), _MOST)
        return
    for number, name in enumerate(references):
        yield from _validate_request_reference(str(name), known, f"{path}[{number}]")
    for number, name in enumerate(references):
        if name in references[:number]:
            yield causes.duplicate(f"{path}[{number}]", name)


def _validate_request_reference(name: str, known: set[str], path: str) -> Iterator[Cause]:
    """Source: validateRequestNameRef."""
    for part in name.split("/"):
        yield from report_broken_rules(path, part, names.dns_label(part))
    if name not in known:
        yield causes.invalid(path, name, _REQUEST)


def _validate_constraint(constraint: Object, path: str) -> Iterator[Cause]:
    key = next((key for key in ("matchAttribute", "distinctAttribute") if constraint.get(key) is not None), "")
    if not key:
        both = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
        yield causes.required(path, both)
        return
    name = str(constraint[key])
    yield from device_names.validate_qualified_name(name, f"{path}.{key}")
    if "/" not in name:
        detail = "a fully qualified name must be a domain and a name separated by a slash"
        yield causes.invalid(f"{path}.{key}", name, detail)


def _validate_opaque_config(config: Object, path: str) -> Iterator[Cause]:
    """Source: validateDeviceConfiguration."""
    opaque, opaque_path = config.get("opaque"), f"{path}.opaque"
    if opaque is None:
        yield causes.required(opaque_path)
        return
    yield from claims.validate_csi_driver_name(opaque.get("driver"), f"{opaque_path}.driver")
    parameters = opaque.get("parameters")
    if parameters is None:
        yield causes.required(f"{opaque_path}.parameters")
    elif not isinstance(parameters, Mapping):
        yield causes.invalid(f"{opaque_path}.parameters", "<value omitted>", "must be a valid JSON object")


def _validate_exact_request(request: Object, path: str) -> Iterator[Cause]:
    name = str(request.get("deviceClassName") or "")
    if not name:
        yield causes.required(f"{path}.deviceClassName")
    else:
        yield from report_broken_rules(f"{path}.deviceClassName", name, names.dns_subdomain(name))
    yield from _validate_selectors(request.get("selectors"), f"{path}.selectors")
    mode, count = request.get("allocationMode"), request.get("count") or 0
    if mode == "All":
        if count:
            detail = "must not be specified when allocationMode is 'All'"
            yield causes.invalid(f"{path}.count", count, detail)
    elif mode == "ExactCount":
        if count <= 0:
            yield causes.invalid(f"{path}.count", count, "must be greater than zero")
    else:
        yield causes.unsupported(f"{path}.allocationMode", mode or "", _MODES)
    for number, toleration in enumerate(request.get("tolerations") or ()):
        yield from _validate_toleration(toleration, f"{path}.tolerations[{number}]")


def _validate_toleration(toleration: Object, path: str) -> Iterator[Cause]:
    """Source: validateDeviceToleration."""
    key, operator, value, effect = (str(toleration.get(name) or "") for name in ("key", "operator", "value", "effect"))
    if key:
        yield from report_broken_rules(f"{path}.key", key, names.qualified_name(key))
    if operator == "Exists":
        if value:
            yield causes.invalid(f"{path}.value", value, "must be empty for operator `Exists`")
    elif operator == "Equal":
        yield from report_broken_rules(f"{path}.value", value, names.label_value(value))
    elif not operator:
        yield causes.required(f"{path}.operator")
    else:
        yield causes.unsupported(f"{path}.operator", operator, ("Equal", "Exists"))
    if effect and effect not in device_names.EFFECTS:
        yield causes.unsupported(f"{path}.effect", effect, device_names.EFFECTS)


def validate_device_class(value: Object) -> Iterator[Cause]:
    spec = _get_nested(value, "spec")
    yield from _validate_selectors(spec.get("selectors"), "spec.selectors")
    for number, each in enumerate(spec.get("config") or ()):
        yield from _validate_opaque_config(each, f"spec.config[{number}]")
    name = spec.get("extendedResourceName")
    if name is not None and not names.is_extended_resource(str(name)):
        yield causes.invalid("spec.extendedResourceName", name, "must be a valid extended resource name")


def _validate_selectors(selectors: Any, path: str) -> Iterator[Cause]:
    """Source: validateSelectorSlice."""
    if len(selectors or ()) > _MOST:
        yield causes.too_many(path, len(selectors), _MOST)
        return
    for number, selector in enumerate(selectors or ()):
        cel_path = f"{path}[{number}].cel"
        if not selector.get("cel"):
            yield causes.required(cel_path)
            continue
        expression = str(selector["cel"].get("expression") or "")
        if len(expression) > _LONGEST_EXPRESSION:
            yield causes.too_long(f"{cel_path}.expression", _LONGEST_EXPRESSION)
        else:
            yield from _validate_cel_expression(expression, f"{cel_path}.expression")


def _validate_cel_expression(expression: str, path: str) -> Iterator[Cause]:
    """Yield why a selector doesn't compile, or that it costs too much. Source: validateCELSelector."""
    # Import lazily: the CEL library is slow to import, and few objects need it.
    from kube_objects.expression_limits import TOO_COMPLEX
    from kube_objects.expressions import why_not_compiled

    detail = why_not_compiled(expression)
    if detail == TOO_COMPLEX:
        yield causes.forbidden(path, detail)
    elif detail:
        yield causes.invalid(path, expression, detail)


def validate_claim_update(live: Object, value: Object, sent: Object) -> Iterator[Cause]:
    if _get_nested(live, "spec") != _get_nested(value, "spec"):
        shown = go_values.to_go_value("ResourceClaimSpec", _get_nested(sent, "spec"))
        yield causes.invalid("spec", shown, causes.IMMUTABLE)


def validate_claim_template_update(live: Object, value: Object, sent: Object) -> Iterator[Cause]:
    if _get_nested(live, "spec") != _get_nested(value, "spec"):
        shown = go_values.Ordered(_get_nested(sent, "spec", "metadata"))
        shown["Spec"] = go_values.to_go_value("ResourceClaimSpec", _get_nested(sent, "spec", "spec"))
        yield causes.invalid("spec", shown, causes.IMMUTABLE)


def validate_claim_status_update(live: Object, value: Object) -> Iterator[Cause]:
    """Source: validateResourceClaimStatusUpdate."""
    old_status, new_status = _get_nested(live, "status"), _get_nested(value, "status")
    reserved = new_status.get("reservedFor") or []
    if len(reserved) > _MOST_USERS:
        yield causes.too_many("status.reservedFor", len(reserved), _MOST_USERS)
    else:
        for number, consumer in enumerate(reserved):
            for key in ("resource", "name", "uid"):
                if not consumer.get(key):
                    yield causes.required(f"status.reservedFor[{number}].{key}")
        for number, consumer in enumerate(reserved):
            if consumer.get("uid") in [other.get("uid") for other in reserved[:number]]:
                yield causes.duplicate(f"status.reservedFor[{number}]", consumer.get("uid"))
    yield from device_statuses.validate_device_statuses(new_status, "status.devices")
    allocation = new_status.get("allocation")
    if reserved and allocation is None:
        yield causes.forbidden("status.reservedFor", "may not be specified when `allocated` is not set")
    if old_status.get("allocation") is not None and allocation is not None:
        if old_status["allocation"] != allocation:
            shown = go_values.to_go_value("AllocationResult", allocation)
            yield causes.invalid("status.allocation", shown, causes.IMMUTABLE)
    elif allocation is not None:
        yield from _validate_allocation(
            allocation, _list_request_names(_get_nested(value, "spec")), "status.allocation"
        )


def _validate_allocation(allocation: Object, known: set[str], path: str) -> Iterator[Cause]:
    results = _get_nested(allocation, "devices").get("results") or []
    if len(results) > _MOST:
        yield causes.too_many(f"{path}.devices.results", len(results), _MOST)
        return
    for number, result in enumerate(results):
        result_path = f"{path}.devices.results[{number}]"
        yield from _validate_request_reference(str(result.get("request") or ""), known, f"{result_path}.request")
        yield from claims.validate_csi_driver_name(result.get("driver"), f"{result_path}.driver")
        yield from device_names.validate_pool_name(str(result.get("pool") or ""), f"{result_path}.pool")
        name = str(result.get("device") or "")
        yield from report_broken_rules(f"{result_path}.device", name, names.dns_label(name))
    if allocation.get("nodeSelector") is not None:
        yield from scheduling.validate_node_selector(allocation["nodeSelector"], f"{path}.nodeSelector")


def _list_request_names(spec: Object) -> set[str]:
    """Return the names that results and constraints may use: requests, and subrequests as `request/subrequest`."""
    known = set()
    for request in _list_requests(spec):
        known.add(str(request.get("name")))
        known |= {f"{request.get('name')}/{sub.get('name')}" for sub in request.get("firstAvailable") or ()}
    return known


def _list_requests(spec: Object) -> list[Any]:
    return _get_nested(spec, "devices").get("requests") or []


def _get_nested(value: Object, *path: str) -> Object:
    for key in path:
        value = value.get(key) or {}
    return value
