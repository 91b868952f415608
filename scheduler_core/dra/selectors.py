"""Device selectors: CEL expressions, with results cached in each device."""

from kube_objects.devices import Device

# Cached results per device; one more drops all of them.
_MAX_RESULTS = 256


def device_matches(expression: str, driver: str, device: Device) -> bool:
    """Return True if the CEL expression is true for a device of that driver. Raises SelectorError.

    The result is cached: devices are immutable, and a changed slice has new ones.
    """
    known = device.answers.get((expression, driver))
    if known is None:
        from kube_objects.expressions import evaluate  # its library takes 0.2 s to import, and few need it

        known = evaluate(expression, driver, device)
        if len(device.answers) >= _MAX_RESULTS:
            device.answers.clear()
        device.answers[expression, driver] = known
    return known
