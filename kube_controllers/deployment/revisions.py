"""Replica sets as revisions of a Deployment. Source: pkg/controller/deployment/util SetNewReplicaSetAnnotations."""

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
    """The replica set of the deployment's template, without its number of replicas."""
    template = dict(spec(deployment).get("template") or {})
    found = hashes.of_template(template, status(deployment).get("collisionCount"))
    of_template = dict(template.get("metadata") or {})
    of_template["labels"] = {**(of_template.get("labels") or {}), util.HASH_LABEL: found}
    selector = dict(spec(deployment).get("selector") or {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), util.HASH_LABEL: found}
    fields: dict[str, Any] = {"selector": selector, "template": {**template, "metadata": of_template}}
    if spec(deployment).get("minReadySeconds"):
        fields["minReadySeconds"] = spec(deployment)["minReadySeconds"]
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{name(deployment)[: 253 - 1 - len(found)]}-{found}",
            "namespace": namespace(deployment),
            "labels": of_template["labels"],
            "ownerReferences": [controller_reference(deployment)],
        },
        "spec": fields,
        "status": {"replicas": 0},
    }


def annotated_as_new(deployment: Manifest, replica_set: Manifest, revision: str, exists: bool) -> Manifest | None:
    """The replica set with the annotations of the newest revision, or None if it has them."""
    known = annotations(replica_set)
    if exists and _is_annotated(deployment, known, revision):
        return None
    found = dict(known)
    found |= {key: value for key, value in annotations(deployment).items() if key not in _SKIPPED}
    before = found.get(util.REVISION, "")
    number = int(before) if before.isdigit() else 0
    if number < int(revision):
        found[util.REVISION] = revision
        if before:
            found[util.REVISION_HISTORY] = _history(found.get(util.REVISION_HISTORY, ""), before)
    if not exists:
        wanted = util.replicas(deployment)
        found[util.DESIRED] = str(wanted)
        found[util.MAX_REPLICAS] = str(wanted + util.max_surge(deployment))
    return None if found == dict(known) else with_meta(replica_set, annotations=found)


def _is_annotated(deployment: Manifest, known: Mapping[str, str], revision: str) -> bool:
    before = known.get(util.REVISION, "")
    if (int(before) if before.isdigit() else 0) < int(revision):
        return False
    given = annotations(deployment)
    return given.keys() <= _SKIPPED or all(key in _SKIPPED or known.get(key) == value for key, value in given.items())


def _history(known: str, revision: str) -> str:
    """The revisions that it has been, the oldest left out where there are too many."""
    entries = [entry for entry in known.split(",") if entry] + [revision]
    while len(",".join(entries)) > _MOST_HISTORY:
        del entries[0]
    return ",".join(entries)


def without_revision(given: Mapping[str, str]) -> dict[str, str]:
    """A replica set's annotations as a rollback gives them to its deployment. Source: SetDeploymentAnnotationsTo."""
    return {key: value for key, value in given.items() if key not in _SKIPPED}


def rolled_back(deployment: Manifest, replica_set: Manifest) -> dict[str, Any]:
    """The deployment with the template of one of its revisions, as `kubectl rollout undo` makes it."""
    template = dict(spec(replica_set).get("template") or {})
    of_template = dict(template.get("metadata") or {})
    of_template["labels"] = {
        key: value for key, value in (of_template.get("labels") or {}).items() if key != util.HASH_LABEL
    }
    skipped = {key: value for key, value in annotations(deployment).items() if key in _SKIPPED}
    changed = {**deployment, "spec": {**spec(deployment), "template": {**template, "metadata": of_template}}}
    return {
        **changed,
        "metadata": {**meta(deployment), "annotations": {**skipped, **without_revision(annotations(replica_set))}},
    }
