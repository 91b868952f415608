"""Conversion of v1alpha1 and v1alpha2 (v1.9 to v1.18) to an equivalent v1beta1 configuration, which v1.20.2 can
read.

Source (v1.18): kube-scheduler/config/v1alpha1 and v1alpha2 types.go, pkg/scheduler/apis/config/v1alpha1/conversion.go.
"""

import copy
from dataclasses import dataclass, field, replace

from kube_objects.sentences import say
from kube_objects.text.node import Entry, TextNode, compact, locate
from scheduler_core.legacy.translation.lines import Line, Note, Notes, explain_lines
from scheduler_core.legacy.v1beta1 import API_VERSION

V1ALPHA1, V1ALPHA2 = "v1alpha1", "v1alpha2"
# Old path → the flag that replaced it.
PROVIDER = "algorithmSource.provider"

_PREEMPTION_PLUGIN = "DefaultPreemption"
_RENAMED_LOCK_FIELDS = {"lockObjectName": "resourceName", "lockObjectNamespace": "resourceNamespace"}
_POLICY_NOTE = Note(
    "", say("names the file or ConfigMap of a Policy: translate that, it takes the place of all plugins here")
)
_UNRESERVE_NOTE = Note("", say("a plugin that reserves also gives back: one point, reserve, since v1.19"), "v1.19")
_PREEMPTION_DISABLED_NOTE = Note(
    "DefaultPreemption disabled at postFilter", say("preemption is a plugin since v1.19"), "v1.19"
)
_PREEMPTION_ENABLED_NOTE = Note("", say("preemption is a plugin since v1.19, and a default"), "v1.19")
_MOVED_ARGUMENTS = {
    "hardPodAffinitySymmetricWeight": ("InterPodAffinity", "hardPodAffinityWeight"),
    "bindTimeoutSeconds": ("VolumeBinding", "bindTimeoutSeconds"),
}


@dataclass(slots=True)
class V1beta1Draft:
    """The v1beta1 form of an older configuration.

    `written` has the unchanged parts with their old lines; `text` is complete. `lines` explain what v1beta1 lacks,
    `provider` is the old `algorithmSource`'s, `moved` maps new paths to old ones. `says` explains values by their new
    paths.
    """

    root: TextNode
    written: TextNode
    text: str = ""
    provider: TextNode | None = None
    lines: list[Line] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    notes: Notes = field(default_factory=dict)

    def old_path(self, path: str) -> str:
        """Return the path in the old text of a value at a path in v1beta1."""
        for new, old in sorted(self.moved.items(), reverse=True):
            if path == new or path.startswith((f"{new}.", f"{new}[")):
                return old + path[len(new) :]
        return path

    @property
    def version(self) -> str:
        return _child_text(self.root, "apiVersion").rpartition("/")[2]

    def line(self, path: str) -> int | None:
        return locate(self.root, self.old_path(path))


def is_alpha(root: TextNode) -> bool:
    return _child_text(root, "apiVersion").rpartition("/")[2] in (V1ALPHA1, V1ALPHA2)


def convert_to_v1beta1(root: TextNode, offset: int) -> V1beta1Draft:
    """Return the v1beta1 form. `offset` is the number of lines before the text."""
    beta = V1beta1Draft(root, copy.deepcopy(root), moved={"algorithmProvider": PROVIDER})
    is_first = _child_text(root, "apiVersion").endswith(V1ALPHA1)
    if is_first:
        _gather_profile(beta)
    _rename_lock(beta)
    arguments, is_preempting = _extract_moved_fields(beta, offset)
    profiles = _find_child(beta.written, "profiles")
    for index, profile in enumerate(profiles.items if profiles else ()):
        _rename_points(beta, profile, f"profiles[{index}].plugins", is_first, offset)
    whole = copy.deepcopy(beta.written)
    for entry in whole.entries:
        if entry.key == "apiVersion":
            entry.value = replace(entry.value, scalar=API_VERSION)
    _add_moved_fields(whole, arguments, is_preempting)
    beta.text = compact(whole)
    return beta


def _gather_profile(beta: V1beta1Draft) -> None:
    """Collect the one profile of v1alpha1, whose fields are at the top level."""
    root = beta.written
    names = ("schedulerName", "plugins", "pluginConfig")
    own = [entry for entry in root.entries if entry.key in names]
    if not own:
        return
    root.entries = [entry for entry in root.entries if entry.key not in names]
    line = own[0].line
    root.entries.append(Entry("profiles", line, TextNode("array", line, items=[TextNode("object", line, entries=own)])))
    beta.moved |= {f"profiles[0].{name}": name for name in names}


