"""Edits of the pod's profile: other args of a plugin, or one more plugin. They change hard rules, never weights."""

import json
from collections.abc import Mapping
from typing import Any

from kube_objects.sentences import Data, Template
from scheduler_core.edits.edit import Change, Edit, Ref, encode_detail
from scheduler_core.edits.question import Question

CONFIGURATION = "KubeSchedulerConfiguration"
PREEMPT = Template("Enable {plugin} in the profile {profile}, so that others are evicted; pods evicted: {count}")


def change_plugin_args(
    question: Question,
    path: str,
    sentence: Data,
    change: Change,
    *,
    before: Any = None,
    after: Any = None,
    note: Data | None = None,
    tie: float = 0.0,
) -> Edit | None:
    """Return an edit of the plugin's args; `change` modifies them. None if such edits are forbidden."""
    cost, plugin, name = question.prices.cost_of("plugin_args"), question.plugin, question.profile.scheduler_name
    if cost is None:
        return None
    where = f"pluginConfig.{plugin}.args.{path}"
    text = f"# in the {CONFIGURATION}, profile {name}: {where}: {json.dumps(after)}"
    return Edit(
        "plugin_args",
        Ref(CONFIGURATION, name),
        where,
        encode_detail(after),
        cost,
        sentence,
        text,
        before,
        after,
        shape=f"args {plugin} {path}",
        tie=tie,
        profile=apply_to_args(plugin, change),
        note=note,
    )


def apply_to_args(plugin: str, change: Change) -> Change:
    """Return the change of a profile that applies `change` to a plugin's args."""

    def changed(profile: dict[str, Any]) -> None:
        configured = profile.get("pluginConfig") or []
        own = next((entry for entry in configured if entry.get("name") == plugin), None)
        if own is None:
            own = {"name": plugin, "args": {}}
            configured.append(own)
        own["args"] = own.get("args") or {}
        change(own["args"])
        profile["pluginConfig"] = configured

    return changed


def enable_preemption(question: Question, plugin: str, count: int) -> Edit | None:
    """Enable preemption in a profile without it; `count` pods would be evicted."""
    cost, name = question.prices.cost_of("enable_plugin"), question.profile.scheduler_name
    if cost is None:
        return None
    sentence = PREEMPT(plugin=plugin, profile=name, count=count)
    stanza = {"postFilter": {"enabled": [{"name": plugin}]}}
    text = f"# in the {CONFIGURATION}, profile {name}: plugins: {json.dumps(stanza)}"
    of, path = Ref(CONFIGURATION, name), f"plugins.{plugin}"
    return Edit(
        "enable_plugin",
        of,
        path,
        plugin,
        cost,
        sentence,
        text,
        shape=f"enable {plugin}",
        profile=_enable_post_filter(plugin),
    )


def _enable_post_filter(plugin: str) -> Change:
    def changed(profile: dict[str, Any]) -> None:
        plugins = profile.get("plugins") or {}
        part: Mapping[str, Any] = plugins.get("postFilter") or {}
        others = [entry for entry in part.get("enabled") or () if entry.get("name") != plugin]
        disabled = [entry for entry in part.get("disabled") or () if entry.get("name") != plugin]
        before = {"disabled": disabled} if disabled else {}
        plugins["postFilter"] = {**before, "enabled": [*others, {"name": plugin}]}
        profile["plugins"] = plugins

    return changed
