"""Simulation commands that make a set of edits, and the commands that undo them."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.pod_update import refusals
from kube_objects.serialize import manifest_of
from kube_objects.text.node import compact
from kube_objects.text.read import node_or_none
from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.config.limits import LIMITS
from scheduler_core.edits.edit import Change, Edit, Edits, Ref, apply_changes, mutable_copy, sort_edits
from scheduler_core.edits.owners import find_top_owner
from scheduler_core.edits.pod_steps import change_owner_template
from scheduler_core.edits.steps import Command
from scheduler_core.queue.moves import SubQueue
from simulator.simulation.simulation import Simulation

DEFAULT_CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
POINTS = ("preFilter", "filter")
# Metadata that a pod keeps when it is created again on another node.
_COPIED = ("name", "namespace", "labels", "annotations", "ownerReferences", "creationTimestamp")


@dataclass(slots=True)
class RepairPlan:
    """Commands of a repair in order, and their inverse.

    The command for the pod itself comes last, because it makes the scheduler try the pod.
    """

    commands: list[Command] = field(default_factory=list)
    inverse: list[Command] = field(default_factory=list)

    def carry_out(self, simulation: Simulation, pod_key: str) -> None:
        """Apply the commands, and activate the pod if no event moves it out of the queue. Raises CommandError."""
        for command in self.commands:
            for _ in simulation.apply(command):
                pass
        if simulation.cluster.queue.where(pod_key) is SubQueue.UNSCHEDULABLE:
            wake: Command = {"kind": "activate", "pod": pod_key}
            for _ in simulation.apply(wake):
                pass
            if wake not in self.commands:
                self.commands.append(wake)


def plan_repair(simulation: Simulation, edits: Edits, pod_key: str) -> RepairPlan:
    """Return the commands for the edits, without applying them.

    1. Configuration.
    2. Deletions: pods that are deleted or move to another node.
    3. New objects, among them pods on their new nodes.
    4. Changes of nodes, storage and owners.
    5. Changes of pods.
    """
    ordered, store = sort_edits(edits), simulation.cluster.store
    other_changes: list[Command] = []
    pod_changes: list[Command] = []
    new, repair_plan, restoration, deleted = _NewObjects(), RepairPlan(), _Restoration(), []
    # With controllers on, a new template would recreate all pods under new names: change only the pod then.
    templates = _ChangedTemplates(simulation.cluster.controllers is None)
    configuring = [edit for edit in ordered if edit.disabled or edit.profile is not None]
    if configuring:
        repair_plan.commands.append(config_command(simulation, configuring))
        repair_plan.inverse.append({"kind": "set_config", "yaml": simulation.config_text or dump_yaml(DEFAULT_CONFIG)})
    for edit in ordered:
        new.add(edit.made, store)
        if edit.gone or edit.moved_to:
            pod: Any = store.get(edit.of.kind, edit.of.key)
            deleted.append(edit.of.as_dict())
            restoration.objects.append(dict(manifest_of(pod)))
            if edit.moved_to:
                new.objects.append(_manifest_on_node(pod, edit.moved_to))
    for (kind, key), edited in _changes_by_object(ordered).items():
        obj = store.get(kind, key)
        if obj is None:
            new.change(kind, key, edited)
            continue
        before, after = dict(manifest_of(obj)), apply_changes(obj, edited)
        restoration.objects.append(before)
        if kind == "Pod" and refusals(before, after):
            pod_changes.append({"kind": "recreate", "objects": [after]})
            templates.add(obj, edited)
        elif kind == "Pod":
            pod_changes.append({"kind": "update", "objects": [after], "as_cluster": True})
        else:
            other_changes += _change_commands(obj, after, ordered)
    for before, after in templates.owners(store):
        restoration.objects.append(before)
        other_changes.append({"kind": "update", "objects": [after]})
    if deleted:
        repair_plan.commands.append({"kind": "delete", "objects": deleted})
    if new.objects:
        repair_plan.commands.append({"kind": "create", "objects": new.objects})
    restoration.gone += new.new
    repair_plan.commands += [*other_changes, *pod_changes]
    repair_plan.inverse = [*restoration.commands(), *repair_plan.inverse]
    return repair_plan


def _change_commands(obj: KubeObject, after: dict[str, Any], edits: Iterable[Edit]) -> list[Command]:
    """Return the commands that change an object which is not a pod."""
    own = [edit.kind for edit in edits if (edit.of.kind, edit.of.key) == (obj.kind, obj.key)]
    if own == ["uncordon"]:
        return [{"kind": "uncordon", "node": obj.key}]
    if obj.kind == "PodGroup":
        # A PodGroup's policy is immutable. Creating it again also activates the pods that it held back.
        return [{"kind": "delete", "objects": [Ref.to(obj).as_dict()]}, {"kind": "create", "objects": [after]}]
    return [{"kind": "update", "objects": [after]}]


def _changes_by_object(edits: Iterable[Edit]) -> dict[tuple[str, str], list[Change]]:
    changes: dict[tuple[str, str], list[Change]] = {}
    for edit in edits:
        if edit.change is not None:
            changes.setdefault((edit.of.kind, edit.of.key), []).append(edit.change)
    return changes


@dataclass(slots=True)
class _NewObjects:
    """New objects of a repair, and references to those that don't exist yet."""

    objects: list[Mapping[str, Any]] = field(default_factory=list)
    new: list[dict[str, str]] = field(default_factory=list)

    def add(self, manifests: Iterable[Mapping[str, Any]], store: Any) -> None:
        for manifest in manifests:
            metadata = manifest["metadata"]
            namespace = {"namespace": metadata["namespace"]} if metadata.get("namespace") else {}
            reference = {"kind": manifest["kind"], "name": metadata["name"], **namespace}
            key = f"{metadata['namespace']}/{metadata['name']}" if namespace else metadata["name"]
            if store.get(manifest["kind"], key) is None and reference not in self.new:
                self.objects.append(manifest)
                self.new.append(reference)

    def change(self, kind: str, key: str, changes: Iterable[Change]) -> None:
        """Change the manifest of an object that will be created, if there is one."""
        for i, manifest in enumerate(self.objects):
            metadata = manifest["metadata"]
            inner_key = f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]
            if (manifest["kind"], inner_key) == (kind, key):
                changed_manifest = mutable_copy(manifest)
                for change in changes:
                    change(changed_manifest)
                self.objects[i] = changed_manifest


