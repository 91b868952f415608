"""Validation of the device statuses that drivers write into a ResourceClaim.

Source: pkg/apis/resource/validation validateDeviceStatus, validateNetworkDeviceData.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, conditions
from kube_apiserver.validation.go_values import Ordered
from kube_apiserver.validation.groups import device_names
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_LONGEST = {"interfaceName": 256, "hardwareAddress": 128}


def validate_device_statuses(status: Object, path: str) -> Iterator[Cause]:
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    allocated, seen = {_get_device_key(device) for device in results}, set[tuple[str, ...]]()
    for number, device in enumerate(status.get("devices") or ()):
        device_path, name, key = f"{path}[{number}]", str(device.get("device") or ""), _get_device_key(device)
        shown = Ordered(zip(("Driver", "Pool", "Device", "ShareID"), key, strict=True))
        yield from claims.validate_csi_driver_name(device.get("driver"), f"{device_path}.driver")
        yield from device_names.validate_pool_name(str(device.get("pool") or ""), f"{device_path}.pool")
        yield from report_broken_rules(f"{device_path}.device", name, names.dns_label(name))
        if key not in allocated:
            yield causes.invalid(device_path, shown, "must be an allocated device in the claim")
        yield from conditions.validate_conditions(device.get("conditions") or (), f"{device_path}.conditions")
        network = device.get("networkData") or {}
        for part, limit in _LONGEST.items():
            if len(str(network.get(part) or "").encode()) > limit:
                yield causes.too_long(f"{device_path}.networkData.{part}", limit)
        if key in seen:
            yield causes.duplicate(device_path, shown)
        seen.add(key)


def _get_device_key(device: Object) -> tuple[str, ...]:
    """Return driver, pool, device and share ID, which identify an allocated device."""
    return tuple(str(device.get(name) or "") for name in ("driver", "pool", "device", "shareID"))
