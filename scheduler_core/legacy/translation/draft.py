"""A translation as it is made, and finished: checked by reading it as v1.34 does, and cut down to what must be said."""

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
    """`config_text` is "" if the old text itself is wrong: `problems` say how, by path and line of that text.

    With a `config_text`, `problems` are what the version of today finds wrong with it.
    """

    config_text: str
    lines: list[Line]
    problems: list[Problem] = field(default_factory=list)


# By plugin, the extension points that it takes part in.
Points = Mapping[str, frozenset[str]]


@dataclass(slots=True)
class Draft:
    """`profiles` in v1 JSON form take the place of those of `config`."""

    config: SchedulerConfiguration
    profiles: list[dict[str, Any]]
    lines: list[Line]


def finish(draft: Draft, rules: ConfigRules = V1_34, points: Points = IN_TREE_POINTS) -> Translation:
    """The draft as text, as the version with these rules and plugins reads it.

    Plugins that are not kube-scheduler's own are taken to be there.
    """
    election = dataclasses.replace(draft.config.leader_election, resource_lock="leases")
    common = dataclasses.replace(
        draft.config, api_version=API_VERSION, leader_election=election, profiles=default_configuration(V1_34).profiles
    )
    profiles = [{key: value for key, value in profile.items() if value} for profile in draft.profiles]
    text = dump_yaml({**minimal_dict(common, V1_34), "profiles": profiles})
    try:
        return Translation(minimal_yaml(load(text, _points(profiles, points), rules=rules), rules), draft.lines)
    except ConfigError as error:
        problems = [dataclasses.replace(p, line=None, hint=p.hint or _AFTERWARDS) for p in error.problems]
        return Translation(text, draft.lines, problems)


def _points(profiles: list[dict[str, Any]], known: Points) -> Points:
    """Those that are known; another plugin takes part where it is named, under multiPoint anywhere."""
    points = {name: set(at) for name, at in known.items()}
    for profile in profiles:
        for point, plugin_set in profile.get("plugins", {}).items():
            for plugin in plugin_set.get("enabled", ()):
                if plugin["name"] not in known:
                    at = {point} if point != "multiPoint" else set(EXTENSION_POINTS) - {"queueSort"}
                    points.setdefault(plugin["name"], set()).update(at)
    return {name: frozenset(at) for name, at in points.items()}
