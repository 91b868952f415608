"""v1.20.2 as an Emulation: its plugins, its configuration, and the differences of its framework."""

from collections.abc import Mapping

from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.traits import Traits
from scheduler_core.legacy.build import build, expand
from scheduler_core.legacy.plugins.table import LEGACY_IN_TREE
from scheduler_core.legacy.sources import PROVIDER_FLAG, read_source
from scheduler_core.legacy.versions import DEFAULT_PROVIDER, VERSION


def _keep_unchanged(config: SchedulerConfiguration) -> SchedulerConfiguration:
    """Return the configuration unchanged: the resources that extenders ignore became args when it was built."""
    return config


V1_20_TRAITS = Traits(
    expand=expand,
    finish_config=_keep_unchanged,
    nominated_node_first=False,
    one_node_without_scores=False,
    plugins_skip=False,
    failure_text_by_phase=False,
    failure_clears_nomination=False,
    queueing_hints=False,
    filter_error='running "{plugin}" filter plugin for pod "{pod}": {message}',
)


def load(text: str | None, points: Mapping[str, frozenset[str]]) -> SchedulerConfiguration:
    """Load a Policy, a ConfigMap with one, a v1beta1 configuration, or command-line flags. Raises ConfigError."""
    return build(read_source(text or ""), points).config


V1_20_2 = Emulation(VERSION, LEGACY_IN_TREE, load, V1_20_TRAITS, f"{PROVIDER_FLAG}={DEFAULT_PROVIDER}\n")
