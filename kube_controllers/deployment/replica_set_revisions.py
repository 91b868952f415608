"""ReplicaSets as the revisions of a Deployment. Source: pkg/controller/deployment/util SetNewReplicaSetAnnotations."""

from collections.abc import Mapping
from typing import Any

from kube_controllers.deployment import util
from kube_controllers.hashing import Hashes
from kube_objects.manifests import (
    Manifest,
    annotations,
    controller_reference,
    meta,
    name,
    namespace,
    spec,
    status,
    with_meta,
)

_MOST_HISTORY = 2000
_SKIPPED = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        util.REVISION,
        util.REVISION_HISTORY,
        util.DESIRED,
        util.MAX_REPLICAS,
        "deprecated.deployment.rollback.to",
    }
)


def new_replica_set(deployment: Manifest, hashes: Hashes) -> dict[str, Any]:
    """Return the ReplicaSet of the Deployment's template, without its number of replicas."""
    template = dict(spec(deployment).get("template") or {})
    template_hash = hashes.hash_template(template, status(deployment).get("collisionCount"))
    template_metadata = dict(template.get("metadata") or {})
    template_metadata["labels"] = {**(template_metadata.get("labels") or {}), util.HASH_LABEL: template_hash}
    selector = dict(spec(deployment).get("selector") or {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), util.HASH_LABEL: template_hash}
    fields: dict[str, Any] = {"selector": selector, "template": {**template, "metadata": template_metadata}}
    if spec(deployment).get("minReadySeconds"):
        fields["minReadySeconds"] = spec(deployment)["minReadySeconds"]
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{name(deployment)[: 253 - 1 - len(template_hash)]}-{template_hash}",
            "namespace": namespace(deployment),
            "labels": template_metadata["labels"],
            "ownerReferences": [controller_reference(deployment)],
        },
        "spec": fields,
        "status": {"replicas": 0},
    }


def with_revision_annotations(
    deployment: Manifest, replica_set: Manifest, revision: str, exists: bool
) -> Manifest | None:
    """Return the ReplicaSet with the annotations of the newest revision; None if it has them already."""
    known = annotations(replica_set)
    if exists and _is_annotated(deployment, known, revision):
        return None
    updated = dict(known)
    updated |= {key: value for key, value in annotations(deployment).items() if key not in _SKIPPED}
    before = updated.get(util.REVISION, "")
    number = int(before) if before.isdigit() else 0
    if number < int(revision):
        updated[util.REVISION] = revision
        if before:
            updated[util.REVISION_HISTORY] = _history(updated.get(util.REVISION_HISTORY, ""), before)
    if not exists:
        wanted = util.replicas(deployment)
        updated[util.DESIRED] = str(wanted)
        updated[util.MAX_REPLICAS] = str(wanted + util.max_surge(deployment))
    return None if updated == dict(known) else with_meta(replica_set, annotations=updated)


def _is_annotated(deployment: Manifest, known: Mapping[str, str], revision: str) -> bool:
    before = known.get(util.REVISION, "")
    if (int(before) if before.isdigit() else 0) < int(revision):
        return False
    wanted = annotations(deployment)
    return wanted.keys() <= _SKIPPED or all(key in _SKIPPED or known.get(key) == value for key, value in wanted.items())


def _history(known: str, revision: str) -> str:
    """Return the revision history with this revision, without the oldest ones if it gets too long."""
    entries = [entry for entry in known.split(",") if entry] + [revision]
    while len(",".join(entries)) > _MOST_HISTORY:
        del entries[0]
    return ",".join(entries)


def without_revision(annotations_: Mapping[str, str]) -> dict[str, str]:
    """Return a ReplicaSet's annotations that a rollback copies to its Deployment. Source:
    SetDeploymentAnnotationsTo.
    """
    return {key: value for key, value in annotations_.items() if key not in _SKIPPED}


def roll_back(deployment: Manifest, replica_set: Manifest) -> dict[str, Any]:
    """Return the Deployment with the template of one of its revisions, as `kubectl rollout undo` writes it."""
    template = dict(spec(replica_set).get("template") or {})
    template_metadata = dict(template.get("metadata") or {})
    template_metadata["labels"] = {
        key: value for key, value in (template_metadata.get("labels") or {}).items() if key != util.HASH_LABEL
    }
    skipped = {key: value for key, value in annotations(deployment).items() if key in _SKIPPED}
    changed = {**deployment, "spec": {**spec(deployment), "template": {**template, "metadata": template_metadata}}}
    return {
        **changed,
        "metadata": {**meta(deployment), "annotations": {**skipped, **without_revision(annotations(replica_set))}},
    }
