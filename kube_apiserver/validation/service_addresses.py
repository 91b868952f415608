"""Validation of a Service's cluster IPs and IP families, and of their updates.

Source: pkg/apis/core/validation ValidateServiceClusterIPsRelatedFields, validateUpgradeDowngradeClusterIPs,
validateUpgradeDowngradeIPFamilies.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import texts

Object = Mapping[str, Any]

_FAMILIES = ("IPv4", "IPv6")
_FAMILY_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_SET, _PATH = "may not change once set", "spec.clusterIPs"


def is_headless(spec: Object) -> bool:
    return "None" in (spec.get("clusterIP"), *(spec.get("clusterIPs") or ()))


def needs_health_check(spec: Object) -> bool:
    """Return whether the load balancer health-checks the Nodes. Source: NeedsHealthCheck."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def validate_cluster_ips(spec: Object) -> Iterator[Cause]:
    """Validate cluster IPs and IP families of a Service that may have them."""
    first, addresses = spec.get("clusterIP") or "", list(spec.get("clusterIPs") or ())
    families = list(spec.get("ipFamilies") or ())
    if addresses and not first:
        yield causes.invalid(_PATH, addresses, "must be empty when `clusterIP` is not specified")
    if first and addresses and addresses[0] != first:
        yield causes.invalid(_PATH, addresses, "first value must match `clusterIP`")
    addresses = addresses or ([first] if first else [])
    yield from _validate_ip_families(spec, families)
    wrong = list(_validate_ip_texts(addresses))
    yield from wrong
    if len(addresses) > 2:
        yield causes.invalid(_PATH, addresses, "may only hold up to 2 values")
    if wrong:
        return
    if len(addresses) > 1 and (len(addresses) > 2 or len({":" in address for address in addresses}) < 2):
        yield causes.invalid(_PATH, addresses, "may specify no more than one IP for each IP family")
    if is_headless(spec):
        return
    for number, (address, family) in enumerate(zip(addresses, families, strict=False)):
        if family in _FAMILIES and family != ("IPv6" if ":" in address else "IPv4"):
            detail = f"expected an {family} value as indicated by `ipFamilies[{number}]`"
            yield causes.invalid(f"{_PATH}[{number}]", address, detail)


def _validate_ip_families(spec: Object, families: Sequence[str]) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, family in enumerate(families):
        if family not in _FAMILIES:
            yield causes.unsupported(f"spec.ipFamilies[{number}]", family, _FAMILIES)
        if family in seen:
            yield causes.duplicate(f"spec.ipFamilies[{number}]", family)
        seen.add(family)
    if spec.get("ipFamilyPolicy") not in (None, *_FAMILY_POLICIES):
        yield causes.unsupported("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], _FAMILY_POLICIES)


def _validate_ip_texts(addresses: Sequence[str]) -> Iterator[Cause]:
    if addresses[:1] == ["None"] and len(addresses) > 1:
        yield causes.invalid(_PATH, addresses, "'None' must be the first and only value")
    for number, address in enumerate(addresses):
        if (number, address) != (0, "None"):
            yield from texts.validate_ip(str(address), f"{_PATH}[{number}]")


def validate_cluster_ips_update(was: Object, spec: Object) -> Iterator[Cause]:
    """Validate an update. The first address is immutable; a second one may be added or removed."""
    policy = spec.get("ipFamilyPolicy")
    both = is_headless(was), is_headless(spec)
    if both != (True, True):
        old, new = (list(each.get("clusterIPs") or ()) for each in (was, spec))
        yield from _validate_list_update(old, new, new, policy, "clusterIP")
    if both == (False, False):
        old, new = (list(each.get("ipFamilies") or ()) for each in (was, spec))
        # If the number of families changes, upstream prints the addresses instead.
        shown = new if len(old) == len(new) else list(spec.get("clusterIPs") or ())
        yield from _validate_list_update(old, new, shown, policy, "ipFamily")


def _validate_list_update(old: list[Any], new: list[Any], shown: list[Any], policy: Any, name: str) -> Iterator[Cause]:
    path = _PATH if name == "clusterIP" else "spec.ipFamilies"
    if len(old) == len(new):
        for number, (old_item, new_item) in enumerate(zip(old, new, strict=True)):
            if old_item != new_item:
                yield causes.invalid(f"{path}[{number if name == 'clusterIP' else 0}]", shown, _SET)
        return
    if not new and name == "clusterIP":
        yield causes.invalid(f"{path}[0]", None, "primary clusterIP can not be unset")
    if old and new and old[0] != new[0]:
        yield causes.invalid(f"{path}[0]", shown, _SET)
    if len(new) == 1 < len(old) and policy != "SingleStack":
        detail = f"must be set to 'SingleStack' when releasing the secondary {name}"
        yield causes.invalid("spec.ipFamilyPolicy", policy, detail)
