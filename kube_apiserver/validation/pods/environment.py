"""Variables of containers, and what they may be taken from.

Source: pkg/apis/core/validation ValidateEnv, ValidateEnvFrom.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.admission.pod_parts import CONTAINERS
from kube_apiserver.causes import Cause
from kube_apiserver.validation import texts
from kube_apiserver.validation.metadata import broken
from kube_objects import names

Object = Mapping[str, Any]

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_ONE_OF = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_ONE_ONLY = "may not have more than one field specified at a time"
_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
FIELDS_OF_FILES = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
# What a pod's fields may be asked for by at all, wherever it is.
_KNOWN = {*_FIELDS, *FIELDS_OF_FILES, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
_AMOUNTS = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_BYTES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_SHOWN_NAMES = {"ephemeral-storage": "local ephemeral storage"}
_HUGE_PAGES = ("requests.hugepages-", "limits.hugepages-")


def variables(given: Any, path: str) -> Iterator[Cause]:
    for number, each in enumerate(given or ()):
        at, name = f"{path}[{number}]", str(each.get("name") or "")
        if not name:
            yield causes.required(f"{at}.name")
        else:
            yield from texts.variable(name, f"{at}.name")
        if each.get("valueFrom") is not None:
            yield from _source(each, f"{at}.valueFrom")


def _source(each: Object, path: str) -> Iterator[Cause]:
    source = each["valueFrom"]
    ways = [way for way in _SOURCES if source.get(way) is not None]
    for way in ways:
        at = f"{path}.{way}"
        match way:
            case "fieldRef":
                yield from field(source[way], at, _FIELDS)
            case "resourceFieldRef":
                yield from amount(source[way], at)
            case "configMapKeyRef" | "secretKeyRef":
                yield from _key(source[way], at)
            case "fileKeyRef":
                yield from _of_file(source[way], at)
    if not ways:
        yield causes.invalid(path, "", _ONE_OF)
    elif each.get("value"):
        yield causes.invalid(path, "", "may not be specified when `value` is not empty")
    elif len(ways) > 1:
        yield causes.invalid(path, "", _ONE_ONLY)


def _key(given: Object, path: str) -> Iterator[Cause]:
    name, key = str(given.get("name") or ""), str(given.get("key") or "")
    yield from broken(f"{path}.name", name, names.dns_subdomain(name))
    if key:
        yield from texts.config_key(key, f"{path}.key")
    else:
        yield causes.required(f"{path}.key")


def _of_file(given: Object, path: str) -> Iterator[Cause]:
    """Source: validateFileKeySelector."""
    key, volume, place = (str(given.get(name) or "") for name in ("key", "volumeName", "path"))
    if not key:
        yield causes.required(f"{path}.key")
    else:
        yield from texts.variable(key, f"{path}.key")
    if not volume:
        yield causes.required(f"{path}.volumeName")
    else:
        yield from broken(f"{path}.volumeName", volume, names.dns_label(volume))
    if not place:
        yield causes.required(f"{path}.path")
    else:
        yield from texts.without_steps_back(place, f"{path}.path")


def volumes_of_files(spec: Object, path: str) -> Iterator[Cause]:
    """Source: validateFileKeyRefVolumes."""
    volumes = {each.get("name"): each for each in spec.get("volumes") or ()}
    for part in CONTAINERS:
        for number, container in enumerate(spec.get(part) or ()):
            for place, each in enumerate(container.get("env") or ()):
                source = (each.get("valueFrom") or {}).get("fileKeyRef")
                if source is None:
                    continue
                at = f"{path}.{part}[{number}].env[{place}].valueFrom.fileKeyRef.volumeName"
                name = source.get("volumeName") or ""
                if name not in volumes:
                    yield causes.not_found(at, name)
                elif volumes[name].get("emptyDir") is None:
                    yield causes.invalid(at, name, "referenced volume must be of type emptyDir")


def field(given: Object, path: str, known: Sequence[str]) -> Iterator[Cause]:
    """Of the pod. Source: validateObjectFieldSelector."""
    text = str(given.get("fieldPath") or "")
    if not text:
        yield causes.required(f"{path}.fieldPath")
        return
    part, bracket, subscript = text.partition("['")
    is_one = bool(bracket) and subscript.endswith("']")
    if is_one and part not in ("metadata.annotations", "metadata.labels"):
        detail = f"error converting fieldPath: field label does not support subscript: {text}"
        yield causes.invalid(f"{path}.fieldPath", text, detail)
    elif is_one:
        key = subscript[:-2].lower() if part == "metadata.annotations" else subscript[:-2]
        yield from broken(path, key, names.qualified_name(key))
    elif text not in _KNOWN:
        detail = f"error converting fieldPath: field label not supported: {text}"
        yield causes.invalid(f"{path}.fieldPath", text, detail)
    elif text not in known:
        yield causes.unsupported(f"{path}.fieldPath", text, known)


def amount(given: Object, path: str, *, is_file: bool = False) -> Iterator[Cause]:
    """Of a container's resources. Source: validateContainerResourceFieldSelector."""
    name = str(given.get("resource") or "")
    if is_file and not given.get("containerName"):
        yield causes.required(f"{path}.containerName")
    elif not name:
        yield causes.required(f"{path}.resource")
    elif name not in _AMOUNTS and not name.startswith(_HUGE_PAGES):
        yield causes.unsupported(f"{path}.resource", name, _AMOUNTS)
    else:
        yield from _divisor(name, given.get("divisor"), f"{path}.divisor")


def _divisor(name: str, divisor: Any, path: str) -> Iterator[Cause]:
    """Source: validateContainerResourceDivisor."""
    if not nano(divisor or 0):
        return
    kind = name.partition(".")[2]
    is_cpu = kind == "cpu"
    message = "1m and 1" if is_cpu else ", ".join(_BYTES)
    if str(divisor) not in (("1m", "1") if is_cpu else _BYTES):
        what = "hugepages" if kind.startswith("hugepages-") else _SHOWN_NAMES.get(kind, kind)
        yield causes.invalid(path, name, f"only divisor's values {message} are supported with the {what} resource")


def taken_whole(given: Any, path: str) -> Iterator[Cause]:
    """`envFrom`: all of a ConfigMap or a Secret."""
    for number, each in enumerate(given or ()):
        at = f"{path}[{number}]"
        yield from texts.variable(str(each.get("prefix") or ""), f"{at}.prefix")
        found = [way for way in ("configMapRef", "secretRef") if each.get(way) is not None]
        for way in found:
            name = str(each[way].get("name") or "")
            if name:
                yield from broken(f"{at}.{way}.name", name, names.dns_subdomain(name))
            else:
                yield causes.required(f"{at}.{way}.name")
        if not found:
            yield causes.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(found) > 1:
            yield causes.invalid(path, "", _ONE_ONLY)
