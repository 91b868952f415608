"""What drivers say in a ResourceClaim's status of the devices that it was given.

Source: pkg/apis/resource/validation validateDeviceStatus, validateNetworkDeviceData.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, conditions
from kube_apiserver.validation.go_values import Ordered
from kube_apiserver.validation.groups import device_names
from kube_apiserver.validation.metadata import broken
from kube_objects import names

Object = Mapping[str, Any]

_LONGEST = {"interfaceName": 256, "hardwareAddress": 128}


def problems(status: Object, path: str) -> Iterator[Cause]:
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    given, seen = {_key(each) for each in results}, set[tuple[str, ...]]()
    for number, each in enumerate(status.get("devices") or ()):
        at, name, key = f"{path}[{number}]", str(each.get("device") or ""), _key(each)
        shown = Ordered(zip(("Driver", "Pool", "Device", "ShareID"), key, strict=True))
        yield from claims.driver(each.get("driver"), f"{at}.driver")
        yield from device_names.pool(str(each.get("pool") or ""), f"{at}.pool")
        yield from broken(f"{at}.device", name, names.dns_label(name))
        if key not in given:
            yield causes.invalid(at, shown, "must be an allocated device in the claim")
        yield from conditions.problems(each.get("conditions") or (), f"{at}.conditions")
        network = each.get("networkData") or {}
        for part, limit in _LONGEST.items():
            if len(str(network.get(part) or "").encode()) > limit:
                yield causes.too_long(f"{at}.networkData.{part}", limit)
        if key in seen:
            yield causes.duplicate(at, shown)
        seen.add(key)


def _key(device: Object) -> tuple[str, ...]:
    """Which device it is: of a result, or of what is said of one."""
    return tuple(str(device.get(name) or "") for name in ("driver", "pool", "device", "shareID"))
