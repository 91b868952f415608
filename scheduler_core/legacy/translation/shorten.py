"""The shortest plugin sets of a current profile for given plugins per extension point."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.config.default_plugins import DEFAULT_MULTI_POINT
from scheduler_core.config.types import EXTENSION_POINTS
from scheduler_core.releases import IN_TREE_POINTS

Entries = list[dict[str, Any]]
DEFAULT_WEIGHTS = {plugin.name: plugin.weight or 1 for plugin in DEFAULT_MULTI_POINT.enabled}


def shorten_plugin_sets(
    lists: Mapping[str, Sequence[str]], weights: Mapping[str, int]
) -> dict[str, dict[str, Entries]]:
    """Return `plugins` of a v1 profile in JSON form that run exactly these; `weights` of those that score."""
    used = {name for names in lists.values() for name in names}
    unused = [name for name in DEFAULT_WEIGHTS if name not in used]
    plugins: dict[str, dict[str, Entries]] = {}
    by_default: set[str] = set()
    for point in EXTENSION_POINTS:
        wanted = list(lists.get(point, ()))
        base = [name for name in DEFAULT_WEIGHTS if name in used and point in IN_TREE_POINTS[name]]
        own, disabled = _differences_from(base, wanted)
        shown = weights if point == "score" else {}
        plugins[point] = {"enabled": _plugin_entries(own, shown), "disabled": _plugin_entries(disabled, {})}
        if point == "score":
            by_default = set(wanted) - set(own)
    heavier = [name for name in DEFAULT_WEIGHTS if name in by_default and weights[name] != DEFAULT_WEIGHTS[name]]
    plugins["multiPoint"] = {"enabled": _plugin_entries(heavier, weights), "disabled": _plugin_entries(unused, {})}
    sets = {point: {key: entries for key, entries in both.items() if entries} for point, both in plugins.items()}
    return {point: both for point, both in sets.items() if both}


def _differences_from(base: Sequence[str], wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what to enable and disable at a point where `base` runs by default. Enabled plugins run first."""
    first = next((index for index, name in enumerate(wanted) if name in base), len(wanted))
    rest = list(wanted[first:])
    if [name for name in base if name in rest] == rest:
        return list(wanted[:first]), [name for name in base if name not in rest]
    return list(wanted), ["*"]


def _plugin_entries(names: Iterable[str], weights: Mapping[str, int]) -> Entries:
    return [{"name": name, "weight": weights[name]} if name in weights else {"name": name} for name in names]
