"""The approval annotation of a CRD in one of Kubernetes' own groups.

Source: apiextensions-apiserver, pkg/apihelpers/helpers.go, pkg/controller/apiapproval, validateAPIApproval.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from kube_apiserver import causes
from kube_apiserver.causes import Cause

Object = dict[str, Any]

_ANNOTATION = "api-approved.kubernetes.io"
_FIELD = f"metadata.annotations[{_ANNOTATION}]"
_GROUPS = ("k8s.io", "kubernetes.io")
_MUST = f'protected groups must have approval annotation "{_ANNOTATION}"'
_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"
_MISSING, _INVALID, _APPROVED, _UNAPPROVED = "Missing", "Invalid", "Approved", "Unapproved"


def problems(value: Mapping[str, Any], live: Mapping[str, Any] | None = None) -> Iterator[Cause]:
    """Yield the problems of the annotation of a new CRD, or of one whose approval state changed."""
    state, message = _state(value)
    if not _is_protected(value) or (live is not None and state == _state(live)[0]):
        return
    if state == _MISSING:
        yield causes.required(_FIELD, message)
    elif state == _INVALID:
        yield causes.invalid(_FIELD, _annotation(value), message)


def with_condition(value: Object) -> Object:
    """Return the CRD with the condition of the approval controller, which has the CRD's creation time."""
    conditions = (value.get("status") or {}).get("conditions") or ()
    if not _is_protected(value) or not conditions:
        return value
    type_, (state, message) = "KubernetesAPIApprovalPolicyConformant", _state(value)
    condition = {
        "lastTransitionTime": value["metadata"].get("creationTimestamp"),
        "message": message,
        "reason": f"{state}Annotation",
        "status": str(state == _APPROVED),
        "type": type_,
    }
    others = [each for each in conditions if each.get("type") != type_]
    return {**value, "status": {**value["status"], "conditions": [*others, condition]}}


def _is_protected(value: Mapping[str, Any]) -> bool:
    group = str((value.get("spec") or {}).get("group") or "")
    return any(group == each or group.endswith(f".{each}") for each in _GROUPS)


def _annotation(value: Mapping[str, Any]) -> str:
    return str((value["metadata"].get("annotations") or {}).get(_ANNOTATION) or "")


def _state(value: Mapping[str, Any]) -> tuple[str, str]:
    """Return the approval state and upstream's message."""
    text = _annotation(value)
    if not text:
        return _MISSING, f"{_MUST}, {_SEE}"
    if text.startswith("unapproved"):
        return _UNAPPROVED, f'not approved: "{text}"'
    if _is_url(text):
        return _APPROVED, f"approved in {text}"
    return _INVALID, f'{_MUST} with either a URL or a reason starting with "unapproved", {_SEE}'


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc) and text.isprintable() and " " not in text
