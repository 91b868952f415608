"""The plugins that a profile runs at each extension point, in order, with weights and origins.

Source: pkg/scheduler/framework/runtime/framework.go (updatePluginList, expandMultiPointPlugins, getScoreWeights).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kube_objects.sentences import say
from kube_objects.text.hints import did_you_mean
from scheduler_core.config import out_of_tree
from scheduler_core.config.defaults import enabled_names
from scheduler_core.config.errors import BuildError, BuildPanicError
from scheduler_core.config.rules import ExpansionRules, Points
from scheduler_core.config.types import EXTENSION_POINTS, PluginRef, PluginSet, Profile

DEFAULT: Final = "default"
MULTI_POINT: Final = "multiPoint"
EXPLICIT: Final = "explicit"

# Upstream's order of checks, which decides the reported error.
_CHECK_ORDER = (
    "preFilter",
    "filter",
    "postFilter",
    "reserve",
    "preScore",
    "score",
    "preBind",
    "bind",
    "postBind",
    "permit",
    "preEnqueue",
    "queueSort",
)
_MAX_TOTAL_SCORE = (1 << 63) - 1
_MAX_NODE_SCORE = 100

_PLAIN = ExpansionRules()


@dataclass(frozen=True, slots=True)
class EffectivePlugin:
    """A plugin at a point.

    `weight` is 0 except at `score`. `origin`: DEFAULT, MULTI_POINT (the profile's), EXPLICIT (the point's).
    """

    name: str
    weight: int
    origin: str


@dataclass(frozen=True, slots=True)
class EffectiveProfile:
    """The expanded profile. `plugins` are all that are built, also those that are disabled at each point."""

    scheduler_name: str
    points: Mapping[str, tuple[EffectivePlugin, ...]]
    plugins: tuple[str, ...]

    def plugins_at(self, point: str) -> tuple[EffectivePlugin, ...]:
        return self.points[point]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return plugin names by extension point; at `score` pairs of name and weight."""
        return {
            point: [[plugin.name, plugin.weight] if point == "score" else plugin.name for plugin in plugins]
            for point, plugins in self.points.items()
        }


def effective(profile: Profile, points: Points, rules: ExpansionRules = _PLAIN) -> EffectiveProfile:
    """Expand a profile; `points` are the extension points of every registered plugin, by plugin name.

    Raises BuildError if upstream rejects the profile.
    """
    named = {point: profile.plugins.set_at(point) for point in (*_CHECK_ORDER, *rules.more_points)}
    for point, plugin_set in named.items():
        for error in explicit_errors(point, plugin_set, points):
            raise error
    multi_point = profile.plugins.multi_point.enabled
    lists = {}
    for point, plugin_set in named.items():
        for error in _expansion_errors(point, plugin_set, multi_point, points):
            raise error
        lists[point] = expand(point, plugin_set, multi_point, points)
    name = f'"{profile.scheduler_name}"'
    if len(lists["queueSort"]) != 1:
        count = len(lists["queueSort"])
        message = f"only one queue sort plugin required for profile with scheduler name {name}, but got {count}"
        raise BuildError(message, "plugins.queueSort")
    if not lists["bind"]:
        message = f"at least one bind plugin is needed for profile with scheduler name {name}"
        raise BuildError(message, "plugins.bind")
    weights = _score_weights((*named["score"].enabled, *multi_point), points, rules.too_much)
    return EffectiveProfile(
        profile.scheduler_name,
        {point: _located(point, lists[point], named[point], weights) for point in EXTENSION_POINTS},
        needed_plugins(profile, points),
    )


def needed_plugins(profile: Profile, points: Points) -> tuple[str, ...]:
    """Return the registered plugins that a profile enables at any point, in the order of the registry."""
    needed = enabled_names(profile.plugins)
    return tuple(name for name in points if name in needed)


def interface(point: str) -> str:
    """Return the name of an extension point's Go interface: `PreFilterPlugin`."""
    return f"{point[0].upper()}{point[1:]}Plugin"


def explicit_errors(point: str, plugin_set: PluginSet, points: Points) -> Iterator[BuildError]:
    """Return all errors of plugins enabled at one point; upstream stops at the first.

    Paths are relative to the profile.
    """
    seen = set()
    for index, plugin in enumerate(plugin_set.enabled):
        path = f"plugins.{point}.enabled[{index}]"
        if plugin.name not in points:
            yield _does_not_exist(plugin, point, points, path)
        elif point not in points[plugin.name]:
            offered = ", ".join(sorted(points[plugin.name])) or "none"
            message = f'plugin "{plugin.name}" does not extend {interface(point)} plugin'
            yield BuildError(message, path, say("its extension points: {points}", points=offered))
        elif plugin.name in seen:
            yield _registered_twice(plugin, point, path)
        seen.add(plugin.name)


