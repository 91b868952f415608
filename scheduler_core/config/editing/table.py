"""The plugins that the profiles of a draft would run, as plain JSON data; a draft may have mistakes.

`effective` and `default_plugins` implement the merging; this module adds the line of the draft for each entry.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from scheduler_core.config.default_plugins import merge_plugin_set
from scheduler_core.config.editing.origins import ALL, Disabled, disabled_at
from scheduler_core.config.editing.survey import Surveyor
from scheduler_core.config.effective import DEFAULT, EXPLICIT, MULTI_POINT, expand, offered_names
from scheduler_core.config.rules import ConfigRules, Points
from scheduler_core.config.types import EXTENSION_POINTS, PluginRef, PluginSet, Profile

Origin = Literal["default", "multiPoint", "explicit"]
_MULTI = "multiPoint"


class WeightPlace(TypedDict):
    """The position of an entry of `enabled` under score or multiPoint."""

    point: str
    index: int


class TableRow(TypedDict):
    """A plugin that runs at a point. `multi`: multiPoint enables it here, regardless of the point's own entries."""

    plugin: str
    origin: Origin
    # Its position in the point's own `enabled`.
    index: int | None
    multi: bool
    # At score; `weightAt` is the entry that sets it, or None.
    weight: NotRequired[int]
    weightAt: NotRequired[WeightPlace | None]


class TableOff(Disabled):
    """A disabled plugin. `returns`: it runs again if its name is removed from the point's own `disabled`."""

    returns: bool


class TablePoint(TypedDict):
    enabled: list[TableRow]
    disabled: list[TableOff]


class ProfileTable(TypedDict):
    """The plugins by extension point; `multiPoint` has those of all points, default plugins included."""

    points: dict[str, TablePoint]


def table(text: str, points: Points | None = None, *, rules: ConfigRules) -> list[ProfileTable] | None:
    """Return one table per profile in the text, or the default profile's; None if the text can't be parsed.

    Values that can't be decoded count as missing, and entries that upstream rejects are shown in their position.
    """
    points = points or rules.points
    surveyor = Surveyor(text, rules)
    if surveyor.document() is None:
        return None
    return [_profile(profile, points, rules) for profile in surveyor.written or (Profile(),)]


def _profile(profile: Profile, points: Points, rules: ConfigRules) -> ProfileTable:
    own = profile.plugins.multi_point
    merged = merge_plugin_set(rules.multi_point, own).enabled
    by_point = {point: _point(profile, point, merged, points, rules) for point in EXTENSION_POINTS}
    return {"points": {_MULTI: _multi_point(own, merged, rules), **by_point}}


def _multi_point(own: PluginSet, merged: Sequence[PluginRef], rules: ConfigRules) -> TablePoint:
    enabled = [_row(plugin, MULTI_POINT, own, True) for plugin in merged]
    disabled = {plugin.name for plugin in own.disabled}
    runs = {plugin.name for plugin in merged}
    off: list[TableOff] = []
    for plugin in rules.multi_point.enabled:
        by = plugin.name if plugin.name in disabled else ALL
        if plugin.name not in runs:
            off.append({"plugin": plugin.name, "by": by, "at": _MULTI, "returns": ALL not in disabled})
    return {"enabled": enabled, "disabled": off}


def _row(plugin: PluginRef, written: Origin, own: PluginSet, multi: bool) -> TableRow:
    """Return a row. `written` is the origin of an entry that isn't in `own`."""
    index = _place(plugin, own.enabled)
    origin = DEFAULT if plugin.default else written if index is None else EXPLICIT
    return {"plugin": plugin.name, "origin": origin, "index": index, "multi": multi}


def _point(profile: Profile, point: str, merged: Sequence[PluginRef], points: Points, rules: ConfigRules) -> TablePoint:
    own = profile.plugins.set_at(point)
    enabled: list[TableRow] = []
    offered = offered_names(point, own, merged, points)
    for plugin in expand(point, own, merged, points):
        row = _row(plugin, MULTI_POINT, own, plugin.name in offered)
        if point == "score":
            row["weight"], row["weightAt"] = _weight(plugin.name, profile, merged)
        enabled.append(row)
    runs = {row["plugin"] for row in enabled}
    unnamed = offered_names(point, _without_names(own), merged, points)
    disabled: list[TableOff] = [
        {**off, "returns": off["plugin"] in unnamed} for off in disabled_at(point, profile.plugins, runs, points, rules)
    ]
    return {"enabled": enabled, "disabled": disabled}


def _without_names(own: PluginSet) -> PluginSet:
    return PluginSet(own.enabled, tuple(plugin for plugin in own.disabled if plugin.name == ALL))


def _weight(name: str, profile: Profile, merged: Sequence[PluginRef]) -> tuple[int, WeightPlace | None]:
    """Return the weight at Score (the first entry counts, 0 means 1), and where it is written, if anywhere."""
    score = profile.plugins.score.enabled
    entry = next(plugin for plugin in (*score, *merged) if plugin.name == name)
    for point, listed in (("score", score), ("multiPoint", profile.plugins.multi_point.enabled)):
        if (place := _place(entry, listed)) is not None:
            return entry.weight or 1, {"point": point, "index": place}
    return entry.weight or 1, None


def _place(entry: PluginRef, listed: Sequence[PluginRef]) -> int | None:
    """Return the position of this very entry; entries with one name may be equal."""
    return next((index for index, plugin in enumerate(listed) if plugin is entry), None)
