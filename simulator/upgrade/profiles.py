"""Differences of the profiles of a configuration between two versions, before any pod is tried."""

from collections.abc import Iterable

from kube_objects.sentences import say
from scheduler_core.config.types import Profile, SchedulerConfiguration
from scheduler_core.framework.emulation import Emulation

# (extension point, plugin) → weight
Runs = dict[tuple[str, str], int]


def profile_differences(
    old: Emulation, before: SchedulerConfiguration, new: Emulation, after: SchedulerConfiguration
) -> list[str]:
    """Return a sentence per profile and plugin that is added, removed, or has another weight."""
    lines: list[str] = []
    others = {profile.scheduler_name: profile for profile in after.profiles}
    for profile in before.profiles:
        other = others.get(profile.scheduler_name)
        if other is None:
            lines.append(say("{profile}: profile removed", profile=profile.scheduler_name))
        else:
            lines += _plugin_differences(profile.scheduler_name, _runs(old, profile), _runs(new, other))
    return lines


def _plugin_differences(profile: str, mine: Runs, theirs: Runs) -> list[str]:
    lines: list[str] = []
    for plugin, points in _by_plugin(entry for entry in theirs if entry not in mine):
        lines.append(say("{profile}: {plugin} now runs at {points}", profile=profile, plugin=plugin, points=points))
    for plugin, points in _by_plugin(entry for entry in mine if entry not in theirs):
        gone = {"profile": profile, "plugin": plugin, "points": points}
        lines.append(say("{profile}: {plugin} no longer runs at {points}", **gone))
    for entry, weight in mine.items():
        if theirs.get(entry, weight) != weight:
            weighs = {"profile": profile, "plugin": entry[1], "new": theirs[entry], "old": weight}
            lines.append(say("{profile}: {plugin} has weight {new} instead of {old}", **weighs))
    return lines


def _by_plugin(entries: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return pairs (plugin, its extension points as text), sorted by plugin; points are in running order."""
    points: dict[str, list[str]] = {}
    for point, plugin in entries:
        points.setdefault(plugin, []).append(point)
    return [(plugin, ", ".join(points[plugin])) for plugin in sorted(points)]


def _runs(emulation: Emulation, profile: Profile) -> Runs:
    entries = emulation.traits.expand(profile, emulation.registry.points())
    return {(point, entry.name): entry.weight for point, listed in entries.points.items() for entry in listed}
