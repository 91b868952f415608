"""metadata: identity, labels, owners, timestamps.

Source: apimachinery/pkg/api/validation ValidateObjectMeta.
"""

import hashlib
from collections.abc import Callable
from typing import Any, TypedDict

from kube_objects import field_errors, names, read
from kube_objects.kinds.api_names import NAMESPACED
from kube_objects.meta import OwnerReference
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import quoted, say
from kube_objects.text.problems import Problem

DEFAULT_NAMESPACE = "default"


class Meta(TypedDict):
    """The fields of `KubeObject` that metadata gives; to be passed on as keywords."""

    kind: str
    name: str
    namespace: str
    uid: str
    labels: Any
    annotations: Any
    owners: tuple[OwnerReference, ...]
    creation_timestamp: float | None
    deletion_timestamp: float | None
    manifest: Manifest


def read_meta(
    kind: str,
    manifest: Manifest,
    problems: Problems,
    namespaced: bool | None = None,
    name_rule: Callable[[str], str] = names.dns_subdomain,
    kind_of_uid: str = "",
) -> Meta:
    """Read the metadata. `namespaced` None: as a built-in kind is.

    An object without a uid gets one that depends on its kind, or `kind_of_uid`, namespace and name alone.
    """
    metadata = read.mapping(manifest, "metadata", "", problems)
    if not metadata:
        if not manifest.get("metadata"):
            problems.append(field_errors.required("metadata", say("an object needs at least metadata.name")))
        metadata = {}
    name = read.required_text(metadata, "name", "metadata", problems) if metadata else ""
    if name and (rule := name_rule(name)):
        problems.append(Problem("metadata.name", name, rule))
    namespace = ""
    if kind in NAMESPACED if namespaced is None else namespaced:
        namespace = read.text(metadata, "namespace", "metadata", problems) or DEFAULT_NAMESPACE
        if rule := names.dns_label(namespace):
            problems.append(Problem("metadata.namespace", namespace, rule))
    elif metadata.get("namespace"):
        problems.append(
            Problem("metadata.namespace", metadata["namespace"], say("a {kind} belongs to no namespace", kind=kind))
        )
    return {
        "kind": kind,
        "name": name,
        "namespace": namespace,
        "uid": read.text(metadata, "uid", "metadata", problems) or derived_uid(kind_of_uid or kind, namespace, name),
        "labels": read.label_map(metadata, "labels", "metadata", problems),
        "annotations": _annotations(metadata, problems) if "annotations" in metadata else read.NONE,
        "owners": _owners(metadata, problems) if "ownerReferences" in metadata else (),
        "creation_timestamp": read.timestamp(metadata, "creationTimestamp", "metadata", problems),
        "deletion_timestamp": read.timestamp(metadata, "deletionTimestamp", "metadata", problems),
        "manifest": manifest,
    }


def derived_uid(kind: str, namespace: str, name: str) -> str:
    """Return a stable uid in the form of a version 5 UUID."""
    digest = hashlib.sha1(f"{kind}/{namespace}/{name}".encode(errors="replace"), usedforsecurity=False).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _annotations(metadata: Manifest, problems: Problems) -> Manifest:
    annotations = read.text_map(metadata, "annotations", "metadata", problems)
    for name in annotations:
        if rule := names.qualified_name(name.lower()):
            problems.append(Problem("metadata.annotations", name, rule))
    return annotations


def _owners(metadata: Manifest, problems: Problems) -> tuple[OwnerReference, ...]:
    owners: list[OwnerReference] = []
    for path, item in read.mappings(metadata, "ownerReferences", "metadata", problems):
        owner = OwnerReference(
            kind=read.required_text(item, "kind", path, problems),
            name=read.required_text(item, "name", path, problems),
            uid=read.text(item, "uid", path, problems),
            api_version=read.text(item, "apiVersion", path, problems),
            controller=read.boolean(item, "controller", path, problems),
        )
        if owner.controller and any(earlier.controller for earlier in owners):
            problems.append(Problem(path, owner.name, quoted("only one owner can have controller set to true")))
        owners.append(owner)
    return tuple(owners)
