"""The versions of kube-scheduler that the engine emulates, and a preset for an older one."""

from collections.abc import Mapping

from scheduler_core.config import default_configuration, export_yaml, load
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.traits import V1_34_TRAITS
from scheduler_core.legacy.emulation import V1_20_2
from scheduler_core.legacy.presets import V1_10_PRESET
from scheduler_core.plugins.table import IN_TREE


def _load(text: str | None, points: Mapping[str, frozenset[str]]) -> SchedulerConfiguration:
    return default_configuration() if text is None else load(text, points)


V1_34_1 = Emulation("v1.34.1", IN_TREE, _load, V1_34_TRAITS, export_yaml(default_configuration()))

EMULATIONS: Mapping[str, Emulation] = {emulation.version: emulation for emulation in (V1_34_1, V1_20_2, V1_10_PRESET)}
