"""NodeTree: node names by zone, and the order in which the scheduler visits them: one of each zone in turn.

Source: pkg/scheduler/backend/cache/node_tree.go, component-helpers/node/topology/helpers.go.
"""

from collections.abc import Iterable
from itertools import chain, zip_longest
from typing import Any

from kube_objects.node import Node

_ZONE_LABELS = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
_REGION_LABELS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")


def zone_key(node: Node) -> str:
    """Unique per region and zone, "" for a node without either. A beta label that is there wins, even if empty."""
    zone, region = (
        next((node.labels[key] for key in keys if key in node.labels), "") for keys in (_ZONE_LABELS, _REGION_LABELS)
    )
    return f"{region}:\x00:{zone}" if region or zone else ""


class NodeTree:
    """Zones and the nodes in them, both in the order in which they came."""

    def __init__(self) -> None:
        self._zones: dict[str, dict[str, None]] = {}

    def add(self, node: Node) -> None:
        self._zones.setdefault(zone_key(node), {}).setdefault(node.name)

    def remove(self, node: Node) -> None:
        """`node` must have the zone under which it was added. A zone without nodes is forgotten."""
        zone = zone_key(node)
        del self._zones[zone][node.name]
        if not self._zones[zone]:
            del self._zones[zone]

    def update(self, old: Node, new: Node) -> None:
        """A node that changes zones goes to the end of its new one."""
        if zone_key(old) != zone_key(new):
            self.remove(old)
            self.add(new)

    def names(self) -> list[str]:
        """All names: the first node of each zone, then the second of each, and so on."""
        rounds: Iterable[tuple[str | None, ...]] = zip_longest(*self._zones.values())
        return [name for name in chain.from_iterable(rounds) if name is not None]

    def dump(self) -> list[list[Any]]:
        """JSON-ready: `[zone key, [names]]` in order."""
        return [[zone, list(names)] for zone, names in self._zones.items()]

    def load(self, data: Iterable[Any]) -> None:
        """The inverse of `dump`, into an empty instance."""
        self._zones = {zone: dict.fromkeys(names) for zone, names in data}
