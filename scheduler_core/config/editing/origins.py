"""The origin of each plugin, arg and setting of a configuration, as plain JSON data."""

from collections.abc import Container, Iterator
from dataclasses import is_dataclass
from typing import Any, TypedDict

from kube_objects.text.node import TextNode
from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.build import build, with_extender_resources
from scheduler_core.config.defaults import default_configuration
from scheduler_core.config.effective import DEFAULT, EffectiveProfile
from scheduler_core.config.encode import encode_fields
from scheduler_core.config.fields import wire_fields
from scheduler_core.config.load import Document, decode
from scheduler_core.config.rules import ConfigRules, Points
from scheduler_core.config.types import EXTENSION_POINTS, PluginConfig, Plugins, Profile

SET, BY_EXTENDER, ALL = "set", "extender", "*"


def origins(text: str, points: Points | None = None, *, rules: ConfigRules) -> dict[str, Any]:
    """Return `{"settings", "profiles", "extenders"}` of a text that `load` accepts. Raises ConfigError.

    A setting or argument is `{"path", "value", "default", "origin"}` with origin `default`, `set` (written in the text,
    also with the default value), or `extender` if an extender's managedResources decide. A profile is
    `{"schedulerName", "percentageOfNodesToScore", "points", "args"}`. `points` has for each extension point `enabled`,
    in order: `{"plugin", "weight"?, "defaultWeight"?, "origin"}` with origin `default`, `multiPoint`, `explicit`; and
    `disabled`: `{"plugin", "by", "at"}`: by its name or by `*`, at the point or at `multiPoint`.
    """
    points = points or rules.points
    document = decode(text, rules)
    config = with_extender_resources(document.config)
    built = build(document.config, points, rules=rules)
    profiles = _child(document.root, "profiles")
    return {
        "settings": list(_settings(document, rules)),
        "profiles": [
            {
                "schedulerName": profile.scheduler_name,
                "percentageOfNodesToScore": profile.percentage_of_nodes_to_score,
                "points": _points(profile, built[profile.scheduler_name], points, rules),
                "args": list(_args(profile, written, _item(profiles, index), built[profile.scheduler_name], rules)),
            }
            for index, (profile, written) in enumerate(
                zip(config.profiles, document.config.profiles, strict=True),
            )
        ],
        "extenders": len(config.extenders),
    }


def _settings(document: Document, rules: ConfigRules) -> Iterator[dict[str, Any]]:
    config, default = document.config, default_configuration(rules)
    for path, value in leaves(config):
        if path.split(".")[0] in ("kind", "apiVersion", "profiles", "extenders"):
            continue
        yield {
            "path": path,
            "value": value,
            "default": lookup(encode_fields(default), path),
            "origin": SET if _written(document.root, path) else DEFAULT,
        }


def _points(
    profile: Profile, built: EffectiveProfile, points: Points, rules: ConfigRules
) -> dict[str, dict[str, list[Any]]]:
    result: dict[str, dict[str, list[Any]]] = {}
    weights = {plugin.name: plugin.weight or 1 for plugin in rules.multi_point.enabled}
    for point in EXTENSION_POINTS:
        enabled = [
            {"plugin": plugin.name, "origin": plugin.origin}
            | ({"weight": plugin.weight, "defaultWeight": weights.get(plugin.name, 1)} if point == "score" else {})
            for plugin in built.plugins_at(point)
        ]
        runs = {plugin.name for plugin in built.plugins_at(point)}
        result[point] = {"enabled": enabled, "disabled": list(disabled_at(point, profile.plugins, runs, points, rules))}
    return result


class Disabled(TypedDict):
    """A disabled plugin: `by` its name or `*`, `at` the point or multiPoint."""

    plugin: str
    by: str
    at: str


def disabled_at(
    point: str, plugins: Plugins, runs: Container[str], points: Points, rules: ConfigRules
) -> Iterator[Disabled]:
    """Return the plugins that would run at the point if they weren't disabled; `runs` are the names that do run."""
    at_point = {plugin.name for plugin in plugins.set_at(point).disabled}
    at_all = {plugin.name for plugin in plugins.multi_point.disabled}
    for name in dict.fromkeys(plugin.name for plugin in (*rules.multi_point.enabled, *plugins.multi_point.enabled)):
        if name in runs or point not in points.get(name, ()):
            continue
        for disabled, place in ((at_point, point), (at_all, "multiPoint")):
            by = name if name in disabled else ALL if ALL in disabled else ""
            if by:
                yield {"plugin": name, "by": by, "at": place}
                break


def _args(
    profile: Profile, written: Profile, node: TextNode | None, built: EffectiveProfile, rules: ConfigRules
) -> Iterator[dict[str, Any]]:
    """Return the args by plugin, in the order of the profile's pluginConfig."""
    used = set(built.plugins)
    for index, (entry, before) in enumerate(zip(profile.plugin_config, written.plugin_config, strict=True)):
        args_node = _child(_item(_child(node, "pluginConfig"), index), "args")
        fields = list(_arguments(entry, before, args_node, rules))
        yield {"plugin": entry.name, "used": entry.name in used, "fields": fields}


def _arguments(
    entry: PluginConfig, before: PluginConfig, args_node: TextNode | None, rules: ConfigRules
) -> Iterator[dict[str, Any]]:
    if entry.args is None:
        return
    if isinstance(entry.args, RawArgs):
        yield {"path": "", "value": entry.args.value, "default": None, "origin": SET}
        return
    default = encode_fields(rules.args[entry.name]())
    changed = entry.args != before.args
    for path, value in leaves(entry.args):
        origin = SET if _written(args_node, path) else DEFAULT
        if changed and path == "ignoredResources":
            origin = BY_EXTENDER
        yield {"path": path, "value": value, "default": lookup(default, path), "origin": origin}


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Return (path, JSON value) of every field of a dataclass, nested structs included; lists are one value."""
    encoded = encode_fields(value)
    for field in wire_fields(type(value)):
        path = f"{prefix}{field.json}"
        inner = getattr(value, field.attribute)
        if is_dataclass(inner) and field.type.kind == "struct":
            yield from leaves(inner, f"{path}.")
        else:
            yield path, encoded.get(field.json)


def lookup(data: Any, path: str) -> Any:
    """Return the value at a dotted path in JSON data, or None."""
    for name in path.split("."):
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _written(node: TextNode | None, path: str) -> bool:
    for name in path.split("."):
        node = _child(node, name)
    return node is not None


def _child(node: TextNode | None, name: str) -> TextNode | None:
    values = (entry.value for entry in reversed(node.entries) if entry.key == name) if node is not None else iter(())
    child = next(values, None)
    return None if child is None or child.kind == "null" else child


def _item(node: TextNode | None, index: int) -> TextNode | None:
    return node.items[index] if node is not None and index < len(node.items) else None
