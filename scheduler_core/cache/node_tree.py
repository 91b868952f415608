"""NodeTree: node names by zone, and the visiting order: one node of each zone in turn.

Source: pkg/scheduler/backend/cache/node_tree.go, component-helpers/node/topology/helpers.go.
"""

from collections.abc import Iterable
from itertools import chain, zip_longest
from typing import Any

from kube_objects.node import Node

_ZONE_LABELS = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGION_LABELS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")


def zone_key(node: Node) -> str:
    """Return a key of the region and zone, "" for a node without either. A beta label wins, even if empty."""
    zone, region = (
        next((node.labels[key] for key in keys if key in node.labels), "") for keys in (_ZONE_LABELS, _REGION_LABELS)
    )
    return f"{region}:\x00:{zone}" if region or zone else ""


class NodeTree:
    """Zones and their nodes, both in the order in which they were added."""

    def __init__(self) -> None:
        self._zones: dict[str, dict[str, None]] = {}

    def add(self, node: Node) -> None:
        self._zones.setdefault(zone_key(node), {}).setdefault(node.name)

    def remove(self, node: Node) -> None:
        """Remove a node, which must have the zone with which it was added. An empty zone is removed."""
        zone = zone_key(node)
        del self._zones[zone][node.name]
        if not self._zones[zone]:
            del self._zones[zone]

    def update(self, old: Node, new: Node) -> None:
        """Update a node; one that changes zones becomes the last of its new zone."""
        if zone_key(old) != zone_key(new):
            self.remove(old)
            self.add(new)

    def names(self) -> list[str]:
        """Return all names: the first node of each zone, then the second of each, and so on."""
        rounds: Iterable[tuple[str | None, ...]] = zip_longest(*self._zones.values())
        return [name for name in chain.from_iterable(rounds) if name is not None]

    def dump(self) -> list[list[Any]]:
        """Return JSON-ready data: `[zone key, [names]]` in order."""
        return [[zone, list(names)] for zone, names in self._zones.items()]

    def load(self, data: Iterable[Any]) -> None:
        """Load the data of `dump` into an empty instance."""
        self._zones = {zone: dict.fromkeys(names) for zone, names in data}
