"""Validation of a PersistentVolumeClaim's spec, in a claim or in a claim template.

Source: ValidatePersistentVolumeClaimSpec.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules, validate_label_selector
from kube_objects import names

Object = Mapping[str, Any]

MODES = ("Block", "Filesystem")
_ACCESS = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_RESIZES = (
    *("ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible"),
    "NodeResizePending",
)
_OWN_KIND = "PersistentVolumeClaim"


def validate_claim_spec(spec: Object, path: str) -> Iterator[Cause]:
    if not spec.get("accessModes"):
        yield causes.required(f"{path}.accessModes", "at least 1 access mode is required")
    yield from validate_label_selector(spec.get("selector"), f"{path}.selector")
    yield from validate_access_modes(spec, path)
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        yield causes.required(f"{path}.resources[storage]")
    elif nano(storage) <= 0:
        yield causes.invalid(f"{path}.resources[storage]", str(storage), "must be greater than zero")
    if spec.get("storageClassName"):
        name = spec["storageClassName"]
        yield from report_broken_rules(f"{path}.storageClassName", name, names.dns_subdomain(str(name)))
    if spec.get("volumeMode") not in (None, *MODES):
        yield causes.unsupported(f"{path}.volumeMode", spec["volumeMode"], MODES)
    for key in ("dataSource", "dataSourceRef"):
        if spec.get(key) is not None:
            yield from _validate_data_source(spec[key], f"{path}.{key}")
    data_source, data_source_ref = ({**(spec.get(key) or {})} for key in ("dataSource", "dataSourceRef"))
    # Upstream reports the whole spec as the value, which is printed as an empty object.
    if data_source and data_source_ref and data_source_ref.get("namespace"):
        yield causes.invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")
    elif data_source and data_source_ref and data_source != data_source_ref:
        yield causes.invalid(path, {}, "must match dataSourceRef")
    name = spec.get("volumeAttributesClassName")
    if name:
        yield from report_broken_rules(f"{path}.volumeAttributesClassName", name, names.dns_subdomain(str(name)))


def _validate_data_source(reference: Object, path: str) -> Iterator[Cause]:
    for key in ("name", "kind"):
        if not reference.get(key):
            yield causes.required(f"{path}.{key}")
    group, kind = str(reference.get("apiGroup") or ""), str(reference.get("kind") or "")
    if not group and kind != _OWN_KIND:
        detail = f"must be '{_OWN_KIND}' when referencing the default apiGroup"
        yield causes.invalid(path, kind, detail)
    elif group:
        yield from report_broken_rules(f"{path}.apiGroup", group, names.dns_subdomain(group))
    if reference.get("namespace"):
        yield from report_broken_rules(
            f"{path}.namespace", reference["namespace"], names.dns_label(str(reference["namespace"]))
        )


def validate_access_modes(spec: Object, path: str) -> Iterator[Cause]:
    modes = spec.get("accessModes") or []
    for mode in modes:
        if mode not in _ACCESS:
            yield causes.unsupported(f"{path}.accessModes", mode, _ACCESS)
    if "ReadWriteOncePod" in modes and set(modes) & set(_ACCESS[:-1]):
        detail = "may not use ReadWriteOncePod with other access modes"
        yield causes.forbidden(f"{path}.accessModes", detail)


def validate_csi_driver_name(driver_name: Any, path: str) -> Iterator[Cause]:
    """Yield what is wrong with the name of a CSI driver. Source: ValidateCSIDriverName."""
    name = str(driver_name or "")
    if not name:
        yield causes.required(path)
        return
    if len(name) > 63:
        yield causes.too_long(path, 63)
    yield from report_broken_rules(path, name, names.dns_subdomain(name.lower()))


def validate_claim_status_update(_: Object, value: Object) -> Iterator[Cause]:
    """Source: ValidatePersistentVolumeClaimStatusUpdate."""
    status = value.get("status") or {}
    for name, amount in sorted((status.get("capacity") or {}).items()):
        yield from _validate_status_quantity(amount, f"status.capacity[{name}]")
    path = "status.allocatedResourceStatuses"
    for name, state in sorted((status.get("allocatedResourceStatuses") or {}).items()):
        yield from _validate_status_resource_name(name, path)
        if state not in _RESIZES:
            yield causes.unsupported(path, name, _RESIZES)
    path = "status.allocatedResources"
    for name, amount in sorted((status.get("allocatedResources") or {}).items()):
        wrong = [*_validate_status_resource_name(name, path)] or [*_validate_status_quantity(amount, f"{path}[{name}]")]
        yield from wrong
        if not wrong and nano(amount) % 10**9:
            yield causes.invalid(f"{path}[{name}]", str(amount), "must be an integer")


def _validate_status_quantity(amount: Any, path: str) -> Iterator[Cause]:
    if nano(amount) < 0:
        yield causes.invalid(path, nano(amount) // 10**9, "must be a valid resource quantity")


def _validate_status_resource_name(name: str, path: str) -> Iterator[Cause]:
    if rule := names.qualified_name(name):
        yield from report_broken_rules(path, name, rule)
    elif name != "storage" and ("/" not in name or "kubernetes.io/" in name):
        yield causes.unsupported(path, name, ("storage",))