def multi_point_errors(plugin_set: PluginSet, points: Points) -> Iterator[BuildError]:
    """Return all errors of plugins enabled at multiPoint, regardless of what single points disable."""
    seen = set()
    for index, plugin in enumerate(plugin_set.enabled):
        path = f"plugins.multiPoint.enabled[{index}]"
        if plugin.name not in points:
            yield _does_not_exist(plugin, "multiPoint", points, path)
        elif plugin.name in seen:
            yield _registered_twice(plugin, "multiPoint", path)
        seen.add(plugin.name)


def _does_not_exist(plugin: PluginRef, point: str, points: Points, path: str) -> BuildError:
    message = f'{interface(point)} "{plugin.name}" does not exist'
    return BuildError(message, path, out_of_tree.hint(plugin.name) or did_you_mean(plugin.name, points))


def _registered_twice(plugin: PluginRef, point: str, path: str) -> BuildError:
    return BuildError(
        f'plugin "{plugin.name}" already registered as "{interface(point)}"', path, say("it is enabled twice")
    )


def expand(point: str, plugin_set: PluginSet, multi_point: Sequence[PluginRef], points: Points) -> list[PluginRef]:
    """Return the plugins of a point: explicit ones that replace multiPoint ones, the other multiPoint ones, then the
    others.

    Unknown names and duplicates, which upstream rejects, are ignored.
    """
    if "*" in {plugin.name for plugin in plugin_set.disabled}:
        return list(plugin_set.enabled)
    offered = offered_names(point, plugin_set, multi_point, points)
    explicit = {plugin.name for plugin in plugin_set.enabled}
    overrides = [plugin for plugin in plugin_set.enabled if plugin.name in offered]
    others = [plugin for plugin in plugin_set.enabled if plugin.name not in offered]
    first = {plugin.name: plugin for plugin in reversed(multi_point)}
    return [*overrides, *(first[name] for name in offered if name not in explicit), *others]


def offered_names(
    point: str, plugin_set: PluginSet, multi_point: Sequence[PluginRef], points: Points
) -> dict[str, None]:
    """Return the multiPoint plugins that a point doesn't disable, in order."""
    disabled = {plugin.name for plugin in plugin_set.disabled}
    if "*" in disabled:
        return {}
    return dict.fromkeys(
        plugin.name for plugin in multi_point if point in points.get(plugin.name, ()) and plugin.name not in disabled
    )


def _expansion_errors(
    point: str, plugin_set: PluginSet, multi_point: Sequence[PluginRef], points: Points
) -> Iterator[BuildError]:
    """Return the errors that upstream finds when it expands multiPoint for a point."""
    passed = {plugin.name for plugin in (*plugin_set.disabled, *plugin_set.enabled)}
    seen: set[str] = set()
    if "*" in {plugin.name for plugin in plugin_set.disabled}:
        return
    for index, plugin in enumerate(multi_point):
        path = f"plugins.multiPoint.enabled[{index}]"
        if plugin.name not in points:
            yield _does_not_exist(plugin, point, points, path)
        elif point in points[plugin.name] and plugin.name not in passed:
            if plugin.name in seen:
                yield _registered_twice(plugin, point, path)
            seen.add(plugin.name)


def _score_weights(plugins: Sequence[PluginRef], points: Points, too_much: str) -> dict[str, int]:
    """Return the weight of every Score plugin: the first entry counts, and 0 means 1."""
    weights: dict[str, int] = {}
    total = 0
    for plugin in plugins:
        if plugin.name not in points:
            # Only a multiPoint plugin of a profile that disables "*" at every point isn't checked before.
            raise BuildPanicError("plugins.multiPoint", f'plugin "{plugin.name}" does not exist')
        if "score" not in points[plugin.name] or plugin.name in weights:
            continue
        weights[plugin.name] = plugin.weight or 1
        # Go subtracts in int64: with a sum below zero the difference overflows, and every weight is too much.
        if total < 0 or weights[plugin.name] * _MAX_NODE_SCORE > _MAX_TOTAL_SCORE - total:
            raise BuildError(too_much, "plugins.score")
        total += weights[plugin.name] * _MAX_NODE_SCORE
    return weights


def _located(
    point: str, plugins: Sequence[PluginRef], explicit: PluginSet, weights: Mapping[str, int]
) -> tuple[EffectivePlugin, ...]:
    named = {plugin.name for plugin in explicit.enabled}
    return tuple(
        EffectivePlugin(
            plugin.name,
            weights[plugin.name] if point == "score" else 0,
            EXPLICIT if plugin.name in named else DEFAULT if plugin.default else MULTI_POINT,
        )
        for plugin in plugins
    )
