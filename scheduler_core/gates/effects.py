"""The effects of feature gates on the registry, the configuration rules, and the traits of an emulation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scheduler_core.config.effective import effective
from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import PluginRef, PluginSet
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.traits import Traits
from scheduler_core.plugins.dynamic_resources import disabled
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources


@dataclass(slots=True, frozen=True)
class EmulationParts:
    """The parts of an emulation that a gate may change."""

    traits: Traits
    rules: ConfigRules
    registry: Registry


Effect = Callable[[EmulationParts, bool], EmulationParts]


def _trait(name: str) -> Effect:
    """Return an effect in which the gate sets a trait."""

    def change(parts: EmulationParts, on: bool) -> EmulationParts:
        value: Any = on
        return replace(parts, traits=replace(parts.traits, **{name: value}))

    return change


def _default_plugin(name: str) -> Effect:
    """Return an effect in which the gate adds a default plugin (as the last one) or removes it."""

    def change(parts: EmulationParts, on: bool) -> EmulationParts:
        enabled = parts.rules.multi_point.enabled
        if on:
            enabled = (*enabled, PluginRef(name, default=True))
        else:
            enabled = tuple(plugin for plugin in enabled if plugin.name != name)
        return replace(parts, rules=replace(parts.rules, multi_point=PluginSet(enabled)))

    return change


def _attribute(name: str, attribute: str) -> Effect:
    """Return an effect in which the gate sets an attribute of a plugin's class."""

    def change(parts: EmulationParts, on: bool) -> EmulationParts:
        plugin = parts.registry.get(name)
        assert plugin is not None
        return replace(parts, registry=parts.registry.replaced(type(name, (plugin,), {attribute: on})))

    return change


def _allocator_rule(name: str) -> Effect:
    """Return an effect in which the gate sets a rule of the device allocator."""

    def change(parts: EmulationParts, on: bool) -> EmulationParts:
        plugin = parts.registry.get(DynamicResources.name)
        assert plugin is not None and issubclass(plugin, DynamicResources)
        value: Any = on
        rules = replace(plugin.rules, **{name: value})
        return replace(parts, registry=parts.registry.replaced(type(plugin.name, (plugin,), {"rules": rules})))

    return change


def _no_devices(parts: EmulationParts, on: bool) -> EmulationParts:
    return replace(parts, registry=parts.registry.replaced(disabled.DynamicResources))


def _all(*effects: Effect) -> Effect:
    def change(parts: EmulationParts, on: bool) -> EmulationParts:
        for effect in effects:
            parts = effect(parts, on)
        return parts

    return change


_EVERYWHERE: Mapping[str, Effect] = {
    "SchedulerPopFromBackoffQ": _trait("pops_backoff"),
    "DRAPrioritizedList": _allocator_rule("prioritized_list"),
    "DynamicResourceAllocation": _all(_default_plugin("DynamicResources"), _no_devices),
}
# Version → gate → effect of setting it to a value that isn't the default.
EFFECTS: Mapping[str, Mapping[str, Effect]] = {
    "v1.34.1": _EVERYWHERE,
    "v1.36.3": {
        **_EVERYWHERE,
        "GenericWorkload": _trait("pod_groups"),
        "GangScheduling": _all(_trait("pod_events"), _default_plugin("GangScheduling")),
        "NodeDeclaredFeatures": _all(
            _trait("declared_features"),
            _default_plugin("NodeDeclaredFeatures"),
            _attribute("NodeDeclaredFeatures", "is_on"),
        ),
        "DRAExtendedResource": _all(
            _allocator_rule("extended_resources"), _attribute("NodeResourcesFit", "with_devices")
        ),
        "DRAPartitionableDevices": _allocator_rule("partitionable_devices"),
        "DRADeviceTaints": _allocator_rule("device_taints"),
        "DRAConsumableCapacity": _allocator_rule("consumable_capacity"),
        "DRADeviceBindingConditions": _allocator_rule("binding_conditions"),
    },
}


def apply_gates(
    version: str, gates: Mapping[str, bool], traits: Traits, rules: ConfigRules, registry: Registry
) -> tuple[Traits, ConfigRules, Registry]:
    """Return the parts of a version's emulation with these gates applied."""
    parts = EmulationParts(traits, rules, registry)
    for name, on in gates.items():
        if name in EFFECTS[version]:
            parts = EFFECTS[version][name](parts, on)
    return replace(parts.traits, expand=partial(effective, rules=parts.rules.expansion)), parts.rules, parts.registry
