"""Emulation: one version of kube-scheduler, with its plugins, configuration rules and behavior."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.traits import Traits


@dataclass(frozen=True, slots=True)
class Emulation:
    """One version of kube-scheduler.

    `load` reads a configuration, or returns the default one for None; it takes each plugin's extension points and
    raises ConfigError. `default_text` is the default configuration as YAML. `rules` is None for versions without
    KubeSchedulerConfiguration v1.
    """

    version: str
    registry: Registry
    load: Callable[[str | None, Mapping[str, frozenset[str]]], SchedulerConfiguration]
    traits: Traits
    default_text: str
    rules: ConfigRules | None = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    """Feature gates that differ from this version's defaults; `version` names them, too."""
