"""What feature gates change here: the registry, the configuration's rules, the traits of the emulation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scheduler_core.config.effective import effective
from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import PluginRef, PluginSet
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.traits import Traits


@dataclass(slots=True, frozen=True)
class Parts:
    """What an emulation is made of."""

    traits: Traits
    rules: ConfigRules
    registry: Registry


Effect = Callable[[Parts, bool], Parts]


def _trait(name: str) -> Effect:
    """The gate is a trait."""

    def change(parts: Parts, on: bool) -> Parts:
        value: Any = on
        return replace(parts, traits=replace(parts.traits, **{name: value}))

    return change


def _default_plugin(name: str) -> Effect:
    """A default plugin is there only with the gate; it comes last."""

    def change(parts: Parts, on: bool) -> Parts:
        others = [plugin for plugin in parts.rules.multi_point.enabled if plugin.name != name]
        mine = [PluginRef(name, default=True)] if on else []
        return replace(parts, rules=replace(parts.rules, multi_point=PluginSet((*others, *mine))))

    return change


def _both(*effects: Effect) -> Effect:
    def change(parts: Parts, on: bool) -> Parts:
        for effect in effects:
            parts = effect(parts, on)
        return parts

    return change


EFFECTS: Mapping[str, Effect] = {
    "GenericWorkload": _trait("pod_groups"),
    "GangScheduling": _both(_trait("pod_events"), _default_plugin("GangScheduling")),
}


def with_effects(
    gates: Mapping[str, bool], traits: Traits, rules: ConfigRules, registry: Registry
) -> tuple[Traits, ConfigRules, Registry]:
    """The parts of an emulation, with gates that are not as by default."""
    parts = Parts(traits, rules, registry)
    for name, on in gates.items():
        if name in EFFECTS:
            parts = EFFECTS[name](parts, on)
    return replace(parts.traits, expand=partial(effective, rules=parts.rules)), parts.rules, parts.registry
