"""Parse and check the objects of commands that create, update and delete them. A command applies to all or none."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from kube_apiserver.admission.priority import admit_manifest
from kube_objects.kinds.scheduling.priority_class import PriorityClass
from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from kube_objects.parsers.meta import derived_uid
from kube_objects.pod import Pod
from kube_objects.pod_update import refusals
from kube_objects.reparse import SiblingParser
from kube_objects.sentences import say
from kube_objects.serialize import manifest_of
from kube_objects.shared import shared
from kube_objects.text.problems import ObjectError, Problem
from scheduler_core.queue.moves import SubQueue
from simulator.simulation.commands.command import CommandError
from simulator.simulation.store import ObjectStore

Manifest = Mapping[str, Any]
_CLAIM_NAMES = "resourceClaimStatuses"
_MADE_FOR_PODS = ("PersistentVolumeClaim", "ResourceClaim")
_canonical = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
# The field in the message about an object that has changed since the client read it.
VERSION_PATH = "metadata.resourceVersion"
# The fields of metadata that only the API server sets.
_SERVER_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "generation")


def parse_all(manifests: Sequence[Manifest], store: ObjectStore) -> list[KubeObject]:
    """Return the objects after admission and parsing.

    Raise CommandError with the problems of all objects; their paths begin with `objects[i]`.
    """
    problems: list[Problem] = []
    classes = {priority_class.name: priority_class for priority_class in store.list("PriorityClass")}
    for manifest in manifests:
        if manifest.get("kind") == "PriorityClass":
            try:
                parsed = parse_object(manifest)
            except ObjectError:
                continue  # the second loop reports it with its path
            if isinstance(parsed, PriorityClass):
                classes[parsed.name] = parsed
    objects: list[KubeObject] = []
    siblings = SiblingParser()
    for i, manifest in enumerate(manifests):
        path = f"objects[{i}]."
        manifest, admission_problems = admit_manifest(manifest, classes.values(), path)
        problems += admission_problems
        try:
            objects.append(siblings.parse(shared(manifest)))
        except ObjectError as error:
            problems += [problem.below(path) for problem in error.problems]
    if problems:
        raise CommandError(problems)
    return objects


def check_new(objects: Sequence[KubeObject], store: ObjectStore) -> None:
    """Raise CommandError for objects that exist already, and for duplicates."""
    seen: set[tuple[str, str]] = set()
    problems = []
    for i, obj in enumerate(objects):
        key = (obj.kind, obj.key)
        if key in seen:
            problems.append(Problem(f"objects[{i}].metadata.name", obj.key, say("{kind} appears twice", kind=obj.kind)))
        elif store.get(*key) is not None:
            problems.append(
                Problem(f"objects[{i}].metadata.name", obj.key, say("{kind} already exists", kind=obj.kind))
            )
        seen.add(key)
    if problems:
        raise CommandError(problems)


def check_changed(objects: Sequence[KubeObject], store: ObjectStore) -> None:
    """Raise CommandError for objects that don't exist, and for bound pods with another node."""
    problems = []
    for i, obj in enumerate(objects):
        current = store.get(obj.kind, obj.key)
        if current is None:
            problems.append(Problem(f"objects[{i}].metadata.name", obj.key, say("no such {kind}", kind=obj.kind)))
        elif isinstance(obj, Pod) and current.node_name and obj.node_name != current.node_name:
            rule = say('must stay "{node_name}": a bound pod is not moved', node_name=current.node_name)
            hint = say("delete the pod and create it again")
            problems.append(Problem(f"objects[{i}].spec.nodeName", obj.node_name, rule, hint))
    if problems:
        raise CommandError(problems)


def digest_of(manifest: Manifest) -> str:
    """Return the SHA-256 of a manifest in hexadecimal, independent of the order of its fields."""
    return hashlib.sha256(_canonical(manifest).encode()).hexdigest()


def check_unchanged(objects: Sequence[KubeObject], digests: Sequence[str], store: ObjectStore) -> None:
    """Raise CommandError for objects whose stored manifests have other digests, and for deleted objects."""
    problems = []
    for i, (obj, digest) in enumerate(zip(objects, digests, strict=False)):
        current = store.get(obj.kind, obj.key)
        if digest and (current is None or digest_of(manifest_of(current)) != digest):
            rule = say("{kind} has changed since it was read", kind=obj.kind)
            path = f"objects[{i}].{VERSION_PATH}"
            problems.append(Problem(path, obj.key, rule, say("read the object and apply the change again")))
    if problems:
        raise CommandError(problems)


def check_as_cluster(objects: Sequence[KubeObject], store: ObjectStore) -> None:
    """Raise CommandError for changes of a pod's spec that an API server rejects."""
    problems = []
    for i, obj in enumerate(objects):
        current = store.get(obj.kind, obj.key)
        if isinstance(obj, Pod) and current is not None:
            for refusal in refusals(manifest_of(current), obj.manifest):
                problems.append(refusal.problem.below(f"objects[{i}]."))
    if problems:
        raise CommandError(problems)


