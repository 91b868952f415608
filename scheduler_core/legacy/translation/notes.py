"""Explanations for the settings of a v1.20 text."""

import re
from collections.abc import Mapping, Sequence

from kube_objects.sentences import joined, say
from kube_objects.text.node import TextNode
from scheduler_core.config.types import API_VERSION, PluginRef
from scheduler_core.legacy.translation.lines import SAME, UNCHANGED, Line, Note, Notes, implicit_line, iter_leaves
from scheduler_core.legacy.translation.modernise import NEW_PLUGINS, NewProfile
from scheduler_core.legacy.translation.shorten import DEFAULT_WEIGHTS
from scheduler_core.legacy.translation.successors import REMOVED_IN, STRATEGIES, SUCCESSORS

_LABEL_ARGS = say("now terms of the affinity that the profile adds to every pod's own")
_REPLACED_ARGS = {
    "NodeLabel": Note("NodeAffinity args.addedAffinity", _LABEL_ARGS, "v1.23"),
    **{
        name: Note(
            "NodeResourcesFit args.scoringStrategy",
            say("strategy {strategy} has the same arguments", strategy=strategy),
            "v1.23",
        )
        for name, strategy in STRATEGIES.items()
    },
}


def note_for(name: str, point: str, new: NewProfile) -> Note:
    """Return the note for a plugin that was enabled at an extension point."""
    successor = SUCCESSORS.get(name)
    plugin = successor.plugin if successor else name
    note = new.notes.get(name, "")
    if name == "ServiceAffinity" and note and point == "score":
        plugin = "PodTopologySpread"
    unused = name in STRATEGIES and bool(note)
    runs = plugin in new.lists.get(point, ()) and not unused
    became = _describe_enabled(plugin, point, new) if runs else ""
    if successor is None:
        if runs:
            return Note(became, joined("; ", say("still a plugin"), _describe_order(point)))
        return Note("", say("prepared what is not enabled, or is no longer needed at this point"))
    if point != "score" and name == "ServiceAffinity":
        note = ""
    words = joined("; ", successor.explanation, note if point == "score" else "")
    return Note(became, words, successor.removed_in)


def _describe_enabled(plugin: str, point: str, new: NewProfile) -> str:
    weight = f", weight {new.weights[plugin]}" if point == "score" else ""
    return f"{plugin} at {point}{weight}"


def _describe_order(point: str) -> str:
    if point == "score":
        return say("with the weight it had")
    return say("in the order it had") if point == "filter" else say("at the same point")


def note_for_disabled(name: str, point: str, new: NewProfile) -> Note:
    """Return the note for a default plugin that was disabled at an extension point."""
    if name == "*":
        return Note(f"the defaults disabled at {point}", say("nothing that is not enabled by name takes part"))
    successor = SUCCESSORS.get(name)
    plugin = successor.plugin if successor else name
    removed = successor.removed_in if successor else ""
    if not plugin or plugin in new.lists.get(point, ()):
        nothing = say("there is nothing left to disable")
        why = say("{plugin} takes part for others", plugin=plugin) if plugin else nothing
        return Note("", why, removed)
    return Note(
        f"{plugin} disabled at {point}",
        say("still a default") if not removed else say("{plugin} took its place", plugin=plugin),
        removed,
    )


def explain_args(notes: Notes, plugin: str, path: str, new: NewProfile) -> None:
    """Add notes for the entry of `pluginConfig` at a path."""
    successor = SUCCESSORS.get(plugin)
    if successor is None:
        known = plugin in new.args
        notes[path] = (
            Note(SAME, joined(": ", say("an argument of {plugin}", plugin=plugin), UNCHANGED.explanation))
            if known
            else UNCHANGED
        )
    elif plugin == "ServiceAffinity":
        notes[path] = Note("", successor.explanation, successor.removed_in)
        if new.notes.get(plugin):
            became = Note("PodTopologySpread args.defaultConstraints", new.notes[plugin], successor.removed_in)
            notes[f"{path}.args.antiAffinityLabelsPreference"] = became
    elif plugin in STRATEGIES and plugin in new.notes:
        notes[path] = Note("", new.notes[plugin], successor.removed_in)
    else:
        gone = Note("", successor.explanation, successor.removed_in)
        notes[path] = _REPLACED_ARGS.get(plugin, gone)


