"""Conversion of v1beta2 and v1beta3 to a current configuration."""

from typing import Any

from kube_objects.sentences import joined, say
from scheduler_core.config.default_plugins import DEFAULT_MULTI_POINT
from scheduler_core.config.defaults import complete
from scheduler_core.config.editing.minimal import minimal_dict
from scheduler_core.config.encode import encode_fields
from scheduler_core.legacy.betas import V1BETA2, V1BETA3, decode, v1beta2_lists
from scheduler_core.legacy.sources import SplitText
from scheduler_core.legacy.translation.draft import Draft
from scheduler_core.legacy.translation.lines import Line, Note, Notes, explain_lines, implicit_line
from scheduler_core.legacy.translation.modernise import NewProfile, OldProfile, convert_profile
from scheduler_core.legacy.translation.notes import (
    NEW_SINCE,
    explain_common_fields,
    explain_configuration,
    explain_defaults,
)
from scheduler_core.legacy.translation.successors import SUCCESSORS
from scheduler_core.releases import V1_34


def draft_v1beta2(parts: SplitText) -> Draft:
    """Convert v1beta2. Raises ConfigError of stage decode."""
    root, values = decode(parts.body, V1BETA2)
    profiles = values.pop("profiles", None) or [{}]
    for name in ("healthzBindAddress", "metricsBindAddress"):
        values.pop(name, None)
    news: list[NewProfile] = []
    dicts: list[dict[str, Any]] = []
    lines: list[Line] = []
    for profile in profiles:
        lists, elsewhere = v1beta2_lists(profile.get("plugins", {}))
        args = {entry.get("name", ""): entry.get("args") for entry in profile.get("pluginConfig", ())}
        new = convert_profile(OldProfile(lists, args))
        new.lists["multiPoint"] = [plugin.name for plugin in elsewhere]
        name = profile.get("schedulerName", "")
        lines += explain_defaults(lists, new, name if len(profiles) > 1 else "")
        dicts.append(new.to_dict(name))
        if elsewhere:
            everywhere = dicts[-1]["plugins"].setdefault("multiPoint", {}).setdefault("enabled", [])
            everywhere += [encode_fields(plugin) for plugin in elsewhere]
        news.append(new)
    explained = explain_lines(root, explain_configuration(root, V1BETA2, news), parts.offset)
    return Draft(complete(values, V1_34), dicts, [*explained, *lines, implicit_line(NEW_SINCE)])


def draft_v1beta3(parts: SplitText) -> Draft:
    """Convert v1beta3, whose profiles have the current form, by replacing removed plugins.

    Raises ConfigError of stage decode.
    """
    root, values = decode(parts.body, V1BETA3)
    notes = explain_common_fields(root, V1BETA3)
    nothing = say("nothing left to disable")
    for index, profile in enumerate(values.get("profiles", ())):
        path, plugins = f"profiles[{index}]", profile.get("plugins", {})
        for point in plugins:
            notes |= _replace_enabled(plugins, point, f"{path}.plugins.{point}.enabled")
            notes |= _remove_entries(plugins[point], "disabled", f"{path}.plugins.{point}.disabled", nothing)
        notes |= _remove_entries(profile, "pluginConfig", f"{path}.pluginConfig", say("a plugin that is gone"))
    config = complete(values, V1_34)
    profiles = minimal_dict(config, V1_34).get("profiles", [{}])
    return Draft(config, profiles, [*explain_lines(root, notes, parts.offset), implicit_line(NEW_SINCE)])


def _replace_enabled(plugins: dict[str, Any], point: str, path: str) -> Notes:
    """Replace a removed plugin by its successor, unless that is enabled anyway."""
    notes: Notes = {}
    rest: list[dict[str, Any]] = []
    entries = plugins[point].get("enabled", [])
    there = _plugins_from_multi_point(plugins, point) | {entry.get("name", "") for entry in entries}
    for index, entry in enumerate(entries):
        successor = SUCCESSORS.get(entry.get("name", ""))
        if successor is None:
            rest.append(entry)
            continue
        taken = successor.plugin in there
        why = joined("; ", successor.explanation, say("it takes part already") if taken else "")
        notes[f"{path}[{index}]"] = Note(successor.plugin, why, successor.removed_in)
        if successor.plugin and not taken:
            rest.append({**entry, "name": successor.plugin})
            there.add(successor.plugin)
    if rest or entries:
        plugins[point]["enabled"] = rest
    return notes


def _plugins_from_multi_point(plugins: dict[str, Any], point: str) -> set[str]:
    """Return the plugins that multiPoint enables at a point."""
    multi = plugins.get("multiPoint", {})
    disabled = {entry.get("name") for at in (multi, plugins[point]) for entry in at.get("disabled", ())}
    own = {entry.get("name", "") for entry in multi.get("enabled", ())}
    defaults = set() if "*" in disabled else {plugin.name for plugin in DEFAULT_MULTI_POINT.enabled}
    here = {entry.get("name") for entry in plugins[point].get("disabled", ())}
    return set() if "*" in here else (own | defaults) - disabled


def _remove_entries(holder: dict[str, Any], key: str, path: str, why: str) -> Notes:
    """Remove entries that name a removed plugin."""
    notes: Notes = {}
    entries = holder.get(key, [])
    for index, entry in enumerate(entries):
        successor = SUCCESSORS.get(entry.get("name", ""))
        if successor is not None:
            notes[f"{path}[{index}]"] = Note("", joined(": ", why, successor.explanation), successor.removed_in)
    if notes:
        holder[key] = [entry for entry in entries if entry.get("name") not in SUCCESSORS]
    return notes
