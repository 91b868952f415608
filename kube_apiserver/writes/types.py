"""What the schemas of the served kinds say of merging, patching and unknown fields. From `data/types.json.gz`."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from kube_apiserver import written_types
from kube_apiserver.custom import merging
from kube_apiserver.resources import Resource
from kube_apiserver.structured_merge import fieldpath
from kube_apiserver.structured_merge.fieldpath import FieldSet
from kube_apiserver.structured_merge.managed_fields import FieldManager
from kube_apiserver.structured_merge.openapi import from_definitions
from kube_apiserver.structured_merge.schema import DEDUCED, DEDUCED_TYPE, Schema, TypeRef
from kube_apiserver.structured_merge.strategic import PatchType

# What the doors of a kind do not take, where it is more than its status, or than its spec.
_OF_STATUS: Mapping[str, Sequence[str]] = {"status": ("spec", "metadata")}
_RESETS: Mapping[str, Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(
        (
            *("FlowSchema", "PriorityLevelConfiguration", "ResourceClaim", "ServiceCIDR"),
            *("ValidatingAdmissionPolicy", "VolumeAttachment"),
        ),
        _OF_STATUS,
    ),
    "Deployment": {"status": ("spec", "metadata.labels")},
    "Pod": {
        "status": ("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
        **dict.fromkeys(("resize", "ephemeralcontainers"), ()),
    },
    "CertificateSigningRequest": {
        "": ("spec", "status"),
        "approval": ("spec", "status.certificate"),
        "status": ("spec", "status.conditions"),
    },
}
# Source: apimachinery/pkg/apis/meta/v1 ResetObjectMetaForStatus.
_METADATA = ("labels", "annotations", "finalizers", "ownerReferences")


@cache
def _schema() -> Schema:
    return from_definitions(written_types.read()["types"])


def name_of(resource: Resource) -> str | None:
    """Of its type; None for a kind whose schema is not kept."""
    found: str | None = written_types.read()["kinds"].get(f"{resource.group}/{resource.version}/{resource.kind}")
    return found


def field_manager(resource: Resource, subresource: str = "") -> FieldManager:
    """Who keeps the managed fields of its objects; a kind without a schema has those that follow from its values.

    An object's own door does not take its status, and that of its status takes nothing else.
    """
    name = name_of(resource)
    schema, ref = (DEDUCED, DEDUCED_TYPE) if name is None else (_schema(), TypeRef(name))
    if resource.custom is not None:
        schema, ref = resource.custom.schema.merging, TypeRef(merging.NAME)
    of_kind = _RESETS.get(resource.kind, {})
    names = of_kind.get(subresource, ("spec" if subresource == "status" else "status",))
    resets = FieldSet.of(*(tuple(fieldpath.field(part) for part in each.split(".")) for each in names))
    return FieldManager(schema, ref, resets)


def kept_by_status(resource: Resource) -> Sequence[str]:
    """Of an object's metadata, what the door of its status does not take."""
    names = _RESETS.get(resource.kind, {}).get("status", ()) if resource.custom is None else ("metadata",)
    if "metadata" in names:
        return _METADATA
    return [name.partition(".")[2] for name in names if name.startswith("metadata.")]


def with_kept(
    metadata: Mapping[str, Any], there: Mapping[str, Any], names: Sequence[str] = _METADATA
) -> dict[str, Any]:
    """Metadata whose fields `names` are as they were."""
    return {
        **{key: item for key, item in metadata.items() if key not in names},
        **{key: there[key] for key in names if key in there},
    }


def patch_type(resource: Resource) -> PatchType | None:
    """What strategic merge patches need; None for a kind without a schema, which takes none."""
    name = name_of(resource)
    return None if name is None else PatchType.named(written_types.read()["types"], name)
