"""Edits as commands of the simulation, and the commands that undo them."""

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
from scheduler_core.edits.edit import Change, Edit, Edits, Ref, changed, in_order, thawed
from scheduler_core.edits.owners import owner_of
from scheduler_core.edits.pod_steps import owner_changed
from scheduler_core.edits.steps import Command
from scheduler_core.queue.moves import SubQueue
from simulator.simulation.simulation import Simulation

DEFAULT_CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
POINTS = ("preFilter", "filter")
# Of a pod that is made again elsewhere nothing stays but what was given.
_COPIED = ("name", "namespace", "labels", "annotations", "ownerReferences", "creationTimestamp")


@dataclass(slots=True)
class Plan:
    """What is done, in this order, and what would undo it. The pod itself comes last: then it is tried."""

    commands: list[Command] = field(default_factory=list)
    inverse: list[Command] = field(default_factory=list)

    def carry_out(self, simulation: Simulation, pod_key: str) -> None:
        """Raises CommandError. A pod that no event would wake is told to be tried."""
        for command in self.commands:
            for _ in simulation.apply(command):
                pass
        if simulation.cluster.queue.where(pod_key) is SubQueue.UNSCHEDULABLE:
            wake: Command = {"kind": "activate", "pod": pod_key}
            for _ in simulation.apply(wake):
                pass
            if wake not in self.commands:
                self.commands.append(wake)


def plan(simulation: Simulation, edits: Edits, pod_key: str) -> Plan:
    """The objects are those of the simulation as it is; nothing is written."""
    ordered, store = in_order(edits), simulation.cluster.store
    others: list[Command] = []
    own: list[Command] = []
    made, plain, back, gone, changes = _Made(), Plan(), _Back(), [], _changes(ordered)
    # A controller would make all pods of another template anew, under other names: then only the pod is changed.
    patched = _Patched(simulation.cluster.life is None)
    configuring = [edit for edit in ordered if edit.disabled or edit.profile is not None]
    if configuring:
        plain.commands.append(configure(simulation, configuring))
        plain.inverse.append({"kind": "set_config", "yaml": simulation.config_text or dump_yaml(DEFAULT_CONFIG)})
    for edit in ordered:
        made.add(edit.made, store)
        if edit.gone or edit.moved_to:
            pod: Any = store.get(edit.of.kind, edit.of.key)
            gone.append(edit.of.as_dict())
            back.objects.append(dict(manifest_of(pod)))
            if edit.moved_to:
                made.objects.append(_elsewhere(pod, edit.moved_to))
    for (kind, key), edited in changes.items():
        obj = store.get(kind, key)
        if obj is None:
            made.change(kind, key, edited)
            continue
        before, after = dict(manifest_of(obj)), changed(obj, edited)
        back.objects.append(before)
        if kind == "Pod" and refusals(before, after):
            own.append({"kind": "recreate", "objects": [after]})
            patched.add(obj, edited)
        elif kind == "Pod":
            own.append({"kind": "update", "objects": [after], "as_cluster": True})
        elif _is_uncordon(ordered, key):
            others.append({"kind": "uncordon", "node": key})
        elif kind == "PodGroup":
            # Its policy is for good: it is made anew, which wakes the pods that it held back.
            others.append({"kind": "delete", "objects": [Ref.to(obj).as_dict()]})
            others.append({"kind": "create", "objects": [after]})
        else:
            others.append({"kind": "update", "objects": [after]})
    for before, after in patched.owners(store):
        back.objects.append(before)
        others.append({"kind": "update", "objects": [after]})
    if gone:
        plain.commands.append({"kind": "delete", "objects": gone})
    if made.objects:
        plain.commands.append({"kind": "create", "objects": made.objects})
    back.gone += made.new
    plain.commands += [*others, *own]
    plain.inverse = [*back.commands(), *plain.inverse]
    return plain


