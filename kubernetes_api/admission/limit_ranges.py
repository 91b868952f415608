"""LimitRanger: what containers are given where they say nothing, and the bounds of a namespace.

Source: plugin/pkg/admission/limitranger/admission.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubernetes_api.admission.amounts import Amounts, nano, summed, written
from kubernetes_api.admission.world import World

Object = dict[str, Any]

ANNOTATION = "kubernetes.io/limit-ranger"


def give(pod: Object, world: World) -> None:
    """The namespace's defaults, and an annotation that says what was given."""
    items = list(_items(world, pod["metadata"].get("namespace", ""), "Container"))
    requests = {name: value for item in items for name, value in (item.get("defaultRequest") or {}).items()}
    limits = {name: value for item in items for name, value in (item.get("default") or {}).items()}
    bound = []
    for part, word in (("containers", "container"), ("initContainers", "init container")):
        for container in pod["spec"].get(part) or ():
            for key, given, what in (("limits", limits, "limit"), ("requests", requests, "request")):
                resources = container.setdefault("resources", {})
                there = resources.get(key) or {}
                missing = sorted(name for name in given if name not in there)
                if missing:
                    resources[key] = {**there, **{name: given[name] for name in missing}}
                    bound.append((what, f"{', '.join(missing)} {what} for {word} {container.get('name')}"))
    if bound:
        words = "; ".join(_in_order(bound))
        metadata = pod["metadata"]
        metadata["annotations"] = {
            **(metadata.get("annotations") or {}),
            ANNOTATION: f"LimitRanger plugin set: {words}",
        }


def _in_order(bound: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A container's requests before its limits."""
    pending = ""
    for what, words in bound:
        if what == "limit":
            if pending:
                yield pending
            pending = words
        else:
            yield words
    if pending:
        yield pending


def problems(kind: str, value: Object, world: World) -> list[str]:
    """Why the namespace's bounds do not let it in."""
    namespace = value["metadata"].get("namespace", "")
    if kind == "PersistentVolumeClaim":
        requests = ((value.get("spec") or {}).get("resources") or {}).get("requests") or {}
        return [bound for item in _items(world, namespace, kind) for bound in _bounds(item, requests, requests, kind)]
    if kind != "Pod":
        return []
    spec, found = value["spec"], list[str]()
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    for item in _items(world, namespace, "Container"):
        for each in containers:
            resources = each.get("resources") or {}
            found += _bounds(item, resources.get("requests") or {}, resources.get("limits") or {}, "Container")
    for item in _items(world, namespace, "Pod"):
        found += _bounds(item, summed(spec, "requests"), summed(spec, "limits"), "Pod")
    return found


def _items(world: World, namespace: str, kind: str) -> Iterator[Mapping[str, Any]]:
    for each in world.list("LimitRange", namespace):
        for item in (each.get("spec") or {}).get("limits") or ():
            if item.get("type") == kind:
                yield item


def _bounds(item: Mapping[str, Any], requests: Amounts, limits: Amounts, kind: str) -> Iterator[str]:
    for name, least in sorted((item.get("min") or {}).items()):
        rule = f"minimum {name} usage per {kind} is {least}"
        if name not in requests:
            yield f"{rule}.  No request is specified"
        elif nano(requests[name]) < nano(least):
            yield f"{rule}, but request is {written(requests[name])}"
        elif kind != "PersistentVolumeClaim" and name in limits and nano(limits[name]) < nano(least):
            yield f"{rule}, but limit is {written(limits[name])}"
    for name, most in sorted((item.get("max") or {}).items()):
        rule, is_claim = f"maximum {name} usage per {kind} is {most}", kind == "PersistentVolumeClaim"
        if is_claim:
            if name in requests and nano(requests[name]) > nano(most):
                yield f"{rule}, but request is {written(requests[name])}"
        elif name not in limits:
            yield f"{rule}.  No limit is specified"
        elif nano(limits[name]) > nano(most):
            yield f"{rule}, but limit is {written(limits[name])}"
        elif name in requests and nano(requests[name]) > nano(most):
            yield f"{rule}, but request is {written(requests[name])}"
    for name, most in sorted((item.get("maxLimitRequestRatio") or {}).items()):
        yield from _ratio(name, most, requests, limits, kind)


def _ratio(name: str, most: Any, requests: Amounts, limits: Amounts, kind: str) -> Iterator[str]:
    rule = f"{name} max limit to request ratio per {kind} is {most}"
    if not nano(requests.get(name, 0)):
        yield f"{rule}, but no request is specified or request is 0"
    elif not nano(limits.get(name, 0)):
        yield f"{rule}, but no limit is specified or limit is 0"
    elif nano(limits[name]) > nano(most) * nano(requests[name]) // 10**9:
        yield f"{rule}, but provided ratio is {nano(limits[name]) / nano(requests[name]):f}"
