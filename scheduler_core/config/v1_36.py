"""What v1.36.3 reads, defaults and refuses otherwise than v1.34.1, its feature gates at their defaults.

Source (v1.36.3): pkg/scheduler/apis/config (types.go, v1/defaults.go, v1/default_plugins.go, validation),
pkg/scheduler/framework/runtime/framework.go.
"""

from dataclasses import dataclass, field, replace

from scheduler_core.config.args.table import ARGS_1_36
from scheduler_core.config.default_plugins import DEFAULT_MULTI_POINT
from scheduler_core.config.fields import wire
from scheduler_core.config.intree import IN_TREE_POINTS
from scheduler_core.config.rules import V1_34, ConfigRules, types_of
from scheduler_core.config.types import (
    GROUP,
    KIND,
    VERSION,
    PluginRef,
    Plugins,
    PluginSet,
    Profile,
    SchedulerConfiguration,
)

NODE_DECLARED_FEATURES = "NodeDeclaredFeatures"
GANG_SCHEDULING = "GangScheduling"
_NOTHING = PluginSet()
_PLUGIN_SET = wire("v1.PluginSet", of=PluginSet)


@dataclass(frozen=True, slots=True)
class Plugins136(Plugins):
    """With the two points at which placements of a whole pod group are made and compared."""

    placement_generate: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)
    placement_score: PluginSet = field(default=_NOTHING, metadata=_PLUGIN_SET)


@dataclass(frozen=True, slots=True)
class Profile136(Profile):
    plugins: Plugins = field(default=Plugins136(), metadata=wire("*v1.Plugins", of=Plugins136))


@dataclass(frozen=True, slots=True)
class Configuration136(SchedulerConfiguration):
    profiles: tuple[Profile, ...] = field(default=(), metadata=wire("[]v1.KubeSchedulerProfile", of=Profile136))


_MULTI_POINT = PluginSet(
    enabled=(
        *(
            replace(plugin, weight=2) if plugin.name == "DynamicResources" else plugin
            for plugin in DEFAULT_MULTI_POINT.enabled
        ),
        PluginRef(NODE_DECLARED_FEATURES, default=True),
    )
)
_POINTS = {
    **IN_TREE_POINTS,
    "DynamicResources": IN_TREE_POINTS["DynamicResources"] | {"score"},
    NODE_DECLARED_FEATURES: frozenset({"preFilter", "filter"}),
    "NodeResourcesFit": IN_TREE_POINTS["NodeResourcesFit"] | {"placementScore"},
    GANG_SCHEDULING: frozenset({"preEnqueue", "permit"}),
}

V1_36 = ConfigRules(
    replace(V1_34.scheme, kinds={(GROUP, VERSION, KIND): Configuration136}, args=types_of(ARGS_1_36)),
    Configuration136,
    _MULTI_POINT,
    _POINTS,
    ARGS_1_36,
    more_points=("placementGenerate", "placementScore"),
    too_much="score plugins: total score of Score plugins could overflow",
)
