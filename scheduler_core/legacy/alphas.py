"""Conversion of v1alpha1 and v1alpha2 (v1.9 to v1.18) to an equivalent v1beta1 configuration, which v1.20.2 can
read.

Source (v1.18): kube-scheduler/config/v1alpha1 and v1alpha2 types.go, pkg/scheduler/apis/config/v1alpha1/conversion.go.
"""

import copy
from dataclasses import dataclass, field, replace

from kube_objects.sentences import say
from kube_objects.text.node import Entry, TextNode, compact, locate
from scheduler_core.legacy.translation.lines import Line, Note, Notes, explain
from scheduler_core.legacy.v1beta1 import API_VERSION

V1ALPHA1, V1ALPHA2 = "v1alpha1", "v1alpha2"
# Old path → the flag that replaced it.
PROVIDER = "algorithmSource.provider"

_PREEMPTION_PLUGIN = "DefaultPreemption"
_RENAMED = {"lockObjectName": "resourceName", "lockObjectNamespace": "resourceNamespace"}
_POLICY = Note(
    "", say("names the file or ConfigMap of a Policy: translate that, it takes the place of all plugins here")
)
_UNRESERVE = Note("", say("a plugin that reserves also gives back: one point, reserve, since v1.19"), "v1.19")
_PREEMPTION = Note("DefaultPreemption disabled at postFilter", say("preemption is a plugin since v1.19"), "v1.19")
_PREEMPTS = Note("", say("preemption is a plugin since v1.19, and a default"), "v1.19")
_ARGUMENTS = {
    "hardPodAffinitySymmetricWeight": ("InterPodAffinity", "hardPodAffinityWeight"),
    "bindTimeoutSeconds": ("VolumeBinding", "bindTimeoutSeconds"),
}


@dataclass(slots=True)
class Beta:
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
        return _text_of(self.root, "apiVersion").rpartition("/")[2]

    def line(self, path: str) -> int | None:
        return locate(self.root, self.old_path(path))


def is_alpha(root: TextNode) -> bool:
    return _text_of(root, "apiVersion").rpartition("/")[2] in (V1ALPHA1, V1ALPHA2)


def as_v1beta1(root: TextNode, offset: int) -> Beta:
    """Return the v1beta1 form. `offset` is the number of lines before the text."""
    beta = Beta(root, copy.deepcopy(root), moved={"algorithmProvider": PROVIDER})
    is_first = _text_of(root, "apiVersion").endswith(V1ALPHA1)
    if is_first:
        _gather_profile(beta)
    _rename_lock(beta)
    arguments, is_preempting = _take_out(beta, offset)
    profiles = _child(beta.written, "profiles")
    for index, profile in enumerate(profiles.items if profiles else ()):
        _rename_points(beta, profile, f"profiles[{index}].plugins", is_first, offset)
    whole = copy.deepcopy(beta.written)
    for entry in whole.entries:
        if entry.key == "apiVersion":
            entry.value = replace(entry.value, scalar=API_VERSION)
    _add(whole, arguments, is_preempting)
    beta.text = compact(whole)
    return beta


def _gather_profile(beta: Beta) -> None:
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


def _rename_lock(beta: Beta) -> None:
    election = _child(beta.written, "leaderElection")
    for entry in election.entries if election else ():
        if entry.key in _RENAMED:
            now = f"leaderElection.{_RENAMED[entry.key]}"
            beta.moved[now] = f"leaderElection.{entry.key}"
            beta.notes[now] = Note(now, say("has this name since v1.19"))
            entry.key = _RENAMED[entry.key]


def _take_out(beta: Beta, offset: int) -> tuple[dict[str, TextNode], bool]:
    """Remove what v1beta1 has elsewhere: the arguments of plugins, and whether preemption is enabled."""
    arguments: dict[str, TextNode] = {}
    is_preempting = True
    rest = []
    for entry in beta.written.entries:
        if entry.key in _ARGUMENTS:
            arguments[entry.key] = entry.value
            plugin, argument = _ARGUMENTS[entry.key]
            note = Note(f"{plugin} args.{argument}", say("an argument of {plugin}", plugin=plugin), "v1.19")
        elif entry.key == "disablePreemption":
            is_preempting = entry.value.scalar != "true"
            note = _PREEMPTS if is_preempting else _PREEMPTION
        elif entry.key == "algorithmSource":
            beta.lines += _source(beta, entry.value, offset)
            continue
        else:
            rest.append(entry)
            continue
        beta.lines += explain(entry.value, {"": note}, offset, entry.key)
    beta.written.entries = rest
    return arguments, is_preempting


def _source(beta: Beta, source: TextNode, offset: int) -> list[Line]:
    beta.provider = _child(source, "provider")
    explained = explain(source, {"": _POLICY}, offset, "algorithmSource.")
    return [line for line in explained if line.path != PROVIDER]


def _rename_points(beta: Beta, profile: TextNode, path: str, is_first: bool, offset: int) -> None:
    """Rename extension points: v1alpha1's postFilter is preScore, and both versions have unreserve."""
    plugins = _child(profile, "plugins")
    if plugins is None:
        return
    rest = []
    for entry in plugins.entries:
        if entry.key == "unreserve":
            prefix = beta.old_path(f"{path}.unreserve")
            beta.lines += explain(
                entry.value, {"": _UNRESERVE}, offset, f"{prefix}." if entry.value.entries else prefix
            )
            continue
        if is_first and entry.key == "postFilter":
            beta.moved[f"{path}.preScore"] = beta.old_path(f"{path}.postFilter")
            entry.key = "preScore"
        rest.append(entry)
    plugins.entries = rest


def _add(root: TextNode, arguments: dict[str, TextNode], is_preempting: bool) -> None:
    profiles = _need(root, "profiles", "array")
    profiles.items = profiles.items or [TextNode("object", 1)]
    for profile in profiles.items:
        for name, value in arguments.items():
            plugin, argument = _ARGUMENTS[name]
            args = _need(_entry_of(_need(profile, "pluginConfig", "array"), plugin), "args", "object")
            if _child(args, argument) is None:
                args.entries.append(Entry(argument, value.line, value))
        if not is_preempting:
            points = _need(_need(profile, "plugins", "object"), "postFilter", "object")
            _entry_of(_need(points, "disabled", "array"), _PREEMPTION_PLUGIN)
        for args in _args_of(profile):
            args.entries = [entry for entry in args.entries if entry.key not in ("apiVersion", "kind")]


def _args_of(profile: TextNode) -> list[TextNode]:
    entries = _child(profile, "pluginConfig")
    args_nodes = [_child(entry, "args") for entry in entries.items] if entries else []
    return [args for args in args_nodes if args is not None]


def _entry_of(array: TextNode, name: str) -> TextNode:
    """Return the entry of a list with this name, creating it if it is missing."""
    entry = next((item for item in array.items if _text_of(item, "name") == name), None)
    if entry is None:
        entry = TextNode(
            "object", array.line, entries=[Entry("name", array.line, TextNode("string", array.line, name))]
        )
        array.items.append(entry)
    return entry


def _need(holder: TextNode, key: str, kind: str) -> TextNode:
    child = _child(holder, key)
    if child is None or child.kind == "null":
        child = TextNode(kind, holder.line)
        holder.entries = [entry for entry in holder.entries if entry.key != key] + [Entry(key, holder.line, child)]
    return child


def _child(node: TextNode, key: str) -> TextNode | None:
    return next((entry.value for entry in reversed(node.entries) if entry.key == key), None)


def _text_of(node: TextNode, key: str) -> str:
    child = _child(node, key)
    return child.scalar if child is not None and child.kind == "string" else ""
