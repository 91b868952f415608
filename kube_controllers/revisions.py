"""ControllerRevisions: the templates that a StatefulSet or a DaemonSet had. Source: pkg/controller/history."""

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


def data_of(owner: Manifest) -> dict[str, Any]:
    """The patch that brings the template back. Source: getPatch."""
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
        "data": data_of(owner),
        "revision": revision,
    }
    if annotations(owner):
        made["metadata"]["annotations"] = dict(annotations(owner))
    return made


def create_revision(api: Api, make: Callable[[int], Manifest], collisions: int) -> tuple[Manifest, int]:
    """The revision, with another hash where another template has the same one; and how often that happened by now.

    Source: history.CreateControllerRevision.
    """
    while True:
        made = make(collisions)
        found = api.get("ControllerRevision", key(made))
        if found is None:
            return api.create(made), collisions
        if found.get("data") == made["data"]:
            return found, collisions
        collisions += 1


def template_of(revision: Manifest) -> dict[str, Any]:
    found = (((revision.get("data") or {}).get("spec") or {}).get("template")) or {}
    return {field: value for field, value in found.items() if field != "$patch"}


def revision_of(revision: Manifest) -> int:
    return number(revision.get("revision"), 0)


def in_order(revisions: Sequence[Manifest]) -> list[Manifest]:
    """Source: SortControllerRevisions."""
    return sorted(revisions, key=lambda one: (revision_of(one), created(one), name(one)))


def applied(owner: Manifest, revision: Manifest) -> Mapping[str, Any]:
    """The owner with the template of a revision. Source: ApplyRevision."""
    return {**owner, "spec": {**spec(owner), "template": template_of(revision)}}
