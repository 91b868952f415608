"""Containers of a pod. Source: pkg/apis/core/validation validateContainers, validateInitContainers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import environment, handlers, ports, resources, security, volumes
from kubernetes_api.validation.metadata import broken
from scheduler_core.objects import names

Object = Mapping[str, Any]

_PULL = ("Always", "IfNotPresent", "Never")
_TERMINATION = ("File", "FallbackToLogsOnError")
_RESIZED = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_NOT_OF_INIT = "may not be set for init containers without restartPolicy=Always"


def containers(spec: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """`known`: the pod's volumes by their names."""
    claims = volumes.names_of(spec.get("resourceClaims"))
    grace = spec.get("terminationGracePeriodSeconds")
    given = spec.get("containers") or []
    if not given:
        yield causes.required(f"{path}.containers")
    seen: set[str] = set()
    for number, each in enumerate(given):
        at = f"{path}.containers[{number}]"
        yield from container(each, at, known, claims)
        yield from _named_once(each, at, seen)
        yield from handlers.hooks_and_probes(each, at, grace)
    yield from _host_ports(given, f"{path}.containers")
    for number, each in enumerate(spec.get("initContainers") or ()):
        at = f"{path}.initContainers[{number}]"
        yield from container(each, at, known, claims)
        yield from _named_once(each, at, seen)
        yield from _init(each, at, grace)


def container(each: Object, path: str, known: Mapping[str, Object], claims: Sequence[str]) -> Iterator[Cause]:
    """Source: validateContainerCommon."""
    name = str(each.get("name") or "")
    if not name:
        yield causes.required(f"{path}.name")
    else:
        yield from broken(f"{path}.name", name, names.dns_label(name))
    if not each.get("image"):
        yield causes.required(f"{path}.image")
    if each.get("terminationMessagePolicy") not in (None, *_TERMINATION):
        yield causes.unsupported(f"{path}.terminationMessagePolicy", each["terminationMessagePolicy"], _TERMINATION)
    yield from ports.of_container(each.get("ports"), f"{path}.ports")
    yield from environment.variables(each.get("env"), f"{path}.env")
    yield from environment.taken_whole(each.get("envFrom"), f"{path}.envFrom")
    yield from volumes.mounts(each, f"{path}.volumeMounts", known)
    yield from volumes.devices(each, f"{path}.volumeDevices", known)
    pull = each.get("imagePullPolicy")
    if pull not in (None, *_PULL):
        yield causes.unsupported(f"{path}.imagePullPolicy", pull, _PULL)
    yield from resources.requirements(each.get("resources"), f"{path}.resources", claims)
    yield from _resize_policy(each.get("resizePolicy"), f"{path}.resizePolicy")
    yield from security.of_container(each.get("securityContext"), f"{path}.securityContext")


def images(spec: Object, path: str) -> Iterator[Cause]:
    """Of a pod itself, and not of a template. Source: validateContainersOnlyForPod."""
    for part in ("containers", "initContainers"):
        for number, each in enumerate(spec.get(part) or ()):
            image = str(each.get("image") or "")
            if image != image.strip():
                detail = "must not have leading or trailing whitespace"
                yield causes.invalid(f"{path}.{part}[{number}].image", image, detail)


def _named_once(each: Object, path: str, seen: set[str]) -> Iterator[Cause]:
    name = str(each.get("name") or "")
    if name and name in seen:
        yield causes.duplicate(f"{path}.name", name)
    seen.add(name)


def _init(each: Object, path: str, grace: int | None) -> Iterator[Cause]:
    if each.get("restartPolicy") == "Always":
        yield from handlers.hooks_and_probes(each, path, grace)
        return
    for name in ("lifecycle", *handlers.PROBES):
        if each.get(name) is not None:
            yield causes.forbidden(f"{path}.{name}", _NOT_OF_INIT)


def _resize_policy(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        name, policy = str(each.get("resourceName") or ""), str(each.get("restartPolicy") or "")
        if name in seen:
            yield causes.duplicate(f"{path}[{number}]", name)
        seen.add(name)
        for value, allowed in ((name, _RESIZED), (policy, _RESIZE_POLICIES)):
            if not value:
                yield causes.required(path)
            elif value not in allowed:
                yield causes.unsupported(path, value, allowed)


def _host_ports(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given):
        for place, port in enumerate(each.get("ports") or ()):
            if port.get("hostPort"):
                taken = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
                if taken in seen:
                    yield causes.duplicate(f"{path}[{number}].ports[{place}].hostPort", taken)
                seen.add(taken)
