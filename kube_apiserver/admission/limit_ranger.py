"""LimitRanger: default requests and limits of containers, and the bounds of a namespace.

Source: plugin/pkg/admission/limitranger/admission.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.amounts import Amounts, listed, nano, part, resources, summed, written
from kube_apiserver.admission.attributes import Attributes

Object = dict[str, Any]
Manifest = Mapping[str, Any]

ANNOTATION = "kubernetes.io/limit-ranger"
_CLAIM = "PersistentVolumeClaim"


def with_defaults(item: Manifest) -> Manifest:
    """Return the item with its defaults: limits from `max`, requests from limits and `min`.

    Source: SetDefaults_LimitRangeItem.
    """
    if item.get("type") != "Container":
        return item
    default = _filled(part(item, "default"), part(item, "max"))
    request = _filled(part(item, "defaultRequest"), default, part(item, "min"))
    found = {name: amounts for name, amounts in (("default", default), ("defaultRequest", request)) if amounts}
    return {**item, **found}


def _filled(own: Amounts, *others: Amounts) -> dict[str, Any]:
    filled = dict(own)
    for each in others:
        for name, amount in each.items():
            filled.setdefault(name, amount)
    return filled


def admit(attributes: Attributes) -> Object:
    if attributes.live is not None or attributes.resource.kind != "Pod":
        return attributes.value
    return with_limits(attributes.value, attributes.world.list("LimitRange", attributes.namespace))


def validate(attributes: Attributes) -> list[str]:
    """Check the bounds of the namespace. Updates of Pods are not checked. Source: SupportsAttributes."""
    kind = attributes.resource.kind
    if attributes.live is None or kind == _CLAIM:
        ranges = attributes.world.list("LimitRange", attributes.namespace)
        if out_of_bounds := problem(kind, attributes.value, ranges):
            raise attributes.forbidden(out_of_bounds)
    return []


def with_limits(pod: Object, ranges: Sequence[Manifest]) -> Object:
    """Return the Pod with the defaults of its namespace, and an annotation that lists them."""
    for each in ranges:
        pod = _with_limits(pod, [with_defaults(item) for item in _items(each) if item.get("type") == "Container"])
    return pod


def _with_limits(pod: Object, items: Sequence[Manifest]) -> Object:
    requests = {name: value for item in items for name, value in part(item, "defaultRequest").items()}
    limits = {name: value for item in items for name, value in part(item, "default").items()}
    spec, bound = dict(pod["spec"]), []
    for place, word in (("containers", "container"), ("initContainers", "init container")):
        containers = []
        for container in listed(spec, place):
            for key, defaults, what in (("requests", requests, "request"), ("limits", limits, "limit")):
                present = resources(container, key)
                missing = sorted(name for name in defaults if name not in present)
                if missing:
                    amounts = {**present, **{name: defaults[name] for name in missing}}
                    container = {**container, "resources": {**part(container, "resources"), key: amounts}}
                    bound.append(f"{', '.join(missing)} {what} for {word} {container.get('name')}")
            containers.append(container)
        if containers:
            spec[place] = containers
    if not bound:
        return pod
    metadata = pod["metadata"]
    annotations = {**(metadata.get("annotations") or {}), ANNOTATION: f"LimitRanger plugin set: {'; '.join(bound)}"}
    return {**pod, "metadata": {**metadata, "annotations": annotations}, "spec": spec}


def conflicts(pod: Manifest) -> str:
    """Return the requests that exceed their limits after defaulting, or "".

    Source: ValidateContainerResourceRequirements, which runs before the bounds.
    """
    found = list(_conflicts(pod))
    return f"[{', '.join(found)}]" if len(found) > 1 else "".join(found)


def _conflicts(pod: Manifest) -> Iterator[str]:
    for place in ("containers", "initContainers"):
        for number, container in enumerate(listed(part(pod, "spec"), place)):
            requests, limits = resources(container, "requests"), resources(container, "limits")
            for name in sorted(requests):
                if name in limits and nano(requests[name]) > nano(limits[name]):
                    bound = f"must be less than or equal to {name} limit of {written(limits[name])}"
                    path = f"spec.{place}[{number}].resources.requests"
                    yield f'{path}: Invalid value: "{written(requests[name])}": {bound}'


def problem(kind: str, value: Manifest, ranges: Sequence[Manifest]) -> str:
    """Return the bounds of the namespace's LimitRanges that an object violates, or ""."""
    if kind not in ("Pod", _CLAIM):
        return ""
    for limit_range in ranges:
        # Go's aggregate error contains each message once.
        violations = list(
            dict.fromkeys(bound for item in _items(limit_range) for bound in _problems(item, kind, value))
        )
        if violations:
            return violations[0] if len(violations) == 1 else f"[{', '.join(violations)}]"
    return ""


def _problems(item: Manifest, kind: str, value: Manifest) -> Iterator[str]:
    spec, type_ = part(value, "spec"), item.get("type")
    if kind == _CLAIM:
        if type_ == kind:
            yield from _bounds(item, part(part(spec, "resources"), "requests"), {}, kind)
    elif type_ == "Container":
        for each in (*listed(spec, "containers"), *listed(spec, "initContainers")):
            yield from _bounds(item, resources(each, "requests"), resources(each, "limits"), "Container")
    elif type_ == "Pod":
        yield from _bounds(item, summed(spec, "requests"), summed(spec, "limits"), "Pod")


def _items(limit_range: Manifest) -> Iterator[Manifest]:
    for item in listed(part(limit_range, "spec"), "limits"):
        if isinstance(item, Mapping):
            yield item


def _bounds(item: Manifest, requests: Amounts, limits: Amounts, kind: str) -> Iterator[str]:
    for name, least in sorted(part(item, "min").items()):
        rule = f"minimum {name} usage per {kind} is {written(least)}"
        if name not in requests:
            yield f"{rule}.  No request is specified"
        elif nano(requests[name]) < nano(least):
            yield f"{rule}, but request is {written(requests[name])}"
        elif name in limits and nano(limits[name]) < nano(least):
            yield f"{rule}, but limit is {written(limits[name])}"
    for name, most in sorted(part(item, "max").items()):
        rule = f"maximum {name} usage per {kind} is {written(most)}"
        if kind == _CLAIM:
            if name not in requests:
                yield f"{rule}.  No request is specified"
            elif nano(requests[name]) > nano(most):
                yield f"{rule}, but request is {written(requests[name])}"
        elif name not in limits:
            yield f"{rule}.  No limit is specified"
        elif nano(limits[name]) > nano(most):
            yield f"{rule}, but limit is {written(limits[name])}"
        elif name in requests and nano(requests[name]) > nano(most):
            yield f"{rule}, but request is {written(requests[name])}"
    if kind != _CLAIM:
        for name, most in sorted(part(item, "maxLimitRequestRatio").items()):
            yield from _ratio(name, most, requests, limits, kind)


def _ratio(name: str, most: Any, requests: Amounts, limits: Amounts, kind: str) -> Iterator[str]:
    rule = f"{name} max limit to request ratio per {kind} is {written(most)}"
    if not nano(requests.get(name, 0)):
        yield f"{rule}, but no request is specified or request is 0"
    elif not nano(limits.get(name, 0)):
        yield f"{rule}, but no limit is specified or limit is 0"
    elif nano(limits[name]) * 10**9 > nano(most) * nano(requests[name]):
        yield f"{rule}, but provided ratio is {nano(limits[name]) / nano(requests[name]):f}"
