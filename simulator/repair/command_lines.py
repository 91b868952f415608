"""Command lines that make a set of edits, in an order that works, each with the equivalent simulation commands.

All changes of one pod are one line, because its owner's template is changed once. New objects come first, because
labels and claims may belong to them; then nodes and storage, other pods, and last the pending pods.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit, Edits, apply_changes, sort_edits
from scheduler_core.edits.object_edits import move_command_lines
from scheduler_core.edits.pod_steps import plan_pod_steps
from scheduler_core.edits.steps import Command, Step, create_command_line
from scheduler_core.framework.handle import Lister
from simulator.repair.edit_lines import EditLine
from simulator.repair.scaling import scaling_lines

_CONFIGURATION, _NEW, _EXISTING, _OTHER_PODS, _PENDING_PODS = range(5)


def command_lines(edits: Edits, lister: Lister, pods: Mapping[str, Sequence[Pod]]) -> list[EditLine] | None:
    """Return the lines in the order in which a user types them, or None if no lines make these edits.

    `pods`: for each pending pod's key, all pods of its template that change with it.
    """
    edits_by_pod: dict[str, list[Edit]] = {}
    ordered: list[tuple[int, EditLine]] = [(_OTHER_PODS, line) for line in scaling_lines(edits, lister)]
    scaled = {line.edit for _, line in ordered}
    for edit in sort_edits(edits - scaled):
        if edit.of.kind == "Pod" and edit.of.key in pods and edit.change is not None:
            edits_by_pod.setdefault(edit.of.key, []).append(edit)
        else:
            note = edit.note() if callable(edit.note) else edit.note
            ordered.append((_phase(edit), EditLine(edit, _steps(edit, lister), note)))
    for key, pod_edits in edits_by_pod.items():
        lines = _pod_lines(pod_edits, lister, pods[key])
        if lines is None:
            return None
        ordered += [(_PENDING_PODS, line) for line in lines]
    return [line for _, line in sorted(ordered, key=lambda entry: entry[0])]


def _phase(edit: Edit) -> int:
    if edit.disabled or edit.profile is not None:
        return _CONFIGURATION
    if edit.gone or edit.moved_to or edit.of.kind == "Pod":
        return _OTHER_PODS
    return _NEW if edit.made else _EXISTING


def _pod_lines(edits: Sequence[Edit], lister: Lister, pods: Sequence[Pod]) -> list[EditLine] | None:
    changes = [edit.change for edit in edits if edit.change is not None]
    steps = plan_pod_steps(pods, lister, changes, [edit.path for edit in edits])
    if steps is None:
        return None
    new = [
        Step(create_command_line(manifest), _creating_commands(manifest)) for edit in edits for manifest in edit.made
    ]
    note = next((step.note for step in steps if step.note is not None), None)
    return [*(EditLine(edit) for edit in edits[:-1]), EditLine(edits[-1], (*new, *steps), note)]


def _steps(edit: Edit, lister: Lister) -> Sequence[Step]:
    if edit.moved_to:
        pod: Any = lister.get("Pod", edit.of.key)
        return _moving_steps(pod, edit.moved_to, lister.get("Node", pod.node_name))
    if edit.gone:
        return [Step(edit.command_line, lambda _: [{"kind": "delete", "objects": [edit.of.as_dict()]}])]
    if edit.made:
        return [Step(edit.command_line, _creating_commands(edit.made[0]))]
    if edit.change is not None:
        return [Step(edit.command_line, _updating_commands(edit))]
    return [Step(edit.command_line)]


def _creating_commands(manifest: Mapping[str, Any]) -> Any:
    def commands(lister: Lister) -> list[Command]:
        metadata = manifest["metadata"]
        key = f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]
        existing = lister.get(manifest["kind"], key)
        return [{"kind": "create", "objects": [manifest]}] if existing is None else []

    return commands


def _updating_commands(edit: Edit) -> Any:
    def commands(lister: Lister) -> list[Command]:
        obj = lister.get(edit.of.kind, edit.of.key)
        if obj is None or edit.change is None:
            return []
        after = apply_changes(obj, [edit.change])
        if edit.of.kind != "PodGroup":
            return [{"kind": "update", "objects": [after]}]
        # A PodGroup's policy is immutable, so the line deletes the PodGroup and creates it again.
        return [{"kind": "delete", "objects": [edit.of.as_dict()]}, {"kind": "create", "objects": [after]}]

    return commands


def _moving_steps(pod: Pod, other: str, node: Node | None) -> list[Step]:
    texts = move_command_lines(pod, other, node)
    gone: Command = {"kind": "delete", "objects": [{"kind": "Pod", "namespace": pod.namespace, "name": pod.name}]}
    if pod.controller is None:
        manifest = manifest_of(pod)
        metadata = {
            name: manifest["metadata"][name]
            for name in ("name", "namespace", "labels", "annotations")
            if name in manifest["metadata"]
        }
        spec = {**manifest["spec"], "nodeName": other}
        fresh = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        return [Step(texts[0], lambda _: [gone, {"kind": "create", "objects": [fresh]}])]
    if len(texts) == 1:
        return [Step(texts[0], lambda _: [gone])]
    cordon = [{"kind": kind, "node": pod.node_name} for kind in ("cordon", "uncordon")]
    first, delete, last = texts
    return [
        Step(first, lambda _: [cordon[0]]),
        Step(delete, lambda _: [gone]),
        Step(last, lambda _: [cordon[1]]),
    ]
