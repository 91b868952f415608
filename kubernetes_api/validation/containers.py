"""Containers and volumes of a pod. Source: pkg/apis/core/validation validateContainers, ValidateVolumes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import resources
from kubernetes_api.validation.metadata import broken, named_once
from scheduler_core.admission.amounts import nano
from scheduler_core.objects import names

Object = Mapping[str, Any]

_PULL = ("Always", "IfNotPresent", "Never")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_TERMINATION = ("FallbackToLogsOnError", "File")
_PORT = "must be between 1 and 65535, inclusive"
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")


def containers(spec: Object, path: str) -> Iterator[Cause]:
    volumes = [str(each.get("name")) for each in spec.get("volumes") or ()]
    claims = [str(each.get("name")) for each in spec.get("resourceClaims") or ()]
    given = spec.get("containers") or []
    if not given:
        yield causes.required(f"{path}.containers")
    seen: set[str] = set()
    for part in ("containers", "initContainers"):
        for number, each in enumerate(spec.get(part) or ()):
            at, name = f"{path}.{part}[{number}]", str(each.get("name") or "")
            yield from container(each, at, volumes, claims)
            if name and name in seen:
                yield causes.duplicate(f"{at}.name", name)
            seen.add(name)
            if part == "initContainers":
                yield from _init(each, at)
    yield from _host_ports(given, f"{path}.containers")


def container(each: Object, path: str, volumes: Sequence[str], claims: Sequence[str]) -> Iterator[Cause]:
    name = str(each.get("name") or "")
    if not name:
        yield causes.required(f"{path}.name")
    else:
        yield from broken(f"{path}.name", name, names.dns_label(name))
    image = str(each.get("image") or "")
    if not image:
        yield causes.required(f"{path}.image")
    elif image != image.strip():
        yield causes.invalid(f"{path}.image", image, "must not have leading or trailing whitespace")
    if each.get("terminationMessagePolicy") not in (None, *_TERMINATION):
        yield causes.unsupported(f"{path}.terminationMessagePolicy", each["terminationMessagePolicy"], _TERMINATION)
    yield from _ports(each.get("ports"), f"{path}.ports")
    yield from _env(each.get("env"), f"{path}.env")
    yield from _mounts(each.get("volumeMounts"), f"{path}.volumeMounts", volumes)
    pull = each.get("imagePullPolicy")
    if pull not in (None, *_PULL):
        yield causes.unsupported(f"{path}.imagePullPolicy", pull, _PULL)
    yield from resources.requirements(each.get("resources"), f"{path}.resources", claims)
    for name in _PROBES:
        yield from _probe(each.get(name), f"{path}.{name}", name)


def _init(each: Object, path: str) -> Iterator[Cause]:
    if each.get("restartPolicy") == "Always":
        return
    for name in (*_PROBES, "lifecycle"):
        if each.get(name):
            detail = "may not be set for init containers without restartPolicy=Always"
            yield causes.forbidden(f"{path}.{name}", detail)


def _ports(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        at, name, port = f"{path}[{number}]", each.get("name"), each.get("containerPort") or 0
        if name:
            yield from port_name(str(name), f"{at}.name")
            if name in seen:
                yield causes.duplicate(f"{at}.name", name)
            seen.add(str(name))
        if not port:
            yield causes.required(f"{at}.containerPort")
        elif not 1 <= port <= 65535:
            yield causes.invalid(f"{at}.containerPort", port, _PORT)
        if each.get("hostPort") and not 1 <= each["hostPort"] <= 65535:
            yield causes.invalid(f"{at}.hostPort", each["hostPort"], _PORT)
        protocol = each.get("protocol") or ""
        if not protocol:
            yield causes.required(f"{at}.protocol")
        elif protocol not in _PROTOCOLS:
            yield causes.unsupported(f"{at}.protocol", protocol, _PROTOCOLS)


def port_name(name: str, path: str) -> Iterator[Cause]:
    """Source: IsValidPortName."""
    if len(name) > 15:
        yield causes.invalid(path, name, "must be no more than 15 characters")
    if not all(sign.islower() or sign.isdigit() or sign == "-" for sign in name):
        detail = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
        yield causes.invalid(path, name, detail)
        return
    if not any(sign.isalpha() for sign in name):
        yield causes.invalid(path, name, "must contain at least one letter (a-z)")
    if "--" in name:
        yield causes.invalid(path, name, "must not contain consecutive hyphens")
    if name[:1] == "-" or name[-1:] == "-":
        yield causes.invalid(path, name, "must not begin or end with a hyphen")


def _host_ports(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given):
        for place, port in enumerate(each.get("ports") or ()):
            if port.get("hostPort"):
                taken = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
                if taken in seen:
                    yield causes.duplicate(f"{path}[{number}].ports[{place}].hostPort", taken)
                seen.add(taken)


def _env(given: Any, path: str) -> Iterator[Cause]:
    for number, each in enumerate(given or ()):
        at, name = f"{path}[{number}]", each.get("name") or ""
        if not name:
            yield causes.required(f"{at}.name")
        source = each.get("valueFrom")
        if source is None:
            continue
        ways = [
            way
            for way in ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
            if source.get(way)
        ]
        if not ways:
            detail = (
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `fileKeyRef` or `secretKeyRef`"
            )
            yield causes.invalid(f"{at}.valueFrom", "", detail)
        elif len(ways) > 1:
            yield causes.invalid(f"{at}.valueFrom", "", "may not have more than one field specified at a time")
        if each.get("value"):
            yield causes.invalid(f"{at}.valueFrom", "", "may not be specified when `value` is not empty")
        for way in ("configMapKeyRef", "secretKeyRef"):
            if source.get(way):
                for key in ("name", "key"):
                    if not source[way].get(key):
                        yield causes.required(f"{at}.valueFrom.{way}.{key}")


def _mounts(given: Any, path: str, volumes: Sequence[str]) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        at, name, place = f"{path}[{number}]", str(each.get("name") or ""), str(each.get("mountPath") or "")
        if not name:
            yield causes.required(f"{at}.name")
        elif name not in volumes:
            yield causes.not_found(f"{at}.name", name)
        if not place:
            yield causes.required(f"{at}.mountPath")
        if place in seen:
            yield causes.invalid(f"{at}.mountPath", place, "must be unique")
        seen.add(place)
        if str(each.get("subPath") or "").startswith("/"):
            yield causes.invalid(f"{at}.subPath", each["subPath"], "must be a relative path")


def _probe(given: Any, path: str, name: str) -> Iterator[Cause]:
    if not given:
        return
    handlers = [each for each in _HANDLERS if given.get(each) is not None]
    if not handlers:
        yield causes.required(path, "must specify a handler type")
    for each in handlers[1:]:
        yield causes.forbidden(f"{path}.{each}", "may not specify more than 1 handler type")
    for key in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"):
        if (given.get(key) or 0) < 0:
            yield causes.invalid(f"{path}.{key}", given[key], causes.NOT_NEGATIVE)
    if name != "readinessProbe" and given.get("successThreshold", 1) != 1:
        yield causes.invalid(f"{path}.successThreshold", given["successThreshold"], "must be 1")
    http = given.get("httpGet")
    for key, target in (("httpGet", http), ("tcpSocket", given.get("tcpSocket"))):
        if isinstance(target, Mapping):
            yield from _target(target.get("port"), f"{path}.{key}.port")


def _target(port: Any, path: str) -> Iterator[Cause]:
    if isinstance(port, int) and not 1 <= port <= 65535:
        yield causes.invalid(path, port, _PORT)
    elif isinstance(port, str):
        yield from port_name(port, path)


def volumes(given: Any, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(given or ()):
        at, name = f"{path}[{number}]", str(each.get("name") or "")
        sources = [key for key in each if key != "name"]
        if not sources:
            yield causes.required(at, "must specify a volume type")
        for key in sources[1:]:
            yield causes.forbidden(f"{at}.{key}", "may not specify more than 1 volume type")
        yield from _source(each, at)
        yield from named_once(f"{at}.name", name, seen)


def _source(volume: Object, path: str) -> Iterator[Cause]:
    for key, needed in (
        ("hostPath", "path"),
        ("secret", "secretName"),
        ("configMap", "name"),
        ("persistentVolumeClaim", "claimName"),
        ("csi", "driver"),
    ):
        if isinstance(volume.get(key), Mapping) and not volume[key].get(needed):
            yield causes.required(f"{path}.{key}.{needed}")
    limit = volume["emptyDir"].get("sizeLimit") if isinstance(volume.get("emptyDir"), Mapping) else None
    if limit and nano(limit) < 0:
        yield causes.forbidden(f"{path}.emptyDir.sizeLimit", "SizeLimit field must be a valid resource quantity")
