"""Command lines that scale a controller down, for pods that must leave and that their controller would create again.

Deleting such a pod is a race, because the replacement may take the room. Source: ActivePodsWithRanks of
pkg/controller/controller_utils.go (Pods with a lower deletion cost are deleted first), and the order of ordinals in a
StatefulSet.
"""

from collections.abc import Sequence
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.sentences import Template
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit, Edits, apply_changes, set_value, sort_edits
from scheduler_core.edits.owners import find_owner_chain
from scheduler_core.edits.steps import Command, Step
from scheduler_core.framework.handle import Lister
from simulator.repair.edit_lines import EditLine

SCALED = Template("{owner} is scaled down to {count}: else it makes the Pod again")
_COST = "controller.kubernetes.io/pod-deletion-cost"
_BY_COST = ("Deployment", "ReplicaSet", "ReplicationController")


def scaling_lines(edits: Edits, lister: Lister) -> list[EditLine]:
    """Return a line for each owner of deleted pods, if scaling it down deletes exactly these pods."""
    groups: dict[tuple[str, str], tuple[KubeObject, list[tuple[Edit, Pod]]]] = {}
    for edit in sort_edits(edits):
        pod = lister.get("Pod", edit.of.key) if edit.gone else None
        chain = [] if pod is None else find_owner_chain(pod, lister)
        if pod is not None and chain and chain[-1].controller is None:
            groups.setdefault((chain[-1].kind, chain[-1].key), (chain[-1], []))[1].append((edit, pod))
    return [line for owner, leaving in groups.values() for line in _owner_lines(owner, leaving)]


def _owner_lines(owner: KubeObject, leaving: Sequence[tuple[Edit, Pod]]) -> list[EditLine]:
    spec = manifest_of(owner).get("spec") or {}
    replicas, edits, pods = spec.get("replicas", 1), [edit for edit, _ in leaving], [pod for _, pod in leaving]
    left = replicas - len(pods)
    if left < 0 or not _are_deleted_first(owner, pods, spec):
        return []
    steps = [] if owner.kind == "StatefulSet" else [_lower_deletion_cost(pods)]
    note = SCALED(owner=f"{owner.kind} {owner.name}", count=left)
    return [*(EditLine(edit) for edit in edits[:-1]), EditLine(edits[-1], (*steps, _scale(owner, left)), note)]


def _are_deleted_first(owner: KubeObject, pods: Sequence[Pod], spec: Any) -> bool:
    """Return True if scaling the owner down deletes these pods first."""
    if owner.kind in _BY_COST:
        return True
    first = (spec.get("ordinals") or {}).get("start", 0)
    end = first + spec.get("replicas", 1)
    highest = {f"{owner.name}-{number}" for number in range(end - len(pods), end)}
    return owner.kind == "StatefulSet" and {pod.name for pod in pods} == highest


def _lower_deletion_cost(pods: Sequence[Pod]) -> Step:
    def commands(lister: Lister) -> list[Command]:
        live = [obj for pod in pods if (obj := lister.get("Pod", pod.key)) is not None]
        objects = [apply_changes(obj, [set_value("metadata", "annotations", _COST, value="-1")]) for obj in live]
        return [{"kind": "update", "objects": objects, "as_cluster": True}] if objects else []

    names = " ".join(pod.name for pod in pods)
    return Step(f"kubectl -n {pods[0].namespace} annotate pod {names} {_COST}=-1 --overwrite", commands)


def _scale(owner: KubeObject, left: int) -> Step:
    def commands(lister: Lister) -> list[Command]:
        live = lister.get(owner.kind, owner.key)
        if live is None:
            return []
        after = apply_changes(live, [set_value("spec", "replicas", value=left)])
        after["metadata"].pop("generation", None)
        return [{"kind": "update", "objects": [after]}]

    text = f"kubectl -n {owner.namespace} scale {owner.kind.lower()} {owner.name} --replicas={left}"
    return Step(text, commands)
