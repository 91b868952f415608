"""What the profiles of a draft make run while it is being written, as plain JSON data; a draft may have mistakes.

Everything that decides here is `effective`'s and `default_plugins`': they have the rules of merging, this only names
what comes of them, and which line of the draft it comes from.
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
    """An entry of `enabled` under score or multiPoint."""

    point: str
    index: int


class TableRow(TypedDict):
    """A plugin that runs at a point. `multi`: multiPoint has it run here, whatever the point itself enables."""

    plugin: str
    origin: Origin
    # Its place in the point's own `enabled`.
    index: int | None
    multi: bool
    # At score; `weightAt` is the entry that says it, None where none does.
    weight: NotRequired[int]
    weightAt: NotRequired[WeightPlace | None]


class TableOff(Disabled):
    """`returns`: the plugin runs again once its name is gone from the point's own `disabled`."""

    returns: bool


class TablePoint(TypedDict):
    enabled: list[TableRow]
    disabled: list[TableOff]


class ProfileTable(TypedDict):
    """By extension point; `multiPoint` has what is for all points, the default plugins among them."""

    points: dict[str, TablePoint]


def table(text: str, points: Points | None = None, *, rules: ConfigRules) -> list[ProfileTable] | None:
    """One for each profile that is written down, in order; for none the default one's. None where nothing can be read.

    What cannot be decoded counts as not said, and what upstream refuses is shown where it would stand.
    """
    points = points or rules.points
    surveyor = Surveyor(text, rules)
    if surveyor.document() is None:
        return None
    return [_profile(profile, points, rules) for profile in surveyor.written or (Profile(),)]


def _profile(profile: Profile, points: Points, rules: ConfigRules) -> ProfileTable:
    own = profile.plugins.multi_point
    merged = merge_plugin_set(rules.multi_point, own).enabled
    made = {point: _point(profile, point, merged, points, rules) for point in EXTENSION_POINTS}
    return {"points": {_MULTI: _multi_point(own, merged, rules), **made}}


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
    """`written`: where an entry comes from that is not one of `own`."""
    index = _place(plugin, own.enabled)
    origin = DEFAULT if plugin.default else written if index is None else EXPLICIT
    return {"plugin": plugin.name, "origin": origin, "index": index, "multi": multi}


def _point(profile: Profile, point: str, merged: Sequence[PluginRef], points: Points, rules: ConfigRules) -> TablePoint:
    own = profile.plugins.at(point)
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
    """As scores are weighted, the first entry counts, 0 means 1; and where it is written, if anywhere."""
    score = profile.plugins.score.enabled
    entry = next(plugin for plugin in (*score, *merged) if plugin.name == name)
    for point, listed in (("score", score), ("multiPoint", profile.plugins.multi_point.enabled)):
        if (place := _place(entry, listed)) is not None:
            return entry.weight or 1, {"point": point, "index": place}
    return entry.weight or 1, None


def _place(entry: PluginRef, listed: Sequence[PluginRef]) -> int | None:
    """Entries of one name may be equal, and are told apart."""
    return next((index for index, plugin in enumerate(listed) if plugin is entry), None)