def _is_uncordon(edits: Iterable[Edit], key: str) -> bool:
    """Nothing but the cordon of the node changes: there is a command for that."""
    own = [edit.kind for edit in edits if edit.of.kind == "Node" and edit.of.key == key]
    return own == ["uncordon"]


def _changes(edits: Iterable[Edit]) -> dict[tuple[str, str], list[Change]]:
    found: dict[tuple[str, str], list[Change]] = {}
    for edit in edits:
        if edit.change is not None:
            found.setdefault((edit.of.kind, edit.of.key), []).append(edit.change)
    return found


@dataclass(slots=True)
class _Made:
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
        """Something that is about to be made is made otherwise; nothing where it is not."""
        for i, manifest in enumerate(self.objects):
            metadata = manifest["metadata"]
            inner = f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]
            if (manifest["kind"], inner) == (kind, key):
                other = thawed(manifest)
                for change in changes:
                    change(other)
                self.objects[i] = other


@dataclass(slots=True)
class _Patched:
    """Owners whose templates are changed as their pods are, each once however many pods they have."""

    wanted: bool
    pods: list[tuple[Pod, list[Change]]] = field(default_factory=list)

    def add(self, pod: Any, changes: list[Change]) -> None:
        if self.wanted:
            self.pods.append((pod, changes))

    def owners(self, store: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Each as it is, and as it is then."""
        done: dict[tuple[str, str], list[Change]] = {}
        found: dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any]]] = {}
        for pod, changes in self.pods:
            owner = owner_of(pod, store)
            if owner is None or owner[2] is None:
                continue
            known = done.setdefault((owner[0], owner[2].key), [])
            known += [change for change in changes if change not in known]
            if (made := owner_changed(pod, store, known)) is not None:
                found[owner[0], owner[2].key] = (dict(manifest_of(made[0])), made[1])
        yield from found.values()


@dataclass(slots=True)
class _Back:
    objects: list[Mapping[str, Any]] = field(default_factory=list)
    gone: list[dict[str, str]] = field(default_factory=list)

    def commands(self) -> list[Command]:
        parts = (("objects", self.objects), ("delete", self.gone))
        named = {name: part for name, part in parts if part}
        return [{"kind": "restore", **named}] if named else []


def _elsewhere(pod: KubeObject, node: str) -> dict[str, Any]:
    """The pod as it runs on another node."""
    manifest = manifest_of(pod)
    metadata = {name: manifest["metadata"][name] for name in _COPIED if name in manifest["metadata"]}
    spec = {**manifest["spec"], "nodeName": node}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


def configure(simulation: Simulation, edits: Iterable[Edit]) -> Command:
    """Return the command that gives the scheduler its configuration with these edits of the pod's profile."""
    text = simulation.config_text
    root = node_or_none(text, LIMITS) if text else None
    data: dict[str, Any] = dict(DEFAULT_CONFIG) if root is None else json.loads(compact(root))
    for edit in edits:
        profiles = data.get("profiles") or [{"schedulerName": edit.of.name}]
        data["profiles"] = profiles
        named = (one for one in profiles if (one.get("schedulerName") or "default-scheduler") == edit.of.name)
        own = next(named, profiles[0])
        if edit.profile is not None:
            edit.profile(own)
        if edit.disabled:
            _disable(own, edit.disabled, simulation.cluster.registry.points().get(edit.disabled, frozenset()))
    return {"kind": "set_config", "yaml": dump_yaml(data)}


def _disable(profile: dict[str, Any], plugin: str, points: Collection[str]) -> None:
    """Leave a plugin out where it says no."""
    plugins = profile["plugins"] = profile.get("plugins") or {}
    for point in POINTS:
        if point in points:
            given = plugins.get(point) or {}
            enabled = [one for one in given.get("enabled") or () if one.get("name") != plugin]
            disabled = [*(given.get("disabled") or ()), {"name": plugin}]
            plugins[point] = {**given, **({"enabled": enabled} if given.get("enabled") else {}), "disabled": disabled}
