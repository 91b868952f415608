"""Translation: the result of a conversion, validated by the target version and shortened."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.config import (
    ConfigError,
    Problem,
    SchedulerConfiguration,
    default_configuration,
    load,
    minimal_yaml,
)
from scheduler_core.config.editing.minimal import minimal_dict
from scheduler_core.config.rules import ConfigRules
from scheduler_core.config.types import API_VERSION, EXTENSION_POINTS
from scheduler_core.legacy.translation.lines import Line
from scheduler_core.releases import IN_TREE_POINTS, V1_34

_AFTERWARDS = say("the old version did not mind, or not until later")


@dataclass(slots=True)
class Translation:
    """The result of a conversion. `config_text` is "" if the old text is invalid: `problems` are then its own.

    With a `config_text`, `problems` are what the target version finds wrong with it.
    """

    config_text: str
    lines: list[Line]
    problems: list[Problem] = field(default_factory=list)


# Plugin → its extension points.
Points = Mapping[str, frozenset[str]]


@dataclass(slots=True)
class Draft:
    """A conversion in progress. `profiles` in v1 JSON form replace those of `config`."""

    config: SchedulerConfiguration
    profiles: list[dict[str, Any]]
    lines: list[Line]


def finish_draft(draft: Draft, rules: ConfigRules = V1_34, points: Points = IN_TREE_POINTS) -> Translation:
    """Return the draft as text, validated by the version with these rules and plugins.

    Plugins that aren't kube-scheduler's own are assumed to be registered.
    """
    election = dataclasses.replace(draft.config.leader_election, resource_lock="leases")
    common = dataclasses.replace(
        draft.config, api_version=API_VERSION, leader_election=election, profiles=default_configuration(V1_34).profiles
    )
    profiles = [{key: value for key, value in profile.items() if value} for profile in draft.profiles]
    text = dump_yaml({**minimal_dict(common, V1_34), "profiles": profiles})
    try:
        return Translation(minimal_yaml(load(text, _known_points(profiles, points), rules=rules), rules), draft.lines)
    except ConfigError as error:
        problems = [dataclasses.replace(p, line=None, hint=p.hint or _AFTERWARDS) for p in error.problems]
        return Translation(text, draft.lines, problems)


def _known_points(profiles: list[dict[str, Any]], known: Points) -> Points:
    """Return the known extension points; an unknown plugin has the points where it is named, under multiPoint all."""
    points = {name: set(at) for name, at in known.items()}
    for profile in profiles:
        for point, plugin_set in profile.get("plugins", {}).items():
            for plugin in plugin_set.get("enabled", ()):
                if plugin["name"] not in known:
                    at = {point} if point != "multiPoint" else set(EXTENSION_POINTS) - {"queueSort"}
                    points.setdefault(plugin["name"], set()).update(at)
    return {name: frozenset(at) for name, at in points.items()}
