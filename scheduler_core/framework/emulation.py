"""Emulation: one version of kube-scheduler, as the simulation and the conformance runs take it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.traits import Traits


@dataclass(frozen=True, slots=True)
class Emulation:
    """`load` reads a configuration text (None: what the program runs with if it is given nothing) for a registry whose
    extension points are given by plugin name; it raises ConfigError. `default_text` is a text that says the same as
    nothing. `rules` are those of its configuration; None for versions that did not know today's API.
    """

    version: str
    registry: Registry
    load: Callable[[str | None, Mapping[str, frozenset[str]]], SchedulerConfiguration]
    traits: Traits
    default_text: str
    rules: ConfigRules | None = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    """Feature gates that are not as this version has them by default; they are part of `version`, too."""
