"""The configuration types and defaults of v1.36.3 that differ from v1.34.1, with feature gates at their defaults.

Source (v1.36.3): pkg/scheduler/apis/config (types.go, v1/defaults.go, v1/default_plugins.go, validation),
pkg/scheduler/framework/runtime/framework.go.
"""

from dataclasses import dataclass, field, replace

from scheduler_core.config.default_plugins import DEFAULT_MULTI_POINT
from scheduler_core.config.fields import wire
from scheduler_core.config.rules import ExpansionRules
from scheduler_core.config.types import (
    PluginRef,
    Plugins,
    PluginSet,
    Profile,
    SchedulerConfiguration,
)

NODE_DECLARED_FEATURES = "NodeDeclaredFeatures"
_NOTHING = PluginSet()
_PLUGIN_SET = wire("v1.PluginSet", of=PluginSet)
_DEBUGGING = wire("*bool", embedded="DebuggingConfiguration")


@dataclass(frozen=True, slots=True)
class Plugins136(Plugins):
    """The plugin sets with the two points for placements of whole pod groups."""

    placement_generate: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    placement_score: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)


@dataclass(frozen=True, slots=True)
class Profile136(Profile):
    plugins: Plugins = field(default=Plugins136(), metadata=wire("*v1.Plugins", of=Plugins136))


@dataclass(frozen=True, slots=True)
class Configuration136(SchedulerConfiguration):
    """The configuration, whose decoder names embedded structs in type errors."""

    enable_profiling: bool = field(default=True, metadata=_DEBUGGING)
    enable_contention_profiling: bool = field(default=False, metadata=_DEBUGGING)
    profiles: tuple[Profile, ...] = field(default=(), metadata=wire("[]v1.KubeSchedulerProfile", of=Profile136))


MULTI_POINT = PluginSet(
    enabled=(
        *(
            replace(plugin, weight=2) if plugin.name == "DynamicResources" else plugin
            for plugin in DEFAULT_MULTI_POINT.enabled
        ),
        PluginRef(NODE_DECLARED_FEATURES, default=True),
    )
)
EXPANSION = ExpansionRules(
    ("placementGenerate", "placementScore"), "score plugins: total score of Score plugins could overflow"
)
