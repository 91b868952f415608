"""The last-applied-configuration annotation of `kubectl apply`, for the migration to server-side apply.

Source: apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go, lastappliedupdater.go.
"""

import json
from collections.abc import Mapping
from typing import Any

from kube_apiserver.structured_merge.fieldpath import FieldSet
from kube_apiserver.structured_merge.typed import Typed, TypeMismatch, check_type, compare, to_field_set

Object = dict[str, Any]

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
# Only applies of this field manager follow the annotation.
MANAGER = "kubectl"
_TOTAL_SIZE = 256 * 1024
# Go's JSON encoder escapes these characters for HTML.
_ESCAPED = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})


def find_unchanged_fields(live: Typed, version: str) -> FieldSet | None:
    """Return the fields that a client-side apply set and that still have its values. They may be taken over without
    force.

    Return None if nothing was applied, or if it was applied in another version.
    """
    text = _get_annotations(live.value).get(ANNOTATION)
    if not isinstance(text, str) or not text:
        return None
    try:
        applied = json.loads(text)
        if not isinstance(applied, dict) or applied.get("apiVersion") != version:
            return None
        last = check_type(applied, live.schema, live.type)
        comparison = compare(last, live)
    except (ValueError, RecursionError, TypeMismatch):
        return None
    return (
        to_field_set(last).difference(comparison.modified).difference(comparison.added).difference(comparison.removed)
    )


def update_annotation(value: Object, applied: Object) -> Object:
    """Return the object with its annotation updated to what is applied now, or the object itself if nothing changes."""
    annotations, text = _get_annotations(value), _encode_applied(applied)
    if not annotations.get(ANNOTATION) or annotations[ANNOTATION] == text:
        return value
    annotations = {**annotations, ANNOTATION: text}
    if sum(len(part.encode()) for each in annotations.items() for part in each) > _TOTAL_SIZE:
        del annotations[ANNOTATION]
    return {**value, "metadata": {**value["metadata"], "annotations": annotations}}


def _encode_applied(applied: Object) -> str:
    metadata = dict(applied["metadata"])
    if ANNOTATION in (annotations := _get_annotations(applied)):
        metadata["annotations"] = {name: text for name, text in annotations.items() if name != ANNOTATION}
    cleaned = {**applied, "metadata": metadata}
    return json.dumps(cleaned, ensure_ascii=False, separators=(",", ":"), sort_keys=True).translate(_ESCAPED) + "\n"


def _get_annotations(value: Any) -> Mapping[str, str]:
    metadata = value.get("metadata") if isinstance(value, Mapping) else None
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    return annotations if isinstance(annotations, Mapping) else {}
