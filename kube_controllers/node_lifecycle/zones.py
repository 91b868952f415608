"""How fast nodes of a zone may be emptied: slower where many have failed, not at all where all have.

Source: node_lifecycle_controller.go ComputeZoneState, handleDisruption, setLimiterInZone, with the defaults of
kube-controller-manager.
"""

from collections.abc import Iterable, Mapping, Sequence

from kube_controllers.node_lifecycle.conditions import (
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
    """Region and zone. Source: component-helpers/node/topology GetZoneKey."""
    found = labels(node)
    region, zone = (
        found.get(f"failure-domain.beta.kubernetes.io/{part}") or found.get(f"topology.kubernetes.io/{part}") or ""
        for part in ("region", "zone")
    )
    return region, zone


def is_excluded(node: Manifest) -> bool:
    return EXCLUDED_LABEL in labels(node)


def state_of(ready: Sequence[bool]) -> str:
    """Source: ComputeZoneState."""
    unwell = ready.count(False)
    if unwell and unwell == len(ready):
        return FULL
    return PARTIAL if unwell > 2 and unwell / len(ready) >= UNHEALTHY_THRESHOLD else NORMAL


def states_of(nodes: Iterable[Manifest], otherwise: bool = False) -> Mapping[Zone, tuple[str, int]]:
    """Of each zone its state and its size. `otherwise`: whether a node that nobody has reported on counts as ready."""
    found: dict[Zone, list[bool]] = {}
    for node in nodes:
        if not is_excluded(node):
            is_ready = readiness(node)
            found.setdefault(zone_of(node), []).append(otherwise if is_ready is None else is_ready == "True")
    return {zone: (state_of(ready), len(ready)) for zone, ready in found.items()}


def pause_of(zone: Zone, states: Mapping[Zone, tuple[str, int]]) -> float | None:
    """Seconds between two of its nodes; None if none is to be emptied."""
    if states and all(state == FULL for state, _ in states.values()):
        return None  # it is more likely that the control plane is cut off
    state, size = states.get(zone, (NORMAL, 0))
    if state == PARTIAL:
        return SLOW_SECONDS if size > LARGE_CLUSTER else None
    return SECONDS


def turn_of(node: Manifest, nodes: Sequence[Manifest], now: float) -> float | None:
    """When the pods of this node may be evicted: the nodes of a zone one after the other. None if not now."""
    zone = zone_of(node)
    pause = pause_of(zone, states_of(nodes, otherwise=True))
    if pause is None:
        return None
    last, before = -pause, 0
    for one in nodes:
        if zone_of(one) != zone:
            continue
        # One that is well again has had its turn all the same.
        at = _emptied_at(one)
        if at is not None:
            last = max(last, at)
        elif evicting_key(one) is not None and name(one) < name(node):
            before += 1
    return max(last + pause, now) + before * pause


def _emptied_at(node: Manifest) -> float | None:
    """When its evicting taint came; None without one."""
    if not (has_taint(node, NOT_READY, NO_EXECUTE) or has_taint(node, UNREACHABLE, NO_EXECUTE)):
        return None
    times = [one.get("timeAdded") for one in taints_of(node) if one.get("key") in (NOT_READY, UNREACHABLE)]
    return max((parse_time(at) or 0.0 for at in times), default=0.0)