def check_pods(objects: Sequence[KubeObject], store: ObjectStore) -> Sequence[KubeObject]:
    """Return the objects. Raise CommandError unless all are existing pods without duplicates."""
    problems = []
    for i, obj in enumerate(objects):
        if not isinstance(obj, Pod):
            problems.append(Problem(f"objects[{i}].kind", obj.kind, say("must be Pod")))
        elif any(obj.key == other.key for other in objects[:i]):
            problems.append(Problem(f"objects[{i}].metadata.name", obj.key, say("Pod appears twice")))
        elif store.get("Pod", obj.key) is None:
            problems.append(Problem(f"objects[{i}].metadata.name", obj.key, say("no such Pod")))
    if problems:
        raise CommandError(problems)
    return objects


def recreated_manifest(obj: KubeObject, number: int, submitted: KubeObject | None) -> Manifest:
    """Return the manifest of a pod that is created again.

    It has another uid, which `number` determines, and no status. It has a node only if users submitted it with one.
    """
    metadata = {name: value for name, value in obj.manifest["metadata"].items() if name not in _SERVER_FIELDS}
    metadata["uid"] = derived_uid(obj.kind, obj.namespace, f"{obj.name}/{number}")
    has_submitted_node = isinstance(submitted, Pod) and submitted.node_name
    spec = {name: value for name, value in obj.manifest["spec"].items() if has_submitted_node or name != "nodeName"}
    fresh = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    claims = (obj.manifest.get("status") or {}).get(_CLAIM_NAMES)
    return {**fresh, "status": {_CLAIM_NAMES: claims}} if claims else fresh


def recreated_claims(pod: KubeObject, fresh: Manifest, store: ObjectStore) -> Iterator[Manifest]:
    """Yield the claims that controllers generated for a pod, with the created-again pod `fresh` as their owner."""
    for kind in _MADE_FOR_PODS:
        for claim in store.list(kind, pod.namespace):
            if any(owner.uid == pod.uid for owner in claim.owners):
                owners = [
                    {**owner, "uid": fresh["metadata"]["uid"]} if owner.get("uid") == pod.uid else owner
                    for owner in claim.manifest["metadata"]["ownerReferences"]
                ]
                yield {**claim.manifest, "metadata": {**claim.manifest["metadata"], "ownerReferences": owners}}


def activation_refusal(pod: Pod, where: SubQueue) -> str:
    """Return why a pod can't be moved to the active queue; "" if it can."""
    if where is SubQueue.GATED:
        return say("it is gated; remove the gate from spec.schedulingGates")
    if where is SubQueue.ACTIVE:
        return say("is already in the active queue")
    outside = where in (SubQueue.OUTSIDE, SubQueue.IN_FLIGHT) or pod.node_name
    return say("is in no queue") if outside else ""


def find_all(references: Sequence[Manifest], store: ObjectStore) -> list[KubeObject]:
    """Return the stored objects of references `{kind, namespace?, name}`. Raise CommandError for missing ones."""
    objects: list[KubeObject] = []
    problems = []
    for i, reference in enumerate(references):
        kind, name, namespace = (reference.get(key) or "" for key in ("kind", "name", "namespace"))
        key = f"{namespace}/{name}" if namespace else str(name)
        obj = store.get(str(kind), key) or (store.get(str(kind), f"default/{name}") if not namespace else None)
        # References of early traces name custom resources by their kind without the group.
        obj = obj or next(iter(store.of_other_groups(str(kind), key)), None)
        if obj is None:
            problems.append(Problem(f"objects[{i}]", key, say("no such {kind}", kind=kind or "object")))
        else:
            objects.append(obj)
    if problems:
        raise CommandError(problems)
    return objects


def find_existing(references: Sequence[Manifest], store: ObjectStore) -> list[KubeObject]:
    """Return the stored objects of references `{kind, namespace?, name}` without duplicates; skip missing ones."""
    objects: dict[tuple[str, str], KubeObject] = {}
    for reference in references:
        with suppress(CommandError):
            objects.update({(obj.kind, obj.key): obj for obj in find_all([reference], store)})
    return list(objects.values())


def with_current_placement(obj: KubeObject, store: ObjectStore) -> KubeObject:
    """Return an earlier version of an object; a pod gets the node, nomination and phase of its stored version."""
    current = store.get(obj.kind, obj.key)
    if not isinstance(obj, Pod) or current is None or current.node_name == obj.node_name:
        return obj
    placed = obj.with_node(current.node_name).with_nomination(current.nominated_node_name)
    placed.phase, placed.start_time, placed.conditions = current.phase, current.start_time, current.conditions
    return placed


def find_moved_pod(obj: KubeObject, store: ObjectStore) -> Pod | None:
    """Return the stored version of a pod if its node differs from that of `obj`, else None."""
    current = store.get(obj.kind, obj.key)
    if not isinstance(obj, Pod) or not isinstance(current, Pod):
        return None
    return current if current.node_name != obj.node_name else None


def count_by_kind(objects: Sequence[KubeObject]) -> dict[str, int]:
    return dict(sorted(Counter(obj.kind for obj in objects).items()))
