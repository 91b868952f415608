"""The rate of evictions in a zone: slower if many Nodes failed, none if all failed.

Source: node_lifecycle_controller.go ComputeZoneState, handleDisruption, setLimiterInZone, with the defaults of
kube-controller-manager.
"""

from collections.abc import Iterable, Mapping, Sequence

from kube_controllers.node_lifecycle.node_conditions import (
    NO_EXECUTE,
    NOT_READY,
    UNREACHABLE,
    evicting_key,
    has_taint,
    readiness,
    taints_of,
)
from kube_objects.manifests import Manifest, labels, name, parse_time

NORMAL, PARTIAL, FULL = "Normal", "PartialDisruption", "FullDisruption"
EXCLUDED_LABEL = "node.kubernetes.io/exclude-disruption"
UNHEALTHY_THRESHOLD = 0.55
LARGE_CLUSTER = 50
# Seconds between two nodes of a zone: node-eviction-rate, secondary-node-eviction-rate.
SECONDS, SLOW_SECONDS = 10.0, 100.0

Zone = tuple[str, str]


def zone_of(node: Manifest) -> Zone:
    """Return region and zone. Source: component-helpers/node/topology GetZoneKey."""
    node_labels = labels(node)
    region, zone = (
        node_labels.get(f"failure-domain.beta.kubernetes.io/{part}")
        or node_labels.get(f"topology.kubernetes.io/{part}")
        or ""
        for part in ("region", "zone")
    )
    return region, zone


def is_excluded(node: Manifest) -> bool:
    return EXCLUDED_LABEL in labels(node)


def zone_state(ready: Sequence[bool]) -> str:
    """Source: ComputeZoneState."""
    unwell = ready.count(False)
    if unwell and unwell == len(ready):
        return FULL
    return PARTIAL if unwell > 2 and unwell / len(ready) >= UNHEALTHY_THRESHOLD else NORMAL


def zone_states(nodes: Iterable[Manifest], otherwise: bool = False) -> Mapping[Zone, tuple[str, int]]:
    """Return state and size of each zone. `otherwise` is the readiness of Nodes that have not reported."""
    by_zone: dict[Zone, list[bool]] = {}
    for node in nodes:
        if not is_excluded(node):
            is_ready = readiness(node)
            by_zone.setdefault(zone_of(node), []).append(otherwise if is_ready is None else is_ready == "True")
    return {zone: (zone_state(ready), len(ready)) for zone, ready in by_zone.items()}


def eviction_pause(zone: Zone, states: Mapping[Zone, tuple[str, int]]) -> float | None:
    """Return the seconds between evictions of two Nodes; None for no evictions."""
    if states and all(state == FULL for state, _ in states.values()):
        return None  # probably the control plane is disconnected
    state, size = states.get(zone, (NORMAL, 0))
    if state == PARTIAL:
        return SLOW_SECONDS if size > LARGE_CLUSTER else None
    return SECONDS


def eviction_time(node: Manifest, nodes: Sequence[Manifest], now: float) -> float | None:
    """Return the time at which the Node's Pods may be evicted; None for not now. Nodes of a zone are evicted one by
    one.
    """
    zone = zone_of(node)
    pause = eviction_pause(zone, zone_states(nodes, otherwise=True))
    if pause is None:
        return None
    last, before = -pause, 0
    for other in nodes:
        if zone_of(other) != zone:
            continue
        # A Node that recovered still counts for the rate.
        evicted = _evicted_at(other)
        if evicted is not None:
            last = max(last, evicted)
        elif evicting_key(other) is not None and name(other) < name(node):
            before += 1
    return max(last + pause, now) + before * pause


def _evicted_at(node: Manifest) -> float | None:
    """Return the time at which the evicting taint was added; None without one."""
    if not (has_taint(node, NOT_READY, NO_EXECUTE) or has_taint(node, UNREACHABLE, NO_EXECUTE)):
        return None
    times = [taint.get("timeAdded") for taint in taints_of(node) if taint.get("key") in (NOT_READY, UNREACHABLE)]
    return max((parse_time(text) or 0.0 for text in times), default=0.0)
