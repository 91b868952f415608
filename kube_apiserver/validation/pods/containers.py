"""Containers of a pod. Source: pkg/apis/core/validation validateContainers, validateInitContainers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import ports, resources
from kube_apiserver.validation.metadata import broken
from kube_apiserver.validation.pods import environment, handlers, restarts, security, volumes
from kube_objects import names

Object = Mapping[str, Any]

_PULL = ("Always", "IfNotPresent", "Never")
_TERMINATION = ("File", "FallbackToLogsOnError")
_RESIZED = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")
_NOT_OF_INIT = "may not be set for init containers without restartPolicy=Always"
_NOT_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
)


@dataclass(frozen=True, slots=True)
class _Of:
    """What a container's fields are held to: its pod's."""

    volumes: Mapping[str, Object]
    claims: Sequence[str]
    grace: int | None
    is_never: bool
    is_host_user: bool
    system: str


def containers(spec: Object, path: str, known: Mapping[str, Object]) -> Iterator[Cause]:
    """`known`: the pod's volumes by their names."""
    of = _Of(
        known,
        volumes.names_of(spec.get("resourceClaims")),
        spec.get("terminationGracePeriodSeconds"),
        spec.get("restartPolicy") == "Never",
        spec.get("hostUsers") is not False,
        str((spec.get("os") or {}).get("name") or ""),
    )
    given = spec.get("containers") or []
    if not given:
        yield causes.required(f"{path}.containers")
    seen: set[str] = set()
    for number, each in enumerate(given):
        at = f"{path}.containers[{number}]"
        yield from container(each, at, of)
        yield from _named_once(each, at, seen)
        yield from handlers.hooks_and_probes(each, at, of.grace, of.system)
        yield from restarts.rules(each, at)
    yield from _host_ports(given, f"{path}.containers")
    for number, each in enumerate(spec.get("initContainers") or ()):
        at = f"{path}.initContainers[{number}]"
        yield from container(each, at, of)
        yield from restarts.of_init(each, at)
        yield from _named_once(each, at, seen)
        # Upstream counts each by itself, and tells of all as of the first.
        yield from _host_ports([each], f"{path}.initContainers")
        yield from _init(each, at, of)
    yield from _ephemeral(spec, f"{path}.ephemeralContainers", of, seen)


def container(each: Object, path: str, of: _Of) -> Iterator[Cause]:
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
    yield from volumes.mounts(each, f"{path}.volumeMounts", of.volumes)
    yield from volumes.devices(each, f"{path}.volumeDevices", of.volumes)
    pull = each.get("imagePullPolicy")
    if pull not in (None, *_PULL):
        yield causes.unsupported(f"{path}.imagePullPolicy", pull, _PULL)
    yield from resources.requirements(each.get("resources"), f"{path}.resources", of.claims)
    yield from _resize_policy(each.get("resizePolicy"), f"{path}.resizePolicy", is_never=of.is_never)
    context = each.get("securityContext")
    yield from security.of_container(context, f"{path}.securityContext", is_host_user=of.is_host_user)


def images(spec: Object, path: str) -> Iterator[Cause]:
    """Of a pod itself, and not of a template. Source: validateContainersOnlyForPod."""
    for part in ("containers", "initContainers"):
        for number, each in enumerate(spec.get(part) or ()):
            yield from _image(each, f"{path}.{part}[{number}]")


def _image(each: Object, path: str) -> Iterator[Cause]:
    image = str(each.get("image") or "")
    if image != image.strip():
        yield causes.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")


def _named_once(each: Object, path: str, seen: set[str]) -> Iterator[Cause]:
    name = str(each.get("name") or "")
    if name and name in seen:
        yield causes.duplicate(f"{path}.name", name)
    seen.add(name)


def _init(each: Object, path: str, of: _Of) -> Iterator[Cause]:
    if each.get("restartPolicy") == "Always":
        yield from handlers.hooks_and_probes(each, path, of.grace, of.system)
        return
    for name in ("lifecycle", *handlers.PROBES):
        if each.get(name) is not None:
            yield causes.forbidden(f"{path}.{name}", _NOT_OF_INIT)
    for number, policy in enumerate(each.get("resizePolicy") or ()):
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield causes.invalid(f"{path}.resizePolicy[{number}].restartPolicy", "RestartContainer", detail)


def _ephemeral(spec: Object, path: str, of: _Of, others: set[str]) -> Iterator[Cause]:
    """Source: validateEphemeralContainers."""
    seen = set(others)
    for number, each in enumerate(spec.get("ephemeralContainers") or ()):
        at, target = f"{path}[{number}]", str(each.get("targetContainerName") or "")
        yield from container(each, at, of)
        yield from _image(each, at)
        yield from _named_once(each, at, seen)
        if target and target not in others:
            yield causes.not_found(f"{at}.targetContainerName", target)
        for key in _NOT_EPHEMERAL:
            if each.get(key):
                yield causes.forbidden(f"{at}.{key}", "cannot be set for an Ephemeral Container")
        for place, mount in enumerate(each.get("volumeMounts") or ()):
            for key in ("subPath", "subPathExpr"):
                if mount.get(key):
                    yield causes.forbidden(
                        f"{at}.volumeMounts[{place}].{key}", "cannot be set for an Ephemeral Container"
                    )


def _resize_policy(given: Any, path: str, *, is_never: bool) -> Iterator[Cause]:
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
        if is_never and policy != "NotRequired":
            yield causes.invalid(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")


def _host_ports(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given):
        for place, port in enumerate(each.get("ports") or ()):
            if port.get("hostPort"):
                taken = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
                if taken in seen:
                    yield causes.duplicate(f"{path}[{number}].ports[{place}].hostPort", taken)
                seen.add(taken)
