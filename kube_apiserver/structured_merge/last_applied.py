"""The annotation in which `kubectl apply` keeps what it applied, when kubectl goes over to server-side apply.

Source: apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go, lastappliedupdater.go.
"""

import json
from collections.abc import Mapping
from typing import Any

from kube_apiserver.structured_merge.fieldpath import FieldSet
from kube_apiserver.structured_merge.typed import Typed, TypeMismatch, compare, field_set, typed

Object = dict[str, Any]

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
# Who does not want it followed takes another name.
MANAGER = "kubectl"
_TOTAL_SIZE = 256 * 1024
# As Go writes JSON that may stand in a page.
_ESCAPED = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})


def conceded(live: Typed, version: str) -> FieldSet | None:
    """The fields that a client-side apply set and that are as it set them: they may be taken over without force.

    None where nothing was applied, or in another version.
    """
    text = _annotations(live.value).get(ANNOTATION)
    if not isinstance(text, str) or not text:
        return None
    try:
        applied = json.loads(text)
        if not isinstance(applied, dict) or applied.get("apiVersion") != version:
            return None
        last = typed(applied, live.schema, live.type)
        found = compare(last, live)
    except (ValueError, RecursionError, TypeMismatch):
        return None
    return field_set(last).difference(found.modified).difference(found.added).difference(found.removed)


def followed(value: Object, applied: Object) -> Object:
    """The object, whose annotation, if it has one, says what is applied now; itself, if it says so already."""
    annotations, text = _annotations(value), _written(applied)
    if not annotations.get(ANNOTATION) or annotations[ANNOTATION] == text:
        return value
    annotations = {**annotations, ANNOTATION: text}
    if sum(len(part.encode()) for each in annotations.items() for part in each) > _TOTAL_SIZE:
        del annotations[ANNOTATION]
    return {**value, "metadata": {**value["metadata"], "annotations": annotations}}


def _written(applied: Object) -> str:
    metadata = dict(applied["metadata"])
    if ANNOTATION in (annotations := _annotations(applied)):
        metadata["annotations"] = {name: text for name, text in annotations.items() if name != ANNOTATION}
    found = {**applied, "metadata": metadata}
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"), sort_keys=True).translate(_ESCAPED) + "\n"


def _annotations(value: Any) -> Mapping[str, str]:
    metadata = value.get("metadata") if isinstance(value, Mapping) else None
    found = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, Mapping) else {}