UNKNOWN_FIELD = Note("", say("no such field: it was passed over"))
NEW_SINCE = Note(
    ", ".join(NEW_PLUGINS),
    joined("; ", say("did not exist yet"), say("they are defaults today and change nothing here")),
)

_ADDRESS = joined(
    "; ",
    say("health and metrics are served over HTTPS only, see --bind-address and --secure-port (10259)"),
    say("v1beta2 allowed nothing but an empty address or port 0, v1beta3 has no such field"),
)
_GLOBALS: Notes = {
    "healthzBindAddress": Note("", _ADDRESS, REMOVED_IN["healthzBindAddress"]),
    "metricsBindAddress": Note("", _ADDRESS, REMOVED_IN["metricsBindAddress"]),
}
LOCK = "leaderElection.resourceLock"
PLUGIN_PATH = re.compile(r"(profiles\[(\d+)\]\.plugins\.(\w+)\.(enabled|disabled)\[\d+\])\.name")
ARGS_PATH = re.compile(r"(profiles\[(\d+)\]\.pluginConfig\[\d+\])\.name")


def explain_configuration(root: TextNode, version: str, news: Sequence[NewProfile]) -> Notes:
    """Return notes, for `explain`, on a v1beta1 or v1beta2 configuration, whose profiles became `news`."""
    notes = {**_GLOBALS, **explain_common_fields(root, version)}
    for path, node in iter_leaves(root):
        if path_match := PLUGIN_PATH.fullmatch(path):
            entry, index, point, kind = path_match.groups()
            tell = note_for if kind == "enabled" else note_for_disabled
            notes[entry] = tell(node.scalar, point, news[int(index)])
        elif path_match := ARGS_PATH.fullmatch(path):
            explain_args(notes, node.scalar, path_match[1], news[int(path_match[2])])
    return notes


def explain_common_fields(root: TextNode, version: str) -> Notes:
    """Return notes for every configuration that isn't v1."""
    today = Note(API_VERSION, say("the only version there is since v1.29"), REMOVED_IN[version])
    notes: Notes = {"apiVersion": today, "kind": Note(SAME, say("has not changed"))}
    for path, node in iter_leaves(root):
        if path == LOCK and node.scalar not in ("", "leases"):
            notes[path] = Note(f"{LOCK}: leases", say("there is no other kind of lock any more"))
        elif re.fullmatch(r"profiles\[\d+\]\.pluginConfig\[\d+\]\.args\.(apiVersion|kind)", path):
            notes[path] = Note("", say("need not be said: follows from the configuration and the plugin"))
    return notes


def explain_defaults(lists: Mapping[str, Sequence[PluginRef]], new: NewProfile, profile: str) -> list[Line]:
    """Return lines about default plugins: changed weights, and removed plugins."""
    scores = [plugin.name for plugin in lists.get("score", ()) if plugin.default and plugin.name not in SUCCESSORS]
    differing = [name for name in scores if new.weights[name] != DEFAULT_WEIGHTS[name]]
    lines = []
    if differing:
        became = ", ".join(f"{name} weight {new.weights[name]}" for name in differing)
        today = ", ".join(str(DEFAULT_WEIGHTS[name]) for name in differing)
        lines.append(implicit_line(Note(became, _describe_default_weights(today, profile))))
    for point in ("filter", "score"):
        gone: dict[Note, list[str]] = {}
        for plugin in lists.get(point, ()):
            if plugin.default and plugin.name in SUCCESSORS:
                gone.setdefault(note_for(plugin.name, point, new), []).append(plugin.name)
        for note, names in gone.items():
            why = joined(": ", _describe_defaults(", ".join(names), profile), note.explanation)
            lines.append(implicit_line(Note(note.became, why, note.removed_in)))
    return lines


def _describe_default_weights(today: str, profile: str) -> str:
    if not profile:
        return say("default weights that were not today's {weights}", weights=today)
    return say("default weights of profile {profile} that were not today's {weights}", profile=profile, weights=today)


def _describe_defaults(names: str, profile: str) -> str:
    if not profile:
        return say("{plugins} by default", plugins=names)
    return say("{plugins} by default of profile {profile}", plugins=names, profile=profile)