def _rename_lock(beta: V1beta1Draft) -> None:
    election = _find_child(beta.written, "leaderElection")
    for entry in election.entries if election else ():
        if entry.key in _RENAMED_LOCK_FIELDS:
            now = f"leaderElection.{_RENAMED_LOCK_FIELDS[entry.key]}"
            beta.moved[now] = f"leaderElection.{entry.key}"
            beta.notes[now] = Note(now, say("has this name since v1.19"))
            entry.key = _RENAMED_LOCK_FIELDS[entry.key]


def _extract_moved_fields(beta: V1beta1Draft, offset: int) -> tuple[dict[str, TextNode], bool]:
    """Remove what v1beta1 has elsewhere: the arguments of plugins, and whether preemption is enabled."""
    arguments: dict[str, TextNode] = {}
    is_preempting = True
    rest = []
    for entry in beta.written.entries:
        if entry.key in _MOVED_ARGUMENTS:
            arguments[entry.key] = entry.value
            plugin, argument = _MOVED_ARGUMENTS[entry.key]
            note = Note(f"{plugin} args.{argument}", say("an argument of {plugin}", plugin=plugin), "v1.19")
        elif entry.key == "disablePreemption":
            is_preempting = entry.value.scalar != "true"
            note = _PREEMPTION_ENABLED_NOTE if is_preempting else _PREEMPTION_DISABLED_NOTE
        elif entry.key == "algorithmSource":
            beta.lines += _explain_algorithm_source(beta, entry.value, offset)
            continue
        else:
            rest.append(entry)
            continue
        beta.lines += explain_lines(entry.value, {"": note}, offset, entry.key)
    beta.written.entries = rest
    return arguments, is_preempting


def _explain_algorithm_source(beta: V1beta1Draft, source: TextNode, offset: int) -> list[Line]:
    beta.provider = _find_child(source, "provider")
    explained = explain_lines(source, {"": _POLICY_NOTE}, offset, "algorithmSource.")
    return [line for line in explained if line.path != PROVIDER]


def _rename_points(beta: V1beta1Draft, profile: TextNode, path: str, is_first: bool, offset: int) -> None:
    """Rename extension points: v1alpha1's postFilter is preScore, and both versions have unreserve."""
    plugins = _find_child(profile, "plugins")
    if plugins is None:
        return
    rest = []
    for entry in plugins.entries:
        if entry.key == "unreserve":
            prefix = beta.old_path(f"{path}.unreserve")
            beta.lines += explain_lines(
                entry.value, {"": _UNRESERVE_NOTE}, offset, f"{prefix}." if entry.value.entries else prefix
            )
            continue
        if is_first and entry.key == "postFilter":
            beta.moved[f"{path}.preScore"] = beta.old_path(f"{path}.postFilter")
            entry.key = "preScore"
        rest.append(entry)
    plugins.entries = rest


def _add_moved_fields(root: TextNode, arguments: dict[str, TextNode], is_preempting: bool) -> None:
    profiles = _ensure_child(root, "profiles", "array")
    profiles.items = profiles.items or [TextNode("object", 1)]
    for profile in profiles.items:
        for name, value in arguments.items():
            plugin, argument = _MOVED_ARGUMENTS[name]
            args = _ensure_child(
                _ensure_entry(_ensure_child(profile, "pluginConfig", "array"), plugin), "args", "object"
            )
            if _find_child(args, argument) is None:
                args.entries.append(Entry(argument, value.line, value))
        if not is_preempting:
            points = _ensure_child(_ensure_child(profile, "plugins", "object"), "postFilter", "object")
            _ensure_entry(_ensure_child(points, "disabled", "array"), _PREEMPTION_PLUGIN)
        for args in _args_nodes(profile):
            args.entries = [entry for entry in args.entries if entry.key not in ("apiVersion", "kind")]


def _args_nodes(profile: TextNode) -> list[TextNode]:
    entries = _find_child(profile, "pluginConfig")
    args_nodes = [_find_child(entry, "args") for entry in entries.items] if entries else []
    return [args for args in args_nodes if args is not None]


def _ensure_entry(array: TextNode, name: str) -> TextNode:
    """Return the entry of a list with this name, creating it if it is missing."""
    entry = next((item for item in array.items if _child_text(item, "name") == name), None)
    if entry is None:
        entry = TextNode(
            "object", array.line, entries=[Entry("name", array.line, TextNode("string", array.line, name))]
        )
        array.items.append(entry)
    return entry


def _ensure_child(holder: TextNode, key: str, kind: str) -> TextNode:
    child = _find_child(holder, key)
    if child is None or child.kind == "null":
        child = TextNode(kind, holder.line)
        holder.entries = [entry for entry in holder.entries if entry.key != key] + [Entry(key, holder.line, child)]
    return child


def _find_child(node: TextNode, key: str) -> TextNode | None:
    return next((entry.value for entry in reversed(node.entries) if entry.key == key), None)


def _child_text(node: TextNode, key: str) -> str:
    child = _find_child(node, key)
    return child.scalar if child is not None and child.kind == "string" else ""
