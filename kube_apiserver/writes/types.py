"""The merge, patch and managed-fields schemas of the served kinds, from `data/types.json.gz`."""

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

# Fields that a write ignores, by kind and subresource (""), where they differ from `field_manager`'s default.
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
    """Return the name of a resource's type, or None if it has no schema."""
    found: str | None = written_types.read()["kinds"].get(f"{resource.group}/{resource.version}/{resource.kind}")
    return found


def field_manager(resource: Resource, subresource: str = "") -> FieldManager:
    """Return the field manager of a resource. Without a schema, the types are deduced from the values.

    A write of the object ignores its status. A write of the subresource `status` ignores all other fields.
    """
    name = name_of(resource)
    schema, ref = (DEDUCED, DEDUCED_TYPE) if name is None else (_schema(), TypeRef(name))
    if resource.custom is not None:
        schema, ref = resource.custom.schema.merging, TypeRef(merging.NAME)
    of_kind = _RESETS.get(resource.kind, {})
    names = of_kind.get(subresource, ("spec" if subresource == "status" else "status",))
    resets = FieldSet.from_paths(*(tuple(fieldpath.field(part) for part in each.split(".")) for each in names))
    return FieldManager(schema, ref, resets)


def metadata_ignored_by_status(resource: Resource) -> Sequence[str]:
    """Return the metadata fields that a write of the subresource `status` ignores."""
    names = _RESETS.get(resource.kind, {}).get("status", ()) if resource.custom is None else ("metadata",)
    if "metadata" in names:
        return _METADATA
    return [name.partition(".")[2] for name in names if name.startswith("metadata.")]


def restore_metadata(
    metadata: Mapping[str, Any], there: Mapping[str, Any], names: Sequence[str] = _METADATA
) -> dict[str, Any]:
    """Return metadata in which the fields `names` have their old values."""
    return {
        **{key: item for key, item in metadata.items() if key not in names},
        **{key: there[key] for key in names if key in there},
    }


def patch_type(resource: Resource) -> PatchType | None:
    """Return the type for strategic merge patches, or None for a kind without a schema, which supports none."""
    name = name_of(resource)
    return None if name is None else PatchType.named(written_types.read()["types"], name)
