"""Binding conditions: devices that become ready only after the pod was assigned to its node.

Source (v1.36): dynamicresources.go isClaimReadyForBinding, isClaimTimeout, hasBindingConditions.
"""

from kube_objects.devices import ResourceClaim
from kube_objects.text.go import quote

WAITING = "waiting for binding conditions for device on node {node}"
TIMEOUT = "device binding timeout"
OUT_OF_TIME = f"{TIMEOUT}: context deadline exceeded"
LATE = f"{TIMEOUT}: claim={{claim}}"
FAILED = "device binding failed: claim={claim}, reason={reason}, message={message}"


class BindingError(Exception):
    """Raised if a device can't become ready; the message is upstream's."""


def awaits_conditions(claim: ResourceClaim) -> bool:
    """Return True if the claim has a device with binding conditions. Source: hasBindingConditions."""
    return claim.allocation is not None and any(device.binding_conditions for device in claim.allocation.devices)


def is_ready(claim: ResourceClaim) -> bool:
    """Return True if all binding conditions of all devices are true. Raises BindingError if a failure condition is."""
    if claim.allocation is None:
        return False
    for device in claim.allocation.devices:
        if not device.binding_conditions:
            continue
        status = claim.status_of(device.id)
        if status is None:
            return False
        for name in device.binding_failure_conditions:
            failed = status.condition(name)
            if failed is not None and failed.status == "True":
                message = quote(failed.message)
                raise BindingError(FAILED.format(claim=claim.name, reason=failed.reason, message=message))
        if not all(status.is_true(name) for name in device.binding_conditions):
            return False
    return True


def is_late(claim: ResourceClaim, poll_timeout: float, now: float) -> bool:
    """Return True if the claim was allocated longer than `poll_timeout` ago; `now` in seconds since 1970."""
    allocation = claim.allocation
    if allocation is None or allocation.timestamp is None or not awaits_conditions(claim):
        return False
    return allocation.timestamp + poll_timeout < now
