"""The versions of kube-scheduler that the engine emulates, and a preset for an older one.

How to add one: docs/adding_a_version.md.
"""

from collections.abc import Mapping

from scheduler_core.config import ConfigRules, default_configuration, export_yaml, load
from scheduler_core.config.rules import V1_34, Points
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.config.v1_36 import V1_36
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.traits import V1_34_TRAITS, V1_36_TRAITS, Traits
from scheduler_core.legacy.emulation import V1_20_2
from scheduler_core.legacy.presets import V1_10_PRESET
from scheduler_core.plugins.table import IN_TREE, IN_TREE_1_36


def _of_today(version: str, registry: Registry, traits: Traits, rules: ConfigRules) -> Emulation:
    """A version whose configurations are KubeSchedulerConfigurations v1."""

    def read(text: str | None, points: Points) -> SchedulerConfiguration:
        return default_configuration(rules) if text is None else load(text, points, rules)

    return Emulation(version, registry, read, traits, export_yaml(default_configuration(rules)), rules)


V1_34_1 = _of_today("v1.34.1", IN_TREE, V1_34_TRAITS, V1_34)
V1_36_3 = _of_today("v1.36.3", IN_TREE_1_36, V1_36_TRAITS, V1_36)

EMULATIONS: Mapping[str, Emulation] = {
    emulation.version: emulation for emulation in (V1_34_1, V1_36_3, V1_20_2, V1_10_PRESET)
}

# What runs where nothing else is said, new clusters among them. Whatever names its version keeps it.
DEFAULT = V1_34_1
