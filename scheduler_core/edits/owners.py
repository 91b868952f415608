"""Owners of pods: the object with a pod's template, and the objects in between."""

from collections.abc import Mapping
from typing import Any, Protocol

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Path, mutable_copy, value_at

# Kinds with a pod template → its path.
_TEMPLATES: Mapping[str, Path] = {
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}


class Finder(Protocol):
    """The part of a Lister that looks objects up."""

    def get(self, kind: str, key: str) -> Any | None: ...


def find_top_owner(pod: Pod, lister: Finder) -> tuple[str, str, KubeObject | None] | None:
    """Return kind, name and object (if it exists) of a pod's top owner: a Deployment, not its ReplicaSet."""
    controller = pod.controller
    if controller is None:
        return None
    owner: KubeObject | None = lister.get(controller.kind, f"{pod.namespace}/{controller.name}")
    top = None if owner is None else owner.controller
    if top is not None:
        return top.kind, top.name, lister.get(top.kind, f"{pod.namespace}/{top.name}")
    digest = pod.labels.get("pod-template-hash")
    if controller.kind == "ReplicaSet" and digest and controller.name.endswith(f"-{digest}"):
        name = controller.name.removesuffix(f"-{digest}")
        return "Deployment", name, lister.get("Deployment", f"{pod.namespace}/{name}")
    return controller.kind, controller.name, owner


def find_owner_chain(pod: Pod, lister: Finder) -> list[KubeObject]:
    """Return the pod's controller and the controller's controller; [] unless all that are named exist."""
    chain: list[KubeObject] = []
    owner = pod.controller
    while owner is not None and len(chain) < 2:
        obj: KubeObject | None = lister.get(owner.kind, f"{pod.namespace}/{owner.name}")
        if obj is None or (owner.uid and obj.uid != owner.uid):
            return []
        chain.append(obj)
        owner = obj.controller
    return chain


def template_path(kind: str) -> Path | None:
    """Return the path of the pod template in objects of a kind; None for kinds without one."""
    return _TEMPLATES.get(kind)


def copy_template(owner: KubeObject) -> dict[str, Any] | None:
    """Return a copy of the owner's pod template, or None if it has none."""
    path = template_path(owner.kind)
    template = None if path is None else value_at(manifest_of(owner), path)
    return mutable_copy(template) if isinstance(template, Mapping) else None


def pod_from_template(template: Mapping[str, Any], pod: Pod) -> dict[str, Any]:
    """Return the pod that a template creates, because changes of pods expect whole pods with kind and name."""
    manifest: dict[str, Any] = mutable_copy(template)
    manifest |= {"apiVersion": "v1", "kind": "Pod", "metadata": {**(manifest.get("metadata") or {}), "name": pod.name}}
    return manifest
