"""What v1.36.3 reads, defaults and refuses otherwise than v1.34.1, its feature gates at their defaults.

Source (v1.36.3): pkg/scheduler/apis/config (types.go, v1/defaults.go, v1/default_plugins.go, validation),
pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from scheduler_core.config.args import (
    ARGS_TYPES,
    REQUESTED_TO_CAPACITY_RATIO,
    DynamicResourcesArgs,
    NodeResourcesFitArgs,
)
from scheduler_core.config.default_plugins import DEFAULT_MULTI_POINT
from scheduler_core.config.field_errors import as_json, child, forbidden, invalid, required
from scheduler_core.config.fields import wire
from scheduler_core.config.intree import IN_TREE_POINTS
from scheduler_core.config.rules import V1_34, ConfigRules
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
from scheduler_core.config.validate_args import (
    VALIDATORS,
    checked,
    dynamic_resources,
    ignored_resources,
    shape,
    type_and_resources,
)
from scheduler_core.text.go import SECOND, format_duration
from scheduler_core.text.problems import Problem

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


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs136(DynamicResourcesArgs):
    """`binding_timeout` in nanoseconds: how long PreBind waits for devices that get ready only then."""

    binding_timeout: int | None = field(default=600 * SECOND, metadata=wire("*v1.Duration"))


def _dynamic_resources(path: str, args: DynamicResourcesArgs136) -> Iterator[Problem]:
    yield from dynamic_resources(path, args)
    if args.binding_timeout is not None and args.binding_timeout < SECOND:
        shown = as_json(format_duration(args.binding_timeout))
        yield invalid(child(path, "bindingTimeout"), shown, "must be at least 1 second")


def _node_resources_fit(path: str, args: NodeResourcesFitArgs) -> Iterator[Problem]:
    yield from ignored_resources(path, args)
    where, strategy = child(path, "scoringStrategy"), args.scoring_strategy
    if strategy is None:
        yield required(where, "ScoringStrategy field is required")
        return
    yield from type_and_resources(where, strategy)
    ratio, ratio_path = strategy.requested_to_capacity_ratio, f"{where}.requestedToCapacityRatio"
    if strategy.type != REQUESTED_TO_CAPACITY_RATIO:
        if ratio is not None:
            yield forbidden(ratio_path, "must be nil when type is not RequestedToCapacityRatio")
    elif ratio is None:
        yield required(ratio_path, "must be specified when type is RequestedToCapacityRatio")
    else:
        yield from shape(f"{ratio_path}.shape", ratio.shape or ())


_ARGS_TYPES = {**ARGS_TYPES, "DynamicResources": DynamicResourcesArgs136}
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
    replace(V1_34.scheme, kinds={(GROUP, VERSION, KIND): Configuration136}, args=_ARGS_TYPES),
    Configuration136,
    _MULTI_POINT,
    _POINTS,
    {**VALIDATORS, "DynamicResources": checked(_dynamic_resources)},
    lambda path, args: list(_node_resources_fit(path, args)),
    more_points=("placementGenerate", "placementScore"),
    too_much="score plugins: total score of Score plugins could overflow",
)
