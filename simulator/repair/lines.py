"""Lines: what a person types to make a set of edits, in an order that works, each with commands that do the same.

Changes of one pod are one line: an owner's template is changed once. New objects come first, since labels and claims
may be theirs; then nodes and storage, then other pods, and last the pods that wait.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit, Edits, changed, in_order
from scheduler_core.edits.other_edits import move_lines
from scheduler_core.edits.pod_steps import steps_of
from scheduler_core.edits.steps import Command, Step, creating
from scheduler_core.framework.handle import Lister
from simulator.repair.line import Line
from simulator.repair.scaling import scaling_lines

_CONFIGURATION, _NEW, _THERE, _OTHER_PODS, _OWN = range(5)


def lines_of(edits: Edits, lister: Lister, pods: Mapping[str, Sequence[Pod]]) -> list[Line] | None:
    """Return the lines in the order in which they are typed; None if no lines would make these edits.

    `pods`: the pods that wait, each with all those of its template that are to be changed as it is.
    """
    own: dict[str, list[Edit]] = {}
    found: list[tuple[int, Line]] = [(_OTHER_PODS, line) for line in scaling_lines(edits, lister)]
    scaled = {line.edit for _, line in found}
    for edit in in_order(edits - scaled):
        if edit.of.kind == "Pod" and edit.of.key in pods and edit.change is not None:
            own.setdefault(edit.of.key, []).append(edit)
        else:
            note = edit.note() if callable(edit.note) else edit.note
            found.append((_phase(edit), Line(edit, _steps(edit, lister), note)))
    for key, together in own.items():
        lines = _of_pods(together, lister, pods[key])
        if lines is None:
            return None
        found += [(_OWN, line) for line in lines]
    return [line for _, line in sorted(found, key=lambda entry: entry[0])]


def _phase(edit: Edit) -> int:
    if edit.disabled or edit.profile is not None:
        return _CONFIGURATION
    if edit.gone or edit.moved_to or edit.of.kind == "Pod":
        return _OTHER_PODS
    return _NEW if edit.made else _THERE


def _of_pods(edits: Sequence[Edit], lister: Lister, pods: Sequence[Pod]) -> list[Line] | None:
    changes = [edit.change for edit in edits if edit.change is not None]
    steps = steps_of(pods, lister, changes, [edit.path for edit in edits])
    if steps is None:
        return None
    new = [Step(creating(manifest), _created(manifest)) for edit in edits for manifest in edit.made]
    note = next((step.note for step in steps if step.note is not None), None)
    return [*(Line(edit) for edit in edits[:-1]), Line(edits[-1], (*new, *steps), note)]


def _steps(edit: Edit, lister: Lister) -> Sequence[Step]:
    if edit.moved_to:
        pod: Any = lister.get("Pod", edit.of.key)
        return _moved(pod, edit.moved_to, lister.get("Node", pod.node_name))
    if edit.gone:
        return [Step(edit.command_line, lambda _: [{"kind": "delete", "objects": [edit.of.as_dict()]}])]
    if edit.made:
        return [Step(edit.command_line, _created(edit.made[0]))]
    if edit.change is not None:
        return [Step(edit.command_line, _altered(edit))]
    return [Step(edit.command_line)]


def _created(manifest: Mapping[str, Any]) -> Any:
    def commands(lister: Lister) -> list[Command]:
        metadata = manifest["metadata"]
        key = f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]
        there = lister.get(manifest["kind"], key)
        return [{"kind": "create", "objects": [manifest]}] if there is None else []

    return commands


def _altered(edit: Edit) -> Any:
    def commands(lister: Lister) -> list[Command]:
        obj = lister.get(edit.of.kind, edit.of.key)
        if obj is None or edit.change is None:
            return []
        after = changed(obj, [edit.change])
        if edit.of.kind != "PodGroup":
            return [{"kind": "update", "objects": [after]}]
        # Its policy is immutable: the line deletes it and creates it again.
        return [{"kind": "delete", "objects": [edit.of.as_dict()]}, {"kind": "create", "objects": [after]}]

    return commands


def _moved(pod: Pod, other: str, node: Node | None) -> list[Step]:
    texts = move_lines(pod, other, node)
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
