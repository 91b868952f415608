"""ControllerRevisions: the stored templates of StatefulSets and DaemonSets. Source: pkg/controller/history."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api
from kube_objects.manifests import (
    Manifest,
    annotations,
    controller_reference,
    created,
    key,
    name,
    namespace,
    number,
    spec,
)

HASH_LABEL = "controller-revision-hash"
# The label of a StatefulSet's revisions. Its Pods have the revision's name under HASH_LABEL.
STATEFUL_SET_HASH_LABEL = "controller.kubernetes.io/hash"
_LONGEST_PREFIX = 223


def revision_data(owner: Manifest) -> dict[str, Any]:
    """Return the patch that restores the owner's template. Source: getPatch."""
    return {"spec": {"template": {"$patch": "replace", **(spec(owner).get("template") or {})}}}


def new_revision(owner: Manifest, template_hash: str, revision: int, hash_label: str) -> dict[str, Any]:
    """Return the ControllerRevision of the owner's template, not yet created.

    `hash_label` is the label that has the hash. Source: history.NewControllerRevision.
    """
    template = (spec(owner).get("template") or {}).get("metadata") or {}
    made: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"{name(owner)[:_LONGEST_PREFIX]}-{template_hash}",
            "namespace": namespace(owner),
            "labels": {**(template.get("labels") or {}), hash_label: template_hash},
            "ownerReferences": [controller_reference(owner)],
        },
        "data": revision_data(owner),
        "revision": revision,
    }
    if annotations(owner):
        made["metadata"]["annotations"] = dict(annotations(owner))
    return made


def create_revision(api: Api, make: Callable[[int], Manifest], collisions: int) -> tuple[Manifest, int]:
    """Create the revision and return it with the new collision count. The hash changes while another template has the
    same one.

    Source: history.CreateControllerRevision.
    """
    while True:
        candidate = make(collisions)
        existing = api.get("ControllerRevision", key(candidate))
        if existing is None:
            return api.create(candidate), collisions
        if existing.get("data") == candidate["data"]:
            return existing, collisions
        collisions += 1


def template_of(revision: Manifest) -> dict[str, Any]:
    template = (((revision.get("data") or {}).get("spec") or {}).get("template")) or {}
    return {field: value for field, value in template.items() if field != "$patch"}


def revision_of(revision: Manifest) -> int:
    return number(revision.get("revision"), 0)


def sort_revisions(revisions: Sequence[Manifest]) -> list[Manifest]:
    """Return the revisions, the oldest first. Source: SortControllerRevisions."""
    return sorted(revisions, key=lambda revision: (revision_of(revision), created(revision), name(revision)))


def with_revision(owner: Manifest, revision: Manifest) -> Mapping[str, Any]:
    """Return the owner with the template of a revision. Source: ApplyRevision."""
    return {**owner, "spec": {**spec(owner), "template": template_of(revision)}}
