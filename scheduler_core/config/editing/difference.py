"""The differences in effect between two configurations, as plain JSON data."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.build import build, with_extender_resources
from scheduler_core.config.editing.origins import leaves
from scheduler_core.config.effective import EffectivePlugin, EffectiveProfile
from scheduler_core.config.encode import encode_fields
from scheduler_core.config.rules import ConfigRules, Points
from scheduler_core.config.types import EXTENSION_POINTS, PluginArgs, Profile, SchedulerConfiguration

Change = dict[str, Any]


def difference(
    before: SchedulerConfiguration,
    after: SchedulerConfiguration,
    points: Points | None = None,
    *,
    rules: ConfigRules,
) -> list[Change]:
    """Return what `after` does differently from `before`; both must be valid.

    A change is `{"change", …}`: `setting` (path, before, after, profile if it is a profile's), `profile added` and
    `profile removed` (profile), `plugin added` and `plugin removed` (profile, plugin, points), `plugin moved`
    (profile, plugin, point, before, after: positions from 1), `weight` (profile, plugin, before, after), `argument`
    (profile, plugin, path, before, after), `extender` (path, before, after). Profiles are matched by name.
    """
    old, new = build(before, points, rules=rules), build(after, points, rules=rules)
    before, after = with_extender_resources(before), with_extender_resources(after)
    changes = list(_values("setting", _settings(before), _settings(after)))
    changes += _extenders(before, after)
    was = {profile.scheduler_name: profile for profile in before.profiles}
    now = {profile.scheduler_name: profile for profile in after.profiles}
    changes += [{"change": "profile removed", "profile": name} for name in was if name not in now]
    changes += [{"change": "profile added", "profile": name} for name in now if name not in was]
    for name in (name for name in now if name in was):
        of_profile = [
            *_percentage(was[name], now[name]),
            *_plugins(old[name], new[name]),
            *_arguments(was[name], now[name], old[name], new[name]),
        ]
        changes += [{"change": change.pop("change"), "profile": name, **change} for change in of_profile]
    return changes


def _settings(config: SchedulerConfiguration) -> dict[str, Any]:
    left_out = ("kind", "apiVersion", "profiles", "extenders")
    return {path: value for path, value in leaves(config) if path not in left_out}


def _values(change: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    for path in dict.fromkeys((*before, *after)):
        if before.get(path) != after.get(path):
            yield {"change": change, "path": path, "before": before.get(path), "after": after.get(path)}


def _extenders(before: SchedulerConfiguration, after: SchedulerConfiguration) -> Iterator[Change]:
    was = {f"extenders[{index}]": encode_fields(extender) for index, extender in enumerate(before.extenders)}
    now = {f"extenders[{index}]": encode_fields(extender) for index, extender in enumerate(after.extenders)}
    return _values("extender", was, now)


def _percentage(before: Profile, after: Profile) -> Iterator[Change]:
    name = "percentageOfNodesToScore"
    return _values("setting", {name: before.percentage_of_nodes_to_score}, {name: after.percentage_of_nodes_to_score})


def _plugins(before: EffectiveProfile, after: EffectiveProfile) -> Iterator[Change]:
    added: dict[str, list[str]] = {}
    removed: dict[str, list[str]] = {}
    moved: list[Change] = []
    for point in EXTENSION_POINTS:
        was, now = _names(before.plugins_at(point)), _names(after.plugins_at(point))
        for name in now:
            if name not in was:
                added.setdefault(name, []).append(point)
        for name in was:
            if name not in now:
                removed.setdefault(name, []).append(point)
        moved += _moved(point, was, now)
    yield from ({"change": "plugin removed", "plugin": name, "points": where} for name, where in removed.items())
    yield from ({"change": "plugin added", "plugin": name, "points": where} for name, where in added.items())
    yield from moved
    weights = {plugin.name: plugin.weight for plugin in before.plugins_at("score")}
    for plugin in after.plugins_at("score"):
        if weights.get(plugin.name, plugin.weight) != plugin.weight:
            yield {
                "change": "weight",
                "plugin": plugin.name,
                "before": weights[plugin.name],
                "after": plugin.weight,
            }


def _names(plugins: Sequence[EffectivePlugin]) -> list[str]:
    return [plugin.name for plugin in plugins]


def _moved(point: str, was: Sequence[str], now: Sequence[str]) -> Iterator[Change]:
    """Return the plugins that aren't in the longest runs of names which stayed in order."""
    common_was = [name for name in was if name in now]
    common_now = [name for name in now if name in was]
    staying = set()
    for match in SequenceMatcher(None, common_was, common_now, autojunk=False).get_matching_blocks():
        staying.update(common_was[match.a : match.a + match.size])
    for name in common_now:
        if name not in staying:
            yield {
                "change": "plugin moved",
                "plugin": name,
                "point": point,
                "before": was.index(name) + 1,
                "after": now.index(name) + 1,
            }


def _arguments(before: Profile, after: Profile, old: EffectiveProfile, new: EffectiveProfile) -> Iterator[Change]:
    """Return the changes of args of plugins that run before and after."""
    for name in new.plugins:
        if name not in old.plugins:
            continue
        was, now = _flat(before.plugin_args.get(name)), _flat(after.plugin_args.get(name))
        for change in _values("argument", was, now):
            yield {"change": change.pop("change"), "plugin": name, **change}


def _flat(args: PluginArgs | None) -> dict[str, Any]:
    if args is None:
        return {}
    return {"": args.value} if isinstance(args, RawArgs) else dict(leaves(args))
