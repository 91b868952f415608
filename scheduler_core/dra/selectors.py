"""Does a device match a selector?"""

from kube_objects.devices import Device

# Answers remembered in a device; with one more all of them are forgotten.
_MOST_ANSWERS = 256


def matches(expression: str, driver: str, device: Device) -> bool:
    """Whether the CEL expression is true for a device of that driver. Raises SelectorError.

    The answer is remembered: devices do not change, and a slice that does has new ones.
    """
    known = device.answers.get((expression, driver))
    if known is None:
        from kube_objects.expressions import evaluate  # its library takes 0.2 s to import, and few need it

        known = evaluate(expression, driver, device)
        if len(device.answers) >= _MOST_ANSWERS:
            device.answers.clear()
        device.answers[expression, driver] = known
    return known
