"""Constraints between the devices of a claim.

Source: structured/internal/incubating/constraint.go, allocator_incubating.go.
"""

from kube_objects.devices import Attribute, Device, DeviceConstraint


class ClaimConstraint:
    """A constraint with the devices added so far.

    `request` is the name of a request, `alternative` that of the alternative being tried, or "".
    """

    def __init__(self, rule: DeviceConstraint) -> None:
        self.rule = rule
        self.attribute = rule.match_attribute or rule.distinct_attribute
        self.added = 0
        self._same: Attribute | None = None
        self._distinct: dict[str, Attribute] = {}

    def add(self, request: str, alternative: str, device: Device, driver: str) -> bool:
        """Add the device; return False if it violates the constraint."""
        if not self._applies_to(request, alternative):
            return True
        attribute = attribute_of(device, driver, self.attribute)
        if attribute is None:
            return False
        if self.rule.match_attribute:
            if self.added and attribute != self._same:
                return False
            if not self.added:
                self._same = attribute
        else:
            if self.added and attribute in self._distinct.values():
                return False
            # Upstream stores only the newest value of a request.
            self._distinct[request] = attribute
        self.added += 1
        return True

    def remove(self, request: str, alternative: str) -> None:
        if self._applies_to(request, alternative):
            self._distinct.pop(request, None)
            self.added -= 1

    def _applies_to(self, request: str, alternative: str) -> bool:
        names = self.rule.requests
        return not names or request in names or (bool(alternative) and f"{request}/{alternative}" in names)


def attribute_of(device: Device, driver: str, name: str) -> Attribute | None:
    """Return an attribute by its qualified name; the driver's own attributes may lack their domain."""
    if name in device.attributes:
        return device.attributes[name]
    domain, slash, rest = name.partition("/")
    return device.attributes.get(rest) if slash and domain == driver else None
