"""Edits of PersistentVolumeClaims (PVCs), which the repairs of several volume plugins use."""

from collections.abc import Iterator, Sequence
from typing import Any

from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.pod import Pod
from kube_objects.sentences import Template
from kube_objects.serialize import manifest_of
from kube_objects.volumes import PodVolume
from scheduler_core.edits.edit import Change, Edit, Ref, encode_detail, set_value
from scheduler_core.edits.object_edits import make_object_edit
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Question
from scheduler_core.edits.steps import create_command_line, quote_json
from scheduler_core.plugins.volume_binding.provisioning import NO_PROVISIONER
from scheduler_core.plugins.volumes import CLAIM, WAIT_FOR_FIRST_CONSUMER

OTHER_CLAIM = Template("Use the claim {to} instead of {claim}")
NO_CLAIM = Template("Do without the claim {claim}")
NO_VOLUME = Template("Do without the volume {volume}")
OTHER_CLASS = Template("Give the claim {claim} the class {to}")
ADD_CLAIM = Template("Add the claim {claim}, of class {to}")
IMMUTABLE = Template(
    "A claim's class cannot be changed: the claim is deleted and created again, and what is on it is lost"
)
# The maximum number of other PVCs or StorageClasses in the offered edits.
_MAX_OFFERS = 6
_SIZE = "1Gi"


def list_claim_volumes(pod: Pod) -> Iterator[tuple[int, str]]:
    """Yield the index and the PVC name of each volume of the pod that refers to a PVC."""
    for i, volume in enumerate(pod.volumes):
        if volume.source == CLAIM:
            yield i, volume.claim_name


def replace_claim(question: Question, name: str) -> list[Edit | None]:
    """Replace the PVC by each one that no pod uses."""
    pod, lister = question.pod, question.lister
    used = {volume.claim_name for other in lister.list("Pod", pod.namespace) for volume in other.volumes}
    free = [
        claim.name
        for claim in lister.list("PersistentVolumeClaim", pod.namespace)
        if claim.name not in used and claim.deletion_timestamp is None
    ]
    return [_make_claim_edit(question, "other_claim", name, other) for other in free[:_MAX_OFFERS]]


def drop_claim(question: Question, name: str) -> Edit | None:
    return _make_claim_edit(question, "drop_claim", name, None)


def drop_ephemeral_volume(question: Question, volume: PodVolume) -> Edit | None:
    """Remove an ephemeral volume, because its PVC can't be replaced."""
    change = _remove_volumes([volume.name])
    path = f"spec.volumes.{volume.name}"
    return make_pod_edit(question, "drop_claim", path, NO_VOLUME(volume=volume.name), change, before=volume.name)


def _make_claim_edit(question: Question, kind: str, name: str, other: str | None) -> Edit | None:
    sentence = NO_CLAIM(claim=name) if other is None else OTHER_CLAIM(claim=name, to=other)
    change = _replace_or_remove_claim(name, other)
    return make_pod_edit(question, kind, f"spec.volumes.{name}", sentence, change, before=name, after=other)


def _replace_or_remove_claim(name: str, other: str | None) -> Change:
    def change(manifest: dict[str, Any]) -> None:
        spec = manifest["spec"]
        removed = []
        for volume in spec.get("volumes") or ():
            claim = volume.get(CLAIM) or {}
            if claim.get("claimName") == name:
                if other is None:
                    removed.append(volume["name"])
                else:
                    volume[CLAIM] = {**claim, "claimName": other}
        if other is None:
            _remove_volumes(removed)(manifest)

    return change


def _remove_volumes(removed: Sequence[str]) -> Change:
    def change(manifest: dict[str, Any]) -> None:
        spec = manifest["spec"]
        spec["volumes"] = [volume for volume in spec["volumes"] if volume["name"] not in removed]
        for part in ("containers", "initContainers"):
            for container in spec.get(part) or ():
                if container.get("volumeMounts"):
                    mounts = container["volumeMounts"]
                    container["volumeMounts"] = [mount for mount in mounts if mount.get("name") not in removed]

    return change


def replace_storage_class(question: Question, claim: PersistentVolumeClaim) -> list[Edit | None]:
    """Replace the PVC's StorageClass by each other one that waits for the first consumer."""
    return [
        _make_class_edit(question, claim, name)
        for name in list_provisioning_classes(question)
        if name != claim.storage_class_name
    ]


def list_provisioning_classes(question: Question) -> list[str]:
    """Return the StorageClasses that wait for the first consumer and provision a volume for its node."""
    classes: list[StorageClass] = list(question.lister.list("StorageClass"))
    class_names = [
        storage_class.name
        for storage_class in classes
        if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
        and storage_class.provisioner not in ("", NO_PROVISIONER)
    ]
    return class_names[:_MAX_OFFERS]


def _make_class_edit(question: Question, claim: PersistentVolumeClaim, name: str) -> Edit | None:
    change = set_value("spec", "storageClassName", value=name)
    return make_object_edit(
        question,
        claim,
        "claim_class",
        "spec.storageClassName",
        OTHER_CLASS(claim=claim.name, to=name),
        change,
        kubectl=(
            f"kubectl -n {claim.namespace} get pvc {claim.name} -o yaml"
            f" | kubectl patch --local -f - -p {quote_json({'spec': {'storageClassName': name}})} -o yaml"
            " | kubectl replace --force -f -"
        ),
        before=claim.storage_class_name,
        after=name,
        note=IMMUTABLE(),
    )


def create_missing_claim(question: Question, name: str) -> list[Edit | None]:
    """Create the missing PVC that the pod names, with each StorageClass that would provision it."""
    cost = question.prices.cost_of("add_claim")
    if cost is None:
        return []
    edits: list[Edit | None] = []
    for storage_class in list_provisioning_classes(question):
        manifest = {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": question.pod.namespace},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": storage_class,
                "resources": {"requests": {"storage": _SIZE}},
            },
        }
        ref = Ref("PersistentVolumeClaim", name, question.pod.namespace)
        sentence = ADD_CLAIM(claim=name, to=storage_class)
        edits.append(make_create_edit("add_claim", cost, ref, sentence, manifest))
    return edits


def make_create_edit(kind: str, cost: int, ref: Ref, sentence: dict[str, Any], manifest: dict[str, Any]) -> Edit:
    return Edit(
        kind,
        ref,
        "",
        encode_detail(manifest),
        cost,
        sentence,
        create_command_line(manifest),
        shape=f"{kind} {ref}",
        made=(manifest,),
    )


def get_claim(question: Question, name: str) -> PersistentVolumeClaim | None:
    claim: PersistentVolumeClaim | None = question.lister.get(
        "PersistentVolumeClaim", f"{question.pod.namespace}/{name}"
    )
    return claim


def copy_manifest_spec(obj: Any) -> dict[str, Any]:
    return dict(manifest_of(obj).get("spec") or {})
