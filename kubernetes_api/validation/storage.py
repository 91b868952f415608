"""Volumes, claims and classes of storage. Source: pkg/apis/core/validation, pkg/apis/storage/validation."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import claims, go_values, scheduling, texts, volumes
from kubernetes_api.validation.metadata import broken, immutable
from scheduler_core.admission.amounts import nano
from scheduler_core.objects import names
from scheduler_core.objects.kinds.core.persistent_volume import NOT_A_SOURCE

Object = Mapping[str, Any]

_RECLAIM = ("Delete", "Recycle", "Retain")
_BINDING = ("Immediate", "WaitForFirstConsumer")
_CLAIM_CHANGED = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)
_VOLUME_CHANGED = "spec.persistentvolumesource is immutable after creation"


def volume(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    if not spec.get("accessModes"):
        yield causes.required("spec.accessModes")
    yield from claims.access_modes(spec, "spec")
    capacity = spec.get("capacity") or {}
    if not capacity:
        yield causes.required("spec.capacity")
    if "storage" not in capacity or len(capacity) > 1:
        yield causes.unsupported("spec.capacity", capacity or None, ("storage",))
    for name, amount in sorted(capacity.items()):
        at = f"spec.capacity[{name}]"
        if nano(amount) < 0:
            yield causes.invalid(at, str(amount), causes.NOT_NEGATIVE)
        if nano(amount) <= 0:
            yield causes.invalid(at, str(amount), "must be greater than zero")
    if spec.get("persistentVolumeReclaimPolicy") not in (None, *_RECLAIM):
        yield causes.unsupported("spec.persistentVolumeReclaimPolicy", spec["persistentVolumeReclaimPolicy"], _RECLAIM)
    required = (spec.get("nodeAffinity") or {}).get("required")
    if spec.get("nodeAffinity") is not None:
        if required is None:
            yield causes.required("spec.nodeAffinity.required", "must specify required node constraints")
        else:
            yield from scheduling.node_selector(required, "spec.nodeAffinity.required")
    sources = [key for key in spec if key not in NOT_A_SOURCE]
    if not sources:
        yield causes.required("spec", "must specify a volume type")
    else:
        yield from _source(sources[0], spec[sources[0]] or {}, f"spec.{sources[0]}")
    for key in sources[1:]:
        yield causes.forbidden(f"spec.{key}", "may not specify more than 1 volume type")
    if "local" in spec and spec.get("nodeAffinity") is None:
        yield causes.required("spec.nodeAffinity", "Local volume requires node affinity")
    if spec.get("storageClassName"):
        name = spec["storageClassName"]
        yield from broken("spec.storageClassName", name, names.dns_subdomain(str(name)))
    if spec.get("volumeMode") not in (None, *claims.MODES):
        yield causes.unsupported("spec.volumeMode", spec["volumeMode"], claims.MODES)


def _source(kind: str, source: Object, path: str) -> Iterator[Cause]:
    match kind:
        case "hostPath":
            yield from volumes.host_path(source, path)
        case "nfs":
            yield from volumes.nfs(source, path)
        case "local":
            if not source.get("path"):
                yield causes.required(f"{path}.path")
            yield from texts.without_steps_back(str(source.get("path") or ""), f"{path}.path")
        case "csi":
            yield from claims.driver(source.get("driver"), f"{path}.driver")
            if not source.get("volumeHandle"):
                yield causes.required(f"{path}.volumeHandle")


def claim(value: Object) -> Iterator[Cause]:
    yield from claims.claim_spec(value.get("spec") or {}, "spec")


def storage_class(value: Object) -> Iterator[Cause]:
    name = str(value.get("provisioner") or "")
    if not name:
        yield causes.required("provisioner")
    else:
        yield from broken("provisioner", name, names.qualified_name(name.lower()))
    if "" in (value.get("parameters") or {}):
        yield causes.invalid("parameters", "", "field can not be empty.")
    policy = value.get("reclaimPolicy")
    if policy not in (None, "Delete", "Retain"):
        yield causes.unsupported("reclaimPolicy", policy, ("Delete", "Retain"))
    mode = value.get("volumeBindingMode")
    if mode is None:
        yield causes.required("volumeBindingMode")
    elif mode not in _BINDING:
        yield causes.unsupported("volumeBindingMode", mode, _BINDING)
    for number, term in enumerate(value.get("allowedTopologies") or ()):
        yield from _topology(term, f"allowedTopologies[{number}].matchLabelExpressions")


def _topology(term: Object, path: str) -> Iterator[Cause]:
    """Source: ValidateTopologySelectorTerm."""
    seen: set[str] = set()
    for number, each in enumerate(term.get("matchLabelExpressions") or ()):
        at, key, values = f"{path}[{number}]", str(each.get("key") or ""), each.get("values") or []
        if not values:
            yield causes.required(f"{at}.values")
        for place, value in enumerate(values):
            if value in values[:place]:
                yield causes.duplicate(f"{at}.values[{place}]", value)
        yield from broken(f"{at}.key", key, names.qualified_name(key))
        if key in seen:
            yield causes.duplicate(f"{at}.key", key)
        seen.add(key)


def volume_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from volume(value)
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    sources = [{key: item for key, item in each.items() if key not in NOT_A_SOURCE} for each in (was, spec)]
    if sources[0] != sources[1]:
        yield causes.forbidden("spec.persistentvolumesource", _VOLUME_CHANGED)
    yield from immutable("spec.volumeMode", was.get("volumeMode"), spec.get("volumeMode"))
    if was.get("nodeAffinity") is not None:
        yield from immutable("spec.nodeAffinity", was.get("nodeAffinity"), spec.get("nodeAffinity"))


def claim_changed(live: Object, value: Object) -> Iterator[Cause]:
    """Source: ValidatePersistentVolumeClaimUpdate."""
    yield from claim(value)
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    is_bound = (live.get("status") or {}).get("phase") == "Bound"
    old, new = (dict(each) for each in (was, spec))
    if not old.get("volumeName") and new.get("volumeName"):
        # Binding is a change that is let through.
        old["volumeName"] = new["volumeName"]
    amounts = [((each.get("resources") or {}).get("requests") or {}).get("storage") for each in (old, new)]
    if is_bound and amounts[0] != amounts[1] and nano(amounts[1] or 0) >= nano(amounts[0] or 0):
        old["resources"] = new.get("resources")
    elif is_bound and amounts[0] != amounts[1]:
        yield causes.forbidden("spec.resources.requests.storage", "field can not be less than previous value")
        old["resources"] = new.get("resources")
    if is_bound:
        old["volumeAttributesClassName"] = new.get("volumeAttributesClassName")
    if {key: item for key, item in old.items() if item} != {key: item for key, item in new.items() if item}:
        yield causes.forbidden(
            "spec", f"{_CLAIM_CHANGED}\n{go_values.difference('PersistentVolumeClaimSpec', was, spec)}"
        )
    yield from immutable("spec.volumeMode", was.get("volumeMode"), spec.get("volumeMode"))


def storage_class_changed(live: Object, value: Object) -> Iterator[Cause]:
    if (live.get("parameters") or None) != (value.get("parameters") or None):
        yield causes.forbidden("parameters", "updates to parameters are forbidden.")
    yield from immutable("provisioner", live.get("provisioner"), value.get("provisioner"))
    yield from immutable("reclaimPolicy", live.get("reclaimPolicy"), value.get("reclaimPolicy"))
    yield from immutable("volumeBindingMode", live.get("volumeBindingMode"), value.get("volumeBindingMode"))
