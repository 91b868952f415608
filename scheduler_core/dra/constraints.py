"""Constraints between the devices of a claim.

Source: structured/internal/incubating/constraint.go, allocator_incubating.go.
"""

from kube_objects.devices import Attribute, Device, DeviceConstraint


class Constraint:
    """Keeps what has been added so far. `request` is the name of a request, `alternative` of the one tried, or ""."""

    def __init__(self, rule: DeviceConstraint) -> None:
        self.rule = rule
        self.attribute = rule.match_attribute or rule.distinct_attribute
        self.added = 0
        self._same: Attribute | None = None
        self._distinct: dict[str, Attribute] = {}

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Whether the device may join those that were added."""
        if not self._is_about(request, alternative):
            return True
        found = attribute_of(device, driver, self.attribute)
        if found is None:
            return False
        if self.rule.match_attribute:
            if self.added and found != self._same:
                return False
            if not self.added:
                self._same = found
        else:
            if self.added and found in self._distinct.values():
                return False
            # Upstream keeps one value a request, the newest.
            self._distinct[request] = found
        self.added += 1
        return True

    def remove(self, request: str, alternative: str) -> None:
        if self._is_about(request, alternative):
            self._distinct.pop(request, None)
            self.added -= 1

    def _is_about(self, request: str, alternative: str) -> bool:
        names = self.rule.requests
        return not names or request in names or (bool(alternative) and f"{request}/{alternative}" in names)


def attribute_of(device: Device, driver: str, name: str) -> Attribute | None:
    """By its qualified name; the driver's own attributes may be written without their domain."""
    if name in device.attributes:
        return device.attributes[name]
    domain, slash, rest = name.partition("/")
    return device.attributes.get(rest) if slash and domain == driver else None
