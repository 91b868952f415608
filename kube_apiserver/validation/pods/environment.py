"""Validation of environment variables and their sources.

Source: pkg/apis/core/validation ValidateEnv, ValidateEnvFrom.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.admission.pod_parts import CONTAINERS
from kube_apiserver.causes import Cause
from kube_apiserver.validation import texts
from kube_apiserver.validation.metadata import report_broken_rules
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
# All fields of a Pod that any downward API source supports.
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


def validate_env(variables: Any, path: str) -> Iterator[Cause]:
    for number, variable in enumerate(variables or ()):
        variable_path, name = f"{path}[{number}]", str(variable.get("name") or "")
        if not name:
            yield causes.required(f"{variable_path}.name")
        else:
            yield from texts.validate_variable_name(name, f"{variable_path}.name")
        if variable.get("valueFrom") is not None:
            yield from _validate_env_source(variable, f"{variable_path}.valueFrom")


def _validate_env_source(env_var: Object, path: str) -> Iterator[Cause]:
    source = env_var["valueFrom"]
    set_sources = [source_key for source_key in _SOURCES if source.get(source_key) is not None]
    for source_key in set_sources:
        source_path = f"{path}.{source_key}"
        match source_key:
            case "fieldRef":
                yield from validate_field_selector(source[source_key], source_path, _FIELDS)
            case "resourceFieldRef":
                yield from validate_resource_field_selector(source[source_key], source_path)
            case "configMapKeyRef" | "secretKeyRef":
                yield from _validate_key_selector(source[source_key], source_path)
            case "fileKeyRef":
                yield from _validate_file_key_selector(source[source_key], source_path)
    if not set_sources:
        yield causes.invalid(path, "", _ONE_OF)
    elif env_var.get("value"):
        yield causes.invalid(path, "", "may not be specified when `value` is not empty")
    elif len(set_sources) > 1:
        yield causes.invalid(path, "", _ONE_ONLY)


def _validate_key_selector(selector: Object, path: str) -> Iterator[Cause]:
    name, key = str(selector.get("name") or ""), str(selector.get("key") or "")
    yield from report_broken_rules(f"{path}.name", name, names.dns_subdomain(name))
    if key:
        yield from texts.validate_config_key(key, f"{path}.key")
    else:
        yield causes.required(f"{path}.key")


def _validate_file_key_selector(selector: Object, path: str) -> Iterator[Cause]:
    """Source: validateFileKeySelector."""
    key, volume, file_path = (str(selector.get(name) or "") for name in ("key", "volumeName", "path"))
    if not key:
        yield causes.required(f"{path}.key")
    else:
        yield from texts.validate_variable_name(key, f"{path}.key")
    if not volume:
        yield causes.required(f"{path}.volumeName")
    else:
        yield from report_broken_rules(f"{path}.volumeName", volume, names.dns_label(volume))
    if not file_path:
        yield causes.required(f"{path}.path")
    else:
        yield from texts.validate_no_backsteps(file_path, f"{path}.path")


def validate_file_key_volumes(spec: Object, path: str) -> Iterator[Cause]:
    """Validate the volumes that `fileKeyRef` sources name. Source: validateFileKeyRefVolumes."""
    volumes = {env_var.get("name"): env_var for env_var in spec.get("volumes") or ()}
    for part in CONTAINERS:
        for number, container in enumerate(spec.get(part) or ()):
            for env_number, env_var in enumerate(container.get("env") or ()):
                source = (env_var.get("valueFrom") or {}).get("fileKeyRef")
                if source is None:
                    continue
                name_path = f"{path}.{part}[{number}].env[{env_number}].valueFrom.fileKeyRef.volumeName"
                name = source.get("volumeName") or ""
                if name not in volumes:
                    yield causes.not_found(name_path, name)
                elif volumes[name].get("emptyDir") is None:
                    yield causes.invalid(name_path, name, "referenced volume must be of type emptyDir")


def validate_field_selector(selector: Object, path: str, known: Sequence[str]) -> Iterator[Cause]:
    """Validate a reference to a field of the Pod. Source: validateObjectFieldSelector."""
    text = str(selector.get("fieldPath") or "")
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
        yield from report_broken_rules(path, key, names.qualified_name(key))
    elif text not in _KNOWN:
        detail = f"error converting fieldPath: field label not supported: {text}"
        yield causes.invalid(f"{path}.fieldPath", text, detail)
    elif text not in known:
        yield causes.unsupported(f"{path}.fieldPath", text, known)


def validate_resource_field_selector(selector: Object, path: str, *, is_file: bool = False) -> Iterator[Cause]:
    """Validate a reference to a container's resource. Source: validateContainerResourceFieldSelector."""
    name = str(selector.get("resource") or "")
    if is_file and not selector.get("containerName"):
        yield causes.required(f"{path}.containerName")
    elif not name:
        yield causes.required(f"{path}.resource")
    elif name not in _AMOUNTS and not name.startswith(_HUGE_PAGES):
        yield causes.unsupported(f"{path}.resource", name, _AMOUNTS)
    else:
        yield from _validate_divisor(name, selector.get("divisor"), f"{path}.divisor")


def _validate_divisor(name: str, divisor: Any, path: str) -> Iterator[Cause]:
    """Source: validateContainerResourceDivisor."""
    if not nano(divisor or 0):
        return
    kind = name.partition(".")[2]
    is_cpu = kind == "cpu"
    message = "1m and 1" if is_cpu else ", ".join(_BYTES)
    if str(divisor) not in (("1m", "1") if is_cpu else _BYTES):
        what = "hugepages" if kind.startswith("hugepages-") else _SHOWN_NAMES.get(kind, kind)
        yield causes.invalid(path, name, f"only divisor's values {message} are supported with the {what} resource")


def validate_env_from(sources: Any, path: str) -> Iterator[Cause]:
    """Validate `envFrom`, which imports all keys of a ConfigMap or Secret."""
    for number, source in enumerate(sources or ()):
        source_path = f"{path}[{number}]"
        yield from texts.validate_variable_name(str(source.get("prefix") or ""), f"{source_path}.prefix")
        set_keys = [key for key in ("configMapRef", "secretRef") if source.get(key) is not None]
        for key in set_keys:
            name = str(source[key].get("name") or "")
            if name:
                yield from report_broken_rules(f"{source_path}.{key}.name", name, names.dns_subdomain(name))
            else:
                yield causes.required(f"{source_path}.{key}.name")
        if not set_keys:
            yield causes.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(set_keys) > 1:
            yield causes.invalid(path, "", _ONE_ONLY)
