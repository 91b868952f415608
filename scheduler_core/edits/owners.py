"""Owners of pods: the object that has a pod's template, and the objects between the two."""

from collections.abc import Mapping
from typing import Any, Protocol

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Path, part, thawed

# Kinds that have a pod template, and where it stands.
_TEMPLATES: Mapping[str, Path] = {
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}


class Finder(Protocol):
    """A Lister is one."""

    def get(self, kind: str, key: str) -> Any | None: ...


def owner_of(pod: Pod, lister: Finder) -> tuple[str, str, KubeObject | None] | None:
    """Kind and name of what has the pod's template, and the object if it is there: not a ReplicaSet, its Deployment."""
    controller = pod.controller
    if controller is None:
        return None
    found: KubeObject | None = lister.get(controller.kind, f"{pod.namespace}/{controller.name}")
    above = None if found is None else found.controller
    if above is not None:
        return above.kind, above.name, lister.get(above.kind, f"{pod.namespace}/{above.name}")
    digest = pod.labels.get("pod-template-hash")
    if controller.kind == "ReplicaSet" and digest and controller.name.endswith(f"-{digest}"):
        name = controller.name.removesuffix(f"-{digest}")
        return "Deployment", name, lister.get("Deployment", f"{pod.namespace}/{name}")
    return controller.kind, controller.name, found


def owner_chain(pod: Pod, lister: Finder) -> list[KubeObject]:
    """Return the pod's controller, and the controller's controller; [] unless all that are named are there."""
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
    """Return where objects of a kind have their pod template, None for kinds without one."""
    return _TEMPLATES.get(kind)


def template_of(owner: KubeObject) -> dict[str, Any] | None:
    """Return a copy of the owner's pod template, None if it has none."""
    path = template_path(owner.kind)
    found = None if path is None else part(manifest_of(owner), path)
    return thawed(found) if isinstance(found, Mapping) else None


def as_pod(template: Mapping[str, Any], pod: Pod) -> dict[str, Any]:
    """Return the pod that a template makes: changes of pods read whole ones, which have a kind and a name."""
    made: dict[str, Any] = thawed(template)
    made |= {"apiVersion": "v1", "kind": "Pod", "metadata": {**(made.get("metadata") or {}), "name": pod.name}}
    return made
