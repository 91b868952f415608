"""Validation of volume sources of remote disks, for Pods and PersistentVolumes.

Source: pkg/apis/core/validation validateISCSIVolumeSource, validateISCSIPersistentVolumeSource, validateFCVolumeSource
and similar functions.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "iscsi": ("targetPortal", "iqn"),
    "gcePersistentDisk": ("pdName",),
    "awsElasticBlockStore": ("volumeID",),
    "glusterfs": ("endpoints", "path"),
    "rbd": ("monitors", "image"),
    "cephfs": ("monitors",),
    "cinder": ("volumeID",),
    "flexVolume": ("driver",),
    "azureFile": ("secretName", "shareName"),
    "azureDisk": ("diskName", "diskURI"),
    "vsphereVolume": ("volumePath",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "scaleIO": ("gateway", "system", "volumeName"),
    "storageos": ("volumeName",),
}
_FORMAT = "must be valid format"
_STARTS = ("iqn", "eui", "naa")
_QUALIFIED: Mapping[str, re.Pattern[str]] = {
    "iqn": re.compile(r"iqn\.\d{4}-\d{2}\.[a-zA-Z0-9.-]+:[^,;*&$|\s]+$", re.ASCII),
    "eui": re.compile(r"^eui.[a-zA-Z0-9]{16}$"),
    "naa": re.compile(r"^naa.[a-zA-Z0-9]{32}$"),
}
_UNIT = "must be between 0 and 255, inclusive"
_PARTITION = "must be between 1 and 255, inclusive"
_LONGEST_PORTAL = 64
_CACHING = ("None", "ReadOnly", "ReadWrite")
_KINDS_OF_DISK = ("Dedicated", "Managed", "Shared")
_MANAGED = (
    "/subscriptions/",
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
)
_BLOB = "https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def validate_disk_source(kind: str, source: Object, path: str, volume: str | None = None) -> Iterator[Cause]:
    """Validate a disk source. `volume` is the PersistentVolume's name, or None if the source belongs to a Pod."""
    if kind == "iscsi":
        yield from _validate_iscsi(source, path, volume)
        return
    for key in _NEEDED.get(kind, ()):
        if not source.get(key):
            yield causes.required(f"{path}.{key}")
    match kind:
        case "fc":
            yield from _validate_either(source, f"{path}.targetWWNs", "targetWWNs", "wwids", is_fibre=True)
            if source.get("targetWWNs"):
                yield from _validate_fibre_channel_lun(source.get("lun"), f"{path}.lun")
        case "flocker":
            yield from _validate_either(source, path, "datasetName", "datasetUUID")
            if "/" in str(source.get("datasetName") or ""):
                yield causes.invalid(f"{path}.datasetName", source["datasetName"], "must not contain '/'")
        case "gcePersistentDisk" | "awsElasticBlockStore":
            if not 0 <= (source.get("partition") or 0) <= 255:
                yield causes.invalid(f"{path}.partition", source["partition"], _PARTITION)
        case "azureDisk":
            for key, known in (("cachingMode", _CACHING), ("kind", _KINDS_OF_DISK)):
                if source.get(key) not in (None, *known):
                    yield causes.unsupported(f"{path}.{key}", source[key], known)
            yield from _validate_azure_uri(source, f"{path}.diskURI")
        case "glusterfs" if source.get("endpointsNamespace") is not None:
            yield from _validate_endpoints_namespace(source["endpointsNamespace"], f"{path}.endpointsNamespace")
        case "storageos" if source.get("volumeName"):
            yield from report_broken_rules(
                f"{path}.volumeName", source["volumeName"], names.dns_label(str(source["volumeName"]))
            )
        case "cinder" if source.get("secretRef") is not None:
            for key in ("name", "namespace") if volume is not None else ("name",):
                if not source["secretRef"].get(key):
                    yield causes.required(f"{path}.secretRef.{key}")


def _validate_azure_uri(source: Object, path: str) -> Iterator[Cause]:
    """Validate the URI of an Azure disk. Managed disks have another form than blob disks."""
    kind, uri = source.get("kind"), str(source.get("diskURI") or "")
    start, form = _MANAGED if kind == "Managed" else _BLOB
    if kind is not None and not uri.startswith(start):
        yield causes.unsupported(path, uri, (form,))


def _validate_fibre_channel_lun(unit: int | None, path: str) -> Iterator[Cause]:
    if unit is None:
        yield causes.required(path, "lun is required if targetWWNs is specified")
    elif not 0 <= unit <= 255:
        yield causes.invalid(path, unit, _UNIT)


def _validate_endpoints_namespace(name: Any, path: str) -> Iterator[Cause]:
    if not name:
        yield causes.invalid(path, name, "if the endpointnamespace is set, it must be a valid namespace name")
    else:
        yield from report_broken_rules(path, name, names.dns_label(str(name)))


def _validate_iscsi(source: Object, path: str, volume: str | None) -> Iterator[Cause]:
    portal, name, initiator = (source.get(key) for key in ("targetPortal", "iqn", "initiatorName"))
    if not portal:
        yield causes.required(f"{path}.targetPortal")
    if volume is not None and initiator is not None and len(f"{volume}:{portal or ''}") > _LONGEST_PORTAL:
        detail = (
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
            "if iscsi.initiatorName is specified."
        )
        yield causes.invalid(f"{path}.targetportal", portal or "", detail)
    if not name:
        yield causes.required(f"{path}.iqn")
    else:
        yield from _validate_initiator_name(str(name), f"{path}.iqn", volume)
    unit = source.get("lun") or 0
    if not 0 <= unit <= 255:
        yield causes.invalid(f"{path}.lun", unit, _UNIT)
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and source.get("secretRef") is None:
        yield causes.required(f"{path}.secretRef")
    if volume is not None and source.get("secretRef") is not None and not source["secretRef"].get("name"):
        yield causes.required(f"{path}.secretRef.name")
    if initiator is not None:
        yield from _validate_initiator_name(str(initiator), f"{path}.initiatorname", volume)


def _validate_initiator_name(name: str, path: str, volume: str | None) -> Iterator[Cause]:
    if not name.startswith(_STARTS):
        detail = _FORMAT if volume is not None else f"{_FORMAT} starting with iqn, eui, or naa"
        yield causes.invalid(path, name, detail)
    elif not _QUALIFIED[name[:3]].search(name):
        yield causes.invalid(path, name, _FORMAT)


def _validate_either(source: Object, path: str, first: str, second: str, *, is_fibre: bool = False) -> Iterator[Cause]:
    if not source.get(first) and not source.get(second):
        either = f"must specify either {first} or {second}, but not both"
        yield causes.required(path, either if is_fibre else f"one of {first} and {second} is required")
    elif source.get(first) and source.get(second):
        shown = source[first] if is_fibre else "resource"
        yield causes.invalid(path, shown, f"{first} and {second} can not be specified simultaneously")