@dataclass(slots=True)
class _ChangedTemplates:
    """Owners whose templates change like their pods, each once for all its pods."""

    wanted: bool
    pods: list[tuple[Pod, list[Change]]] = field(default_factory=list)

    def add(self, pod: Any, changes: list[Change]) -> None:
        if self.wanted:
            self.pods.append((pod, changes))

    def owners(self, store: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield each owner's manifest before and after."""
        changes_by_owner: dict[tuple[str, str], list[Change]] = {}
        manifests: dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any]]] = {}
        for pod, changes in self.pods:
            owner = find_top_owner(pod, store)
            if owner is None or owner[2] is None:
                continue
            owner_changes = changes_by_owner.setdefault((owner[0], owner[2].key), [])
            owner_changes += [change for change in changes if change not in owner_changes]
            if (changed_owner := change_owner_template(pod, store, owner_changes)) is not None:
                manifests[owner[0], owner[2].key] = (dict(manifest_of(changed_owner[0])), changed_owner[1])
        yield from manifests.values()


@dataclass(slots=True)
class _Restoration:
    """Objects that undoing restores, and objects that it deletes."""

    objects: list[Mapping[str, Any]] = field(default_factory=list)
    gone: list[dict[str, str]] = field(default_factory=list)

    def commands(self) -> list[Command]:
        parts = (("objects", self.objects), ("delete", self.gone))
        named = {name: part for name, part in parts if part}
        return [{"kind": "restore", **named}] if named else []


def _manifest_on_node(pod: KubeObject, node: str) -> dict[str, Any]:
    """Return the manifest of the pod running on another node."""
    manifest = manifest_of(pod)
    metadata = {name: manifest["metadata"][name] for name in _COPIED if name in manifest["metadata"]}
    spec = {**manifest["spec"], "nodeName": node}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


def config_command(simulation: Simulation, edits: Iterable[Edit]) -> Command:
    """Return the command that gives the scheduler its configuration with these edits of the pod's profile."""
    text = simulation.config_text
    root = node_or_none(text, LIMITS) if text else None
    data: dict[str, Any] = dict(DEFAULT_CONFIG) if root is None else json.loads(compact(root))
    for edit in edits:
        profiles = data.get("profiles") or [{"schedulerName": edit.of.name}]
        data["profiles"] = profiles
        named = (
            profile for profile in profiles if (profile.get("schedulerName") or "default-scheduler") == edit.of.name
        )
        own = next(named, profiles[0])
        if edit.profile is not None:
            edit.profile(own)
        if edit.disabled:
            _disable(own, edit.disabled, simulation.cluster.registry.points().get(edit.disabled, frozenset()))
    return {"kind": "set_config", "yaml": dump_yaml(data)}


def _disable(profile: dict[str, Any], plugin: str, points: Collection[str]) -> None:
    """Disable a plugin at the extension points where it rejects pods."""
    plugins = profile["plugins"] = profile.get("plugins") or {}
    for point in POINTS:
        if point in points:
            config = plugins.get(point) or {}
            enabled = [entry for entry in config.get("enabled") or () if entry.get("name") != plugin]
            disabled = [*(config.get("disabled") or ()), {"name": plugin}]
            plugins[point] = {
                **config,
                **({"enabled": enabled} if config.get("enabled") else {}),
                "disabled": disabled,
            }
