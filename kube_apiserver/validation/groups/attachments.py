"""Validation of VolumeAttachments. Source: pkg/apis/storage/validation."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, go_values, storage
from kube_apiserver.validation.groups import csi
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_MOST_MESSAGE = 1024


def validate_attachment(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from claims.validate_csi_driver_name(spec.get("attacher"), "spec.attacher")
    source = spec.get("source") or {}
    name, inline = source.get("persistentVolumeName"), source.get("inlineVolumeSpec")
    both = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
    if name is None and inline is None:
        yield causes.required("spec.source", both)
    elif name is not None and inline is not None:
        yield causes.forbidden("spec.source", both)
    elif name == "":
        yield causes.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")
    node_name = str(spec.get("nodeName") or "")
    yield from report_broken_rules("spec.nodeName", node_name, names.dns_subdomain(node_name))
    yield from validate_attachment_status(value)
    if name is not None:
        yield from report_broken_rules("spec.source.persistentVolumeName", name, names.dns_subdomain(str(name)))
    elif inline is not None:
        yield from storage.validate_inline_volume(inline, "spec.source.inlineVolumeSpec")


def validate_attachment_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_attachment(value)
    old_spec, new_spec = (each.get("spec") or {} for each in (live, value))
    if old_spec != new_spec:
        yield causes.invalid("spec", _to_go_spec(new_spec), causes.IMMUTABLE)


def _to_go_spec(spec: Object) -> go_values.Ordered:
    source = spec.get("source") or {}
    return go_values.Ordered(
        Attacher=spec.get("attacher") or "",
        Source={
            "PersistentVolumeName": source.get("persistentVolumeName"),
            "InlineVolumeSpec": source.get("inlineVolumeSpec"),
        },
        NodeName=spec.get("nodeName") or "",
    )


def validate_attachment_status(value: Object) -> Iterator[Cause]:
    status = value.get("status") or {}
    if csi.count_bytes(status.get("attachmentMetadata") or {}) > csi.MOST_BYTES:
        yield causes.too_long("status.attachmentMetadata", csi.MOST_BYTES)
    for key in ("attachError", "detachError"):
        error = status.get(key) or {}
        if len(str(error.get("message") or "").encode()) > _MOST_MESSAGE:
            # Upstream checks 1,024 bytes, but its message names this larger limit.
            yield causes.too_long(f"status.{key}.message", csi.MOST_BYTES)
        code = error.get("errorCode")
        if code is not None and code < 0:
            yield causes.invalid(f"status.{key}.errorCode", code, "must be between 0 and 2147483647, inclusive")
