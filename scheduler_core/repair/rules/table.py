"""The rules by plugin. A plugin that is not here may have a method `repairs` of its own (`question.Repairs`)."""

from collections.abc import Iterable, Mapping

from scheduler_core.framework.interface import Plugin
from scheduler_core.repair.costs import Prices
from scheduler_core.repair.question import Need, Repairs, Rule
from scheduler_core.repair.rules import (
    devices,
    features,
    fit,
    gates,
    node_affinity,
    node_ports,
    pod_affinity,
    spread,
    taints,
    volumes,
)

RULES: Mapping[str, Rule] = {
    "DynamicResources": devices.needs,
    "InterPodAffinity": pod_affinity.needs,
    "NodeAffinity": node_affinity.needs,
    "NodeDeclaredFeatures": features.needs,
    "NodeName": features.name_needs,
    "NodePorts": node_ports.needs,
    "NodeResourcesFit": fit.needs,
    "NodeUnschedulable": taints.cordon_needs,
    "NodeVolumeLimits": volumes.limit_needs,
    "PodTopologySpread": spread.needs,
    "SchedulingGates": gates.needs,
    "TaintToleration": taints.needs,
    "VolumeBinding": volumes.binding_needs,
    "VolumeRestrictions": volumes.restriction_needs,
    "VolumeZone": volumes.zone_needs,
}


def rule_of(plugin: Plugin) -> Rule | None:
    """None for a plugin that does not say what would mend its rejections."""
    rule = RULES.get(plugin.name)
    return plugin.repairs if rule is None and isinstance(plugin, Repairs) else rule


# The kinds of edits that a plugin's rule may use: no set that mends its rejection costs less than the cheapest of them.
_LEAVE, _EVICT = ("move_pod", "delete_pod"), "raise_priority"
_AWAY = (*_LEAVE, _EVICT)
_ANY = ("disable_plugin",)
_CLAIMS = ("other_claim", "add_claim", "claim_class", "drop_claim", "add_volume", "label", "relabel")
KINDS: Mapping[str, tuple[str, ...]] = {
    "DynamicResources": ("fewer_devices", "other_claim", "claim_class", "drop_claim", *_AWAY),
    "InterPodAffinity": ("soften", "label", "relabel", *_AWAY, *_ANY),
    "NodeAffinity": ("drop_selector", "soften", "widen", "label", "relabel", *_ANY),
    "NodeDeclaredFeatures": (),
    "NodeName": ("drop_node_name",),
    "NodePorts": ("other_port", "drop_port", *_AWAY, *_ANY),
    "NodeResourcesFit": ("lower_request", *_AWAY),
    "NodeUnschedulable": ("tolerate", "uncordon", *_ANY),
    "NodeVolumeLimits": (*_CLAIMS, *_AWAY, *_ANY),
    "PodTopologySpread": ("soften", "raise_skew", "label", "relabel", *_AWAY, *_ANY),
    "SchedulingGates": ("lift_gate",),
    "TaintToleration": ("tolerate", "untaint", *_ANY),
    "VolumeBinding": _CLAIMS,
    "VolumeRestrictions": (*_CLAIMS, *_AWAY, *_ANY),
    "VolumeZone": (*_CLAIMS, "relabel_volume", *_ANY),
}

# What one edit may mend for several plugins is counted once; to disable a plugin helps with that one only.
_OWN = frozenset(_ANY)


def floor_of(plugin: str, prices: Prices) -> int | None:
    """What it costs at least to mend a rejection by a plugin; 0 for one that is not known, None if nothing may."""
    if plugin not in KINDS:
        return 0
    return min((cost for kind in KINDS[plugin] if (cost := prices.of(kind)) is not None), default=None)


def apart(plugins: Iterable[str], prices: Prices) -> list[str]:
    """Those of the plugins whose rules have no kind of edit in common: what they need adds up."""
    found: list[str] = []
    counted: frozenset[str] = frozenset()
    for plugin in sorted(plugins, key=lambda name: -(floor_of(name, prices) or 0)):
        kinds = frozenset(KINDS.get(plugin, ())) - _OWN
        if plugin in KINDS and not counted & kinds:
            found.append(plugin)
            counted |= kinds
    return found


def is_for_others(plugin: str) -> bool:
    """Whether it may help that other pods leave the node."""
    return plugin not in KINDS or bool(set(KINDS[plugin]) & set(_AWAY))


def price_of_others(needs: Iterable[Need], prices: Prices) -> int | None:
    """The least that it costs when other pods have to leave for one of these needs."""
    leaving = min((cost for kind in _LEAVE if (cost := prices.of(kind)) is not None), default=None)
    evicting = prices.of(_EVICT)
    costs = [leaving * need.leave for need in needs if leaving is not None and is_for_others(need.plugin)]
    return min(costs if evicting is None else [*costs, evicting], default=None)
